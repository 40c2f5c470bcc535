/** When a host is ready by its months and its threads: the schedule alone, over months that are said to be here. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { LATE_MS } from "../../server/months/deadlines.js";
import { MonthSchedule } from "../../server/months/month-schedule.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";

const START_MS = Date.parse("2026-12-05T00:00:00Z");
const MONTH = "2026-11";

/** A host whose months are what the test says, in two threads that serve. */
class Host {
	readonly publications = OpenedPublications.allocate(2);
	downloaded = "";
	published = "";
	private number = 0;
	readonly schedule = new MonthSchedule(this, 0, null, START_MS);
	private revision = 0;

	constructor() {
		this.reload(0);
		this.reload(1);
	}

	/** Reads an index with the version of the month. */
	read(manifest: string, liveAtMs: number, nowMs: number): void {
		const months = { [MONTH]: { manifest, live_at: liveAtMs } };
		this.schedule.follow({ format: 1, revision: ++this.revision, months }, nowMs);
	}

	/** Downloads the version that the index has. */
	download(nowMs: number): void {
		const [wanted] = this.schedule.wanted(nowMs);
		this.downloaded = wanted.manifest;
		this.schedule.downloaded(wanted, nowMs);
	}

	publish(): void {
		this.published = this.downloaded;
		this.downloaded = "";
		this.number = this.publications.publish();
	}

	reload(thread: number): void {
		this.publications.opened(thread, this.publications.newest);
	}

	isDownloaded(_: string, manifest: string): boolean {
		return this.downloaded === manifest;
	}

	isPublished(_: string, manifest: string): boolean {
		return this.published === manifest;
	}

	isServed(): boolean {
		return this.publications.isServed(this.number);
	}

	isReady(nowMs: number): boolean {
		return this.schedule.notReady(nowMs) === null;
	}
}

/** A host in service with the first version of the month. */
function inService(): Host {
	const host = new Host();
	host.read("first", START_MS, START_MS);
	host.download(START_MS);
	host.publish();
	host.reload(0);
	host.reload(1);
	host.schedule.checked(START_MS + 100);
	assert.ok(host.isReady(START_MS + 100));
	return host;
}

test("a host in service stays ready while its threads open a month that goes live on time, until it is late", () => {
	const host = inService();
	const liveAtMs = START_MS + 10_000;
	host.read("second", liveAtMs, START_MS + 200);
	host.schedule.checked(liveAtMs - 100);
	host.download(liveAtMs - 100);
	assert.ok(host.isReady(liveAtMs - 100));
	host.publish();
	assert.ok(host.isReady(liveAtMs + 1));
	host.reload(0);
	assert.ok(host.isReady(liveAtMs + LATE_MS));
	assert.match(host.schedule.notReady(liveAtMs + LATE_MS + 1) ?? "", /not open in every thread/);
	host.reload(1);
	assert.ok(host.isReady(liveAtMs + LATE_MS + 1));
});

test("a host in service has as long for a month that is announced as live at once", () => {
	const host = inService();
	const liveAtMs = START_MS + 200;
	host.read("second", liveAtMs, START_MS + 200);
	host.download(liveAtMs);
	host.publish();
	assert.ok(host.isReady(liveAtMs + LATE_MS));
	assert.ok(!host.isReady(liveAtMs + LATE_MS + 1));
});

test("a host that begins again is not ready until every thread has opened what went live meanwhile", () => {
	const host = inService();
	host.schedule.awaitReading();
	const nowMs = START_MS + 500;
	host.read("second", nowMs - 100, nowMs);
	host.schedule.readingEnded();
	assert.match(host.schedule.notReady(nowMs) ?? "", /not here/);
	host.download(nowMs);
	assert.ok(!host.isReady(nowMs));
	host.publish();
	assert.match(host.schedule.notReady(nowMs) ?? "", /not open in every thread/);
	host.reload(0);
	assert.ok(!host.isReady(nowMs));
	host.reload(1);
	assert.ok(host.isReady(nowMs));
});

