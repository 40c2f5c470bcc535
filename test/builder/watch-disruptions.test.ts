/** Watchers that run for months: full disks, clocks that are set, senders' clocks, slow receivers, and their end. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, closeSync, existsSync, openSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { BuildOptions } from "../../builder/build/build-options.js";
import { Journal, type JournalEvent } from "../../builder/watch/journal.js";
import { Notices } from "../../builder/watch/notices.js";
import { readRules } from "../../builder/watch/rules.js";
import { Watcher, type WatcherOptions } from "../../builder/watch/watcher.js";
import type { Notice, WebhookSender } from "../../builder/watch/webhook.js";
import { fillUp, smallDisk } from "../small-disk.js";
import {
	BUILDER,
	type BuilderFolder,
	builderFolder,
	csv,
	published,
	runBuilder,
	stateRows,
} from "./builder-process.js";
import { BUILT } from "./built-month.js";

interface Rig {
	readonly clock: { ms: number };
	readonly builds: string[];
	readonly remarks: string[];
	readonly watcher: Watcher;
}

/** A watcher with a clock of its own, whose builds only note what they would build. */
function rigOf(builder: BuilderFolder, rule: object, options: Partial<WatcherOptions> = {}): Rig {
	const rules = builder.write("rules.json", JSON.stringify({ rules: [rule], restSeconds: 60 }));
	const clock = { ms: Date.now() + 1000 };
	const now = () => new Date(clock.ms);
	const builds: string[] = [];
	const remarks: string[] = [];
	const watcher = new Watcher({
		folder: join(builder.folder, "in"),
		dataFolder: builder.data,
		rules: readRules(rules),
		journal: new Journal(builder.data, now),
		...{
			threads: null,
			rowStore: false,
			now,
			onEvent: () => undefined,
			signal: new AbortController().signal,
		},
		sendNotices: async () => undefined,
		onRemark: (remark) => remarks.push(remark),
		build: async ({ month }: BuildOptions) => {
			builds.push(String(month));
			return BUILT;
		},
		...options,
	});
	return { clock, builds, remarks, watcher };
}

/** A journal on a disk that can be full. */
class JournalOfDisk extends Journal {
	isFull = false;

	override append(...event: Parameters<Journal["append"]>): JournalEvent {
		if (this.isFull) throw Object.assign(new Error("full"), { code: "ENOSPC", syscall: "write" });
		return super.append(...event);
	}
}

test("a drop whose time is in the future is complete once it has rested", async (t) => {
	const builder = builderFolder(t);
	const path = builder.write("in/a-2026-10.csv", "rows");
	const { clock, builds, watcher } = rigOf(builder, { match: "*" });
	const years = clock.ms / 1000 + 100_000_000;
	utimesSync(path, years, years);
	assert.equal(await watcher.look(), true);
	clock.ms += 59_000;
	assert.equal(await watcher.look(), true);
	clock.ms += 2_000;
	assert.equal(await watcher.look(), false);
	assert.deepEqual(builds, ["2026-10"]);
});

test("a clock that is set back by a year delays a drop by its rest alone", async (t) => {
	const builder = builderFolder(t);
	const path = builder.write("in/a-2026-10.csv", "rows");
	utimesSync(path, 1_500_000_000, 1_500_000_000);
	const { clock, builds, watcher } = rigOf(builder, { match: "*" });
	assert.equal(await watcher.look(), true);
	clock.ms -= 365 * 86_400_000;
	assert.equal(await watcher.look(), true);
	clock.ms += 61_000;
	assert.equal(await watcher.look(), false);
	assert.deepEqual(builds, ["2026-10"]);
});

