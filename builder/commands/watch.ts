/** `builder watch` and `release`: builds drops that arrive in a folder by its rules, and releases held months. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { printable } from "../../formats/index.js";
import { buildMonth } from "../build/build-month.js";
import { printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { discardHeld, releaseMonth } from "../months/held-months.js";
import { BuilderLock } from "../months/lock.js";
import { Journal, type JournalEvent } from "../watch/journal.js";
import { Notices } from "../watch/notices.js";
import { readRules, type WatchRules } from "../watch/rules.js";
import { Watcher } from "../watch/watcher.js";
import { WebhookSender } from "../watch/webhook.js";
import { monthName } from "./month-arguments.js";
import { NO_ROW_STORE_HELP, ROW_STORE_HELP } from "./row-store-flags.js";
import { THREADS_HELP, threadCount } from "./threads.js";

interface WatchFlags {
	data: string;
	rules: string;
	once: boolean;
	rowStore?: boolean;
	threads?: number;
	json: boolean;
}

const now = () => new Date();

export function watchCommand(): Command {
	return new Command("watch")
		.description("build drops as they arrive in a folder, by rules, and publish or hold them")
		.argument("<folder>", "folder that drops arrive in")
		.requiredOption("--data <dir>", "data folder")
		.requiredOption("--rules <file>", "rules (docs/WATCH.md)")
		.option("--once", "stop once no drop waits, with exit code 1 if one was refused", false)
		.option("--row-store", ROW_STORE_HELP)
		.option("--no-row-store", NO_ROW_STORE_HELP)
		.option("--threads <n>", THREADS_HELP, threadCount)
		.option("--json", "print every event as one line of JSON", false)
		.action(watch);
}

async function watch(folder: string, flags: WatchFlags): Promise<void> {
	const rules = readRules(flags.rules);
	const sender = rules.webhook === null ? null : new WebhookSender(rules.webhook);
	mkdirSync(join(flags.data, "watch"), { recursive: true });
	const lock = BuilderLock.take(join(flags.data, "watch", "lock"), "watcher");
	const stop = new AbortController();
	const end = () => stop.abort();
	const refused: string[] = [];
	process.once("SIGINT", end).once("SIGTERM", end);
	try {
		const journal = new Journal(flags.data, now);
		const notices = sender === null ? null : new Notices(journal, sender, now);
		const watcher = new Watcher({
			folder,
			dataFolder: flags.data,
			rules,
			journal,
			build: buildMonth,
			threads: flags.threads ?? null,
			rowStore: flags.rowStore ?? "newest",
			now,
			once: flags.once,
			signal: stop.signal,
			onEvent: (event) => {
				printEvent(event, flags.json);
				if (event.event === "refused" && event.drop !== null) refused.push(event.drop);
			},
			sendNotices: async () => notices?.sendDue(stop.signal),
			onRemark: (remark) => process.stderr.write(`${printable(remark)}\n`),
		});
		await watchOn(watcher, rules, flags.once, stop.signal);
		if (flags.once && refused.length > 0)
			throw new BuildError("drops_refused", `refused: ${refused.join(", ")}`, { file: folder });
	} finally {
		process.off("SIGINT", end).off("SIGTERM", end);
		lock.release();
	}
}

async function watchOn(
	watcher: Watcher,
	rules: WatchRules,
	once: boolean,
	signal: AbortSignal,
): Promise<void> {
	while (!signal.aborted) {
		const waits = await watcher.look();
		if (once && !waits) return;
		await delay(1000 * rules.pollSeconds, undefined, { signal }).catch((error: Error) => {
			if (error.name !== "AbortError") throw error;
		});
	}
}

function printEvent(event: JournalEvent, json: boolean): void {
	if (json) {
		printJson(event);
		return;
	}
	const { at, drop, month, message } = event;
	const about = [drop, month].filter((part) => part !== null).join(", ");
	process.stdout.write(
		`${at} ${event.event} ${printable(about)}${message === "" ? "" : `: ${printable(message)}`}\n`,
	);
}

export function releaseCommand(): Command {
	return new Command("release")
		.description("publish a month that is held")
		.argument("<month>", "month, YYYY-MM", monthName)
		.requiredOption("--data <dir>", "data folder")
		.option("--discard", "delete the held month instead", false)
		.option("--json", "print one JSON document", false)
		.action(async (month: string, flags: { data: string; discard: boolean; json: boolean }) => {
			const journal = new Journal(flags.data, now);
			if (flags.discard) {
				await discardHeld(flags.data, month);
				journal.append({ event: "discarded", month });
			} else {
				const { rows } = await releaseMonth(flags.data, month);
				journal.append({ event: "released", month, message: `${rows} rows`, detail: { rows } });
			}
			const done = flags.discard ? "discarded" : "released";
			if (flags.json) printJson({ month, [done]: true });
			else process.stdout.write(`${month} is ${done}\n`);
		});
}
