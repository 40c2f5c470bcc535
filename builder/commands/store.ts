/** `builder push`, `pull`, `withdraw` and `gc`: transfer months to and from an object store. */

import { Command, InvalidArgumentError } from "commander";
import { makeFolder } from "../../formats/files/durable.js";
import { openStore, readStoredIndex } from "../../formats/object-store/index.js";
import { formatBytes, formatTable, instant, printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { whileLocked } from "../months/publish.js";
import { collectGarbage } from "../object-store/collect-garbage.js";
import { announce, withdraw } from "../object-store/index-changes.js";
import { type PulledMonths, pullMonths } from "../object-store/pull-months.js";
import { confirmPushed, pushFiles } from "../object-store/push-month.js";
import { publishedMonths, refuseFile } from "../published-months.js";
import { monthNames } from "./month-arguments.js";

interface StoreFlags {
	readonly store: string;
	readonly json: boolean;
}

interface DataFlags extends StoreFlags {
	readonly data: string;
}

function storeCommand(name: string, description: string): Command {
	return new Command(name)
		.description(description)
		.requiredOption(
			"--store <url>",
			"s3://BUCKET/PREFIX; endpoint, region and credentials from AWS_… variables",
		)
		.option("--json", "print one JSON document", false);
}

export function pushCommand(): Command {
	return storeCommand("push", "publish months to an object store, from which servers download them")
		.argument("[months...]", "months, YYYY-MM; by default all published months", monthNames)
		.requiredOption("--data <dir>", "data folder")
		.option(
			"--live-at <time>",
			"when servers start to serve them, RFC 3339; by default now, or as announced before",
			instant,
		)
		.action(async (months: string[], flags: DataFlags & { liveAt?: number }) => {
			const store = openStore(flags.store, process.env);
			const chosen = months.length > 0 ? months : publishedMonths(flags.data);
			// A change of the index by no month would begin one, and take every month of a lost one out of service.
			if (chosen.length === 0)
				throw new BuildError("not_published", `no month is published in ${flags.data}; nothing was pushed`);
			const { pushed, index } = await whileLocked(flags.data, async () => {
				// A store that would refuse the index in the end says so before months are sent, and says why: what a push asks
				// for first, the sizes of objects, is refused without a reason, since an answer to HEAD has no body.
				await readStoredIndex(store);
				const done = [];
				for (const month of chosen) done.push(await pushFiles(store, flags.data, month));
				const announced = await announce(store, done, flags.liveAt ?? null, Date.now);
				await confirmPushed(store, flags.data, done);
				const liveAt = (month: string) => new Date(announced.months[month].live_at).toISOString();
				return { pushed: done.map((each) => ({ ...each, live_at: liveAt(each.month) })), index: announced };
			});
			for (const { month, live_at } of pushed) {
				if (flags.liveAt === undefined || flags.liveAt === Date.parse(live_at)) continue;
				process.stderr.write(
					`builder: ${month} is live already with the same files, since ${live_at}; --live-at changes nothing of it\n`,
				);
			}
			if (flags.json) {
				printJson({ revision: index.revision, months: pushed });
				return;
			}
			const rows = pushed.map((p) => [
				p.month,
				p.files,
				formatBytes(p.bytes),
				formatBytes(p.sent),
				p.live_at,
			]);
			process.stdout.write(`${formatTable(["month", "files", "size", "sent", "live at"], rows)}\n`);
		});
}

export function pullCommand(): Command {
	return storeCommand(
		"pull",
		"download months from an object store, publish those that are live, and retire those it does not list",
	)
		.argument("[months...]", "months, YYYY-MM, and no others; by default all months of the store", monthNames)
		.requiredOption("--data <dir>", "data folder")
		.option("--mib-s <n>", "maximum rate in MiB/s; by default unlimited", rate)
		.action(async (months: string[], flags: DataFlags & { mibS?: number }) => {
			const store = openStore(flags.store, process.env);
			refuseFile(flags.data);
			const stored = await readStoredIndex(store);
			if (stored === null) throw new BuildError("not_published", `${store.url} holds no months`);
			makeFolder(flags.data);
			const pulled = await whileLocked(flags.data, () =>
				pullMonths(store, stored.index, {
					dataFolder: flags.data,
					months,
					bytesPerSecond: (flags.mibS ?? Number.POSITIVE_INFINITY) * (1 << 20),
					nowMs: Date.now,
				}),
			);
			if (flags.json) printJson(pulled);
			else process.stdout.write(pulledText(pulled));
		});
}

function pulledText({ months, retired }: PulledMonths): string {
	const states = { published: "published", present: "published already", announced: "live at " };
	const rows = months.map(({ month, rows, pulled_bytes, state, live_at }) => [
		...[month, rows, formatBytes(pulled_bytes)],
		`${states[state]}${state === "announced" ? live_at : ""}`,
	]);
	const table = `${formatTable(["month", "rows", "pulled", "state"], rows)}\n`;
	return retired.length === 0 ? table : `${table}retired: ${retired.join(", ")}\n`;
}

export function withdrawCommand(): Command {
	return storeCommand(
		"withdraw",
		"remove months from an object store's index for good, so that servers retire them",
	)
		.argument("<months...>", "months, YYYY-MM", monthNames)
		.action(async (months: string[], flags: StoreFlags) => {
			const store = openStore(flags.store, process.env);
			const index = await withdraw(store, months, Date.now);
			if (flags.json) printJson({ revision: index.revision, withdrawn: months });
			else process.stdout.write(`withdrawn: ${months.join(", ")}\n`);
		});
}

export function gcCommand(): Command {
	return storeCommand("gc", "remove objects that an object store's index does not refer to")
		.option(
			"--older-than <hours>",
			"minimum age of removed objects in hours; must exceed the duration of any push",
			hours,
			24,
		)
		.action(async (flags: StoreFlags & { olderThan: number }) => {
			const store = openStore(flags.store, process.env);
			const collected = await collectGarbage(store, flags.olderThan * 3_600_000, Date.now());
			if (flags.json) printJson(collected);
			else process.stdout.write(`removed ${collected.objects} objects, ${formatBytes(collected.bytes)}\n`);
		});
}

function rate(text: string): number {
	const number = Number(text);
	if (!(number > 0)) throw new InvalidArgumentError("expected a number above 0");
	return number;
}

function hours(text: string): number {
	const number = Number(text);
	if (!(number >= 0) || text.trim() === "") throw new InvalidArgumentError("expected hours, 0 or more");
	return number;
}