test("a watcher that is told to stop completes the current build and begins no other", async (t) => {
	const builder = builderFolder(t);
	for (const month of ["2026-09", "2026-10", "2026-11"]) builder.write(`in/a-${month}.csv`, "rows");
	const stop = new AbortController();
	const builds: string[] = [];
	const { watcher } = rigOf(
		builder,
		{ match: "*", complete: "rename" },
		{
			signal: stop.signal,
			build: async ({ month }) => {
				builds.push(String(month));
				stop.abort();
				return BUILT;
			},
		},
	);
	assert.equal(await watcher.look(), true);
	assert.deepEqual(builds, ["2026-09"]);
});

test("a journal that cannot be written is retried, and each time that the disk is full is told once", async (t) => {
	const builder = builderFolder(t);
	const journal = new JournalOfDisk(builder.data, () => new Date());
	const { remarks, builds, watcher } = rigOf(builder, { match: "*", complete: "rename" }, { journal });
	for (const month of ["2026-09", "2026-10"]) {
		builder.write(`in/a-${month}.csv`, "rows");
		journal.isFull = true;
		assert.equal(await watcher.look(), true);
		assert.equal(await watcher.look(), true);
		journal.isFull = false;
		assert.equal(await watcher.look(), false);
	}
	assert.deepEqual(builds, ["2026-09", "2026-10"]);
	assert.deepEqual(remarks, ["no space left on the disk", "no space left on the disk"]);
});

test("on a disk that is full to the last byte a watcher goes on, and enters whole lines alone", async (t) => {
	const builder = builderFolder(t);
	const disk = smallDisk(t);
	if (disk === null) return t.skip("this process may not mount a small disk");
	const data = join(disk, "data");
	const rule = { match: "*", publish: "now", complete: "rename", accept: ["churn"] };
	const rules = builder.write("rules.json", JSON.stringify({ rules: [rule], pollSeconds: 0.05 }));
	builder.write("in/a-2026-10.csv", csv(stateRows("CA", 12)));
	const watch = ["watch", join(builder.folder, "in"), "--rules", rules, "--once", "--data", data];
	assert.equal((await runBuilder(watch)).code, 0);
	// The last page of the journal has room for part of a line.
	const journal = new Journal(data, () => new Date());
	const path = join(data, "watch", "journal.ndjson");
	appendFileSync(path, `${"x".repeat(4096 - 40 - statSync(path).size - 1)}\n`);
	fillUp(join(disk, "filler"));
	const entries = journal.read().length;
	assert.throws(() => journal.append({ event: "building", drop: "b" }), { code: "ENOSPC" });
	assert.equal(journal.read().length, entries);
	builder.write("in/b-2026-11.csv", csv(stateRows("CA", 13)));
	const running = runBuilder(watch);
	setTimeout(() => rmSync(join(disk, "filler")), 2_000);
	const { code, stderr } = await running;
	assert.equal(code, 0, stderr);
	assert.match(stderr, /no space left on the disk/);
	assert.deepEqual(published(data), ["2026-10", "2026-11"]);
	const ends = journal.read().map(({ seq, event, month }) => `${seq} ${event} ${month}`);
	assert.deepEqual(ends, [
		...["1 building 2026-10", "2 published 2026-10", "3 building 2026-11", "4 published 2026-11"],
	]);
});

/** A receiver of notices: `answer` decides about each. */
function senderOf(answer: (notice: Notice) => string | null): { sent: string[]; sender: WebhookSender } {
	const sent: string[] = [];
	const send = async (notice: Notice) => {
		sent.push(notice.id);
		return answer(notice);
	};
	return { sent, sender: { send } as unknown as WebhookSender };
}

function journalOf(t: TestContext, months: readonly string[]): JournalOfDisk {
	const journal = new JournalOfDisk(builderFolder(t).data, () => new Date());
	for (const month of months) journal.append({ event: "released", month });
	return journal;
}

const ON = new AbortController().signal;

