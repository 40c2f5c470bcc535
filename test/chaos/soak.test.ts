/** The soak, small: it runs whole and loses nothing, and its judges see what they are there to see. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { crc32, gzipSync } from "node:zlib";
import { SEED, tellSeed } from "../oracle/seeded.js";
import type { Received } from "./soak/connection.js";
import { type Allowed, judge } from "./soak/judge.js";
import { growthOf, type MemorySample } from "./soak/memory-growth.js";
import { type Expected, type Question, withoutBuildTimes } from "./soak/oracle.js";
import { runSoak } from "./soak/soak.js";
import { soakSummary, writeSoakReport } from "./soak/soak-report.js";
import { Acknowledged, Latencies } from "./soak/tally.js";

test("checked load loses nothing while months, keys and processes come and go", {
	skip: process.platform === "linux" ? false : "reads /proc",
}, async (t) => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-soak-"));
	t.after(() => rmSync(work, { recursive: true, force: true }));
	tellSeed(t, 1);
	const report = await runSoak({
		minutes: 0.2,
		rows: 1_000,
		// Other tests run beside it.
		share: 0.08,
		workers: 2,
		connections: 16,
		seed: SEED % 1_000_000,
		work,
		report: join(work, "report"),
		measureSeconds: 0.3,
		stock: 128,
		freshPerSecond: 10,
		stopped: new AbortController().signal,
		told: () => undefined,
	});
	t.diagnostic(soakSummary(report));
	assert.deepEqual(
		report.checks.filter((check) => !check.held),
		[],
		report.faults.join("\n"),
	);
	assert.equal(report.events.length, 9);
	// It has asked in earnest. How many answers there are depends on the machine.
	assert.ok((report.totals?.answered ?? 0) > 100);
	writeSoakReport(join(work, "report"), report);
	assert.match(readFileSync(join(work, "report.html"), "utf8"), /<polyline/);
	assert.equal(JSON.parse(readFileSync(join(work, "report.json"), "utf8")).whole, true);
});

const CALM: Allowed = { worlds: 1, cuts: false, sheds: false, paused: "active" };

function expectedOf(body: string, changes: Partial<Expected> = {}): Expected {
	return { status: 200, crc: crc32(body), bytes: body.length, tag: 'W/"1"', headers: "", ...changes };
}

function questionOf(answers: Expected[], changes: Partial<Question["ask"]> = {}): Question {
	const ask = { key: "open", path: "/v1/licenses", body: null, gzip: false, conditional: false } as const;
	return { ask: { ...ask, judged: "exact", ...changes }, ifNoneMatch: null, answers };
}

function received(status: number, body: string | Buffer, headers = 'ETag: W/"1"\r\n'): Received {
	return {
		status,
		head: `HTTP/1.1 ${status} X\r\nX-Request-Id: a\r\n${headers}`,
		body: [Buffer.from(body)],
	};
}

test("the judge takes the right answer, compressed or not, and sees every way an answer is wrong", () => {
	const question = questionOf([expectedOf("right"), expectedOf("after", { tag: 'W/"2"' })]);
	const kind = (answer: Received, allowed: Allowed = CALM, q: Question = question) =>
		judge(q, answer, allowed).kind;
	assert.equal(kind(received(200, "right")), "right");
	assert.equal(kind(received(200, gzipSync("right"), 'Content-Encoding: gzip\r\nETag: W/"1"\r\n')), "right");
	assert.equal(kind(received(200, "wrong")), "wrong", "other bytes of the same length");
	assert.equal(kind(received(200, "right!")), "wrong");
	assert.equal(kind(received(404, "right")), "wrong");
	assert.equal(kind(received(200, "right", 'ETag: W/"9"\r\n')), "wrong");
	assert.equal(kind(received(500, "right")), "wrong");
	const after = received(200, "after", 'ETag: W/"2"\r\n');
	assert.equal(kind(after), "wrong", "a month that is not published yet");
	assert.equal(kind(after, { ...CALM, worlds: 3 }), "right");
	assert.equal(kind(received(200, "right"), { ...CALM, worlds: 2 }), "wrong", "a month that is gone");
	assert.equal(kind(received(503, "", "Retry-After: 1\r\n")), "shed");
	assert.equal(kind(received(503, "")), "wrong");
	const counted = questionOf([expectedOf("right", { headers: "\r\nX-Total-Count: 7" })]);
	assert.equal(kind(received(200, "right"), CALM, counted), "wrong");
	const paused = questionOf([expectedOf("right")], { key: "paused" });
	const refusal = received(401, '{"error":{"code":"key_suspended"}}');
	assert.equal(kind(refusal, CALM, paused), "wrong");
	assert.equal(kind(refusal, { ...CALM, paused: "suspended" }, paused), "right");
	assert.equal(kind(received(200, "right"), { ...CALM, paused: "suspended" }, paused), "wrong");
	assert.equal(kind(received(200, "right"), { ...CALM, paused: "either" }, paused), "right");
});

test("only the times months were built at are left out of a listing", () => {
	const text = '[{"rows":1,"built_at":"2026-11-21T00:00:00.000Z"},{"built_at":null}]';
	assert.equal(withoutBuildTimes(text), '[{"rows":1,"built_at":null},{"built_at":null}]');
	assert.equal(withoutBuildTimes(JSON.stringify(text)), JSON.stringify(withoutBuildTimes(text)));
});

function samplesOf(mib: (atS: number) => number): MemorySample[] {
	return Array.from({ length: 1_800 }, (_, atS) => ({
		atS,
		residentMib: 0,
		anonymousMib: mib(atS),
		life: 1,
	}));
}

test("steady growth of memory is detected; fluctuation does not count as growth", () => {
	const noise = (atS: number) => 40 * Math.abs(Math.sin(atS * 1.7));
	const [flat] = growthOf(samplesOf((atS) => 200 + noise(atS) + (atS < 100 ? atS : 100)));
	assert.equal(flat.grows, false);
	const [leak] = growthOf(samplesOf((atS) => 200 + noise(atS) + atS / 20));
	assert.equal(leak.grows, true);
	assert.ok(Math.abs(leak.mibPerHour - 180) < 20, String(leak.mibPerHour));
	assert.deepEqual(growthOf(samplesOf(() => 1).slice(0, 60)), [], "too short to judge");
});

test("quantiles are at most 5 % too high, and what came before a kill is losable", () => {
	const latencies = new Latencies();
	for (let ms = 1; ms <= 1_000; ms++) latencies.add(ms);
	for (const [share, exact] of [
		[0.5, 500],
		[0.99, 990],
	]) {
		const told = latencies.quantile(share);
		assert.ok(told >= exact && told <= exact * 1.05, `${told} for ${exact}`);
	}
	const acknowledged = new Acknowledged();
	for (let ms = 0; ms < 1_000; ms += 10) acknowledged.add(1_000_000 + ms);
	acknowledged.killed(1_000_800);
	assert.equal(acknowledged.losable, 20);
});