test("a thread that has ended serves nothing, and its replacement opens all months before it serves", () => {
	const host = inService();
	host.downloaded = "second";
	host.publish();
	host.reload(0);
	assert.ok(!host.isServed());
	host.publications.ended(1);
	assert.ok(host.isServed());
	host.publications.opened(1, host.publications.newest);
	assert.ok(host.isServed());
	assert.throws(() => host.publications.opened(2, 1), /is one of those allocated for/);
});

test("a host stays ready while it downloads an older month that it keeps since a newer one was retired", () => {
	const here = new Set(["2026-11", "2026-10"]);
	const months = {
		isDownloaded: () => false,
		isPublished: (month: string) => here.has(month),
		isServed: () => true,
	};
	const index = (revision: number, ...listed: string[]) => ({
		format: 1 as const,
		revision,
		months: Object.fromEntries(
			listed.map((month) => [month, { manifest: `of ${month}`, live_at: START_MS }]),
		),
	});
	const nowMs = START_MS + 86_400_000;
	const schedule = new MonthSchedule(months, 2, index(1, "2026-11", "2026-10", "2026-09"), nowMs);
	schedule.checked(nowMs);
	assert.equal(schedule.notReady(nowMs), null);
	schedule.follow(index(2, "2026-10", "2026-09"), nowMs + 100);
	schedule.checked(nowMs + 60_000);
	assert.deepEqual(
		schedule.lacking(nowMs + 60_000).map(({ month }) => month),
		["2026-09"],
	);
	assert.equal(schedule.notReady(nowMs + 60_000), null);
	// One that was not listed before is no such month.
	schedule.follow(index(3, "2026-10", "2026-08"), nowMs + 60_100);
	assert.match(schedule.notReady(nowMs + 60_100) ?? "", /2026-08 is live and is not here yet/);
	// Nor is it for a host that starts without it.
	const started = new MonthSchedule(months, 2, index(2, "2026-10", "2026-09"), nowMs);
	started.checked(nowMs);
	assert.match(started.notReady(nowMs) ?? "", /2026-09 is live and is not here yet/);
});

test("an older month than those kept is retained until all of those are published", () => {
	const published = new Set(["2026-10"]);
	const here = {
		isDownloaded: () => false,
		isPublished: (month: string) => published.has(month),
		isServed: () => true,
	};
	const live = (manifest: string) => ({ manifest, live_at: START_MS });
	const months = { "2026-10": live("a"), [MONTH]: live("b") };
	const schedule = new MonthSchedule(here, 1, { format: 1, revision: 1, months }, START_MS);
	const retained = () => schedule.retained(START_MS).map(({ month }) => month);
	assert.deepEqual(retained(), [MONTH, "2026-10"]);
	published.add(MONTH);
	assert.deepEqual(retained(), [MONTH]);
});

test("until a replacement is live, the revision that it replaces must be served, unless that is out of service", () => {
	let published = "";
	const here = {
		isDownloaded: () => false,
		isPublished: (_: string, manifest: string) => published === manifest,
		isServed: () => true,
	};
	const liveAtMs = START_MS + 60_000;
	const index = {
		format: 1 as const,
		revision: 1,
		months: { [MONTH]: { manifest: "second", live_at: liveAtMs } },
		retired: { [MONTH]: "first" },
	};
	const schedule = new MonthSchedule(here, 1, null, START_MS);
	schedule.follow(index, START_MS);
	const wanted = (nowMs: number) => schedule.wanted(nowMs).map(({ manifest }) => manifest);
	assert.deepEqual(wanted(START_MS), ["first", "second"]);
	assert.match(schedule.notReady(START_MS) ?? "", /2026-11 is live and is not here yet/);
	published = "first";
	assert.equal(schedule.notReady(START_MS), null);
	assert.deepEqual(wanted(liveAtMs), ["second"]);
	published = "second";
	assert.deepEqual(wanted(liveAtMs - 100), ["second"], "the clock is set back");
	published = "";
	schedule.follow({ ...index, revision: 2, unserved: [MONTH] }, START_MS);
	assert.deepEqual(wanted(START_MS), ["second"]);
	assert.equal(schedule.notReady(START_MS), null);
});