test("a notice that was accepted while the disk was full is not sent again by this process", async (t) => {
	const journal = journalOf(t, ["2026-10"]);
	const { sent, sender } = senderOf(() => {
		journal.isFull = true;
		return null;
	});
	const notices = new Notices(journal, sender, () => new Date());
	await assert.rejects(notices.sendDue(ON), { code: "ENOSPC" });
	await assert.rejects(notices.sendDue(ON), { code: "ENOSPC" });
	journal.isFull = false;
	await notices.sendDue(ON);
	assert.equal(sent.length, 1);
	assert.deepEqual(
		journal.read().map(({ event }) => event),
		["released", "delivered"],
	);
});

test("a clock that is set back does not delay a notice", async (t) => {
	const journal = journalOf(t, ["2026-10"]);
	const clock = { ms: Date.now() };
	const { sent, sender } = senderOf(() => (sent.length === 1 ? "the receiver answered 500" : null));
	const notices = new Notices(journal, sender, () => new Date(clock.ms));
	await notices.sendDue(ON);
	await notices.sendDue(ON);
	assert.equal(sent.length, 1, "not due yet");
	clock.ms -= 365 * 86_400_000;
	await notices.sendDue(ON);
	assert.equal(sent.length, 2);
});

test("a receiver that hangs keeps drops waiting for one notice alone, and a watcher's end for none", async (t) => {
	const journal = journalOf(t, ["2026-09", "2026-10", "2026-11"]);
	const stop = new AbortController();
	let passedMs = 0;
	t.mock.method(performance, "now", () => passedMs);
	const { sent, sender } = senderOf(() => {
		passedMs += 10_001;
		return "the receiver did not answer";
	});
	const notices = new Notices(journal, sender, () => new Date());
	await notices.sendDue(stop.signal);
	assert.equal(sent.length, 1);
	await notices.sendDue(stop.signal);
	assert.equal(new Set(sent).size, 2, "the next one follows at the next scan");
	stop.abort();
	await notices.sendDue(stop.signal);
	assert.equal(sent.length, 2);
});

test("a notice is sent eight times within nine hours and then given up, which the journal says", async (t) => {
	const journal = journalOf(t, ["2026-10"]);
	const clock = { ms: Date.now() };
	const begunMs = clock.ms;
	const { sent, sender } = senderOf(() => "the receiver answered 500");
	const notices = new Notices(journal, sender, () => new Date(clock.ms));
	const sentAfterS: number[] = [];
	for (; clock.ms - begunMs < 86_400_000; clock.ms += 5_000) {
		const before = sent.length;
		await notices.sendDue(ON);
		if (sent.length > before) sentAfterS.push((clock.ms - begunMs) / 1_000);
	}
	assert.deepEqual(sentAfterS, [0, 5, 35, 155, 755, 2_555, 9_755, 31_355]);
	assert.equal(new Set(sent).size, 1, "a receiver recognises repetitions");
	assert.deepEqual(
		journal.read().map(({ event, of, message }) => [event, of, message]),
		[
			["released", null, ""],
			["undelivered", 1, "the receiver answered 500"],
		],
	);
});

test("a watcher goes on whose output is on a full disk", { skip: !existsSync("/dev/full") }, async (t) => {
	const builder = builderFolder(t);
	builder.write("in/notes.txt", "no rule is for this, as stderr would say");
	builder.write("in/a-2026-09.csv", csv(stateRows("CA", 20)));
	const rule = { match: "*.csv", publish: "now", complete: "rename" };
	const rules = builder.write("rules.json", JSON.stringify({ rules: [rule], pollSeconds: 1 }));
	const full = openSync("/dev/full", "w");
	const args = [BUILDER, "watch", join(builder.folder, "in"), "--data", builder.data, "--rules", rules];
	const child = spawn(process.execPath, args, { stdio: ["ignore", full, full] });
	closeSync(full);
	t.after(() => child.kill("SIGKILL"));
	const ended = once(child, "exit");
	while (published(builder.data).length === 0) {
		assert.equal(child.exitCode, null);
		await sleep(50);
	}
	child.kill("SIGTERM");
	assert.equal((await ended)[0], 0);
});
