/** The warm-up of a thread before it serves: what it asks, and that nothing of it is counted or outlives the server. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { buildMonth } from "../../builder/build-month.js";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { ApiError } from "../../server/api/errors.js";
import type { Services } from "../../server/api/operation.js";
import { QUESTION_KINDS, questionOf } from "../../server/warm-up/questions.js";
import { warmUp } from "../../server/warm-up/warm-up.js";
import { ServedFixture } from "../http/served.js";
import { prebuilt } from "../prebuilt.js";
import { ServerProcess } from "./server-process.js";

const MONTH = "2026-11";
/** Just enough to be warmed up. */
const ROWS = 66_000;

function warmedFolder(): Promise<string> {
	return prebuilt("warmed-month", async (folder) => {
		const drops = join(folder, "drops");
		mkdirSync(drops);
		await synthesize({ rows: ROWS, months: [MONTH], seed: 5, out: drops });
		await buildMonth({
			files: [join(drops, dropName(MONTH))],
			dataFolder: folder,
			month: MONTH,
			maps: [],
			dateFormat: null,
			accept: new Set([
				"rejects",
				"states",
				"total",
				"nulls",
				"vocabulary",
				"matches",
				"duplicates",
				"dates",
			]),
			dryRun: false,
			rowStore: true,
			threads: 2,
			now: () => new Date("2026-11-24T12:00:00Z"),
		});
	});
}

interface Line {
	readonly msg: string;
	readonly questions?: number;
	readonly ms?: number;
	readonly err?: { readonly message: string };
}

const linesOf = (logged: readonly string[]) => logged.map((line) => JSON.parse(line) as Line);

describe("warm-up", () => {
	let folder = "";
	let month: Snapshot;
	before(async () => {
		folder = await warmedFolder();
		const { latest } = openLibrary({ dataFolder: folder });
		assert.ok(latest !== null);
		month = latest;
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("its questions are those that clients may ask, and nearly all have answers", async () => {
		const served = await ServedFixture.start("uws", { data: folder, warm_up_ms: 0 });
		try {
			const key = await served.key();
			const kinds = new Set<string>();
			let lists = 0;
			let found = 0;
			for (let n = 0; n < 8 * QUESTION_KINDS; n++) {
				const { operation, query } = questionOf(month, n);
				const { pathParameter } = operation;
				const id = new URLSearchParams(query).get("id");
				const path =
					pathParameter === "id"
						? `${operation.endpoint.replace("{id}", id ?? "")}`
						: `${operation.endpoint}?${query}`;
				const { status, text } = await served.request(path, key);
				assert.equal(status, 200, `${path}: ${text}`);
				kinds.add(`${operation.endpoint} ${[...new URLSearchParams(query).keys()].join(" ")}`);
				if (!text.startsWith('{"data":[') || !text.includes('"pagination":{')) continue;
				lists++;
				if (JSON.parse(text).data.length > 0) found++;
			}
			assert.ok(kinds.size >= QUESTION_KINDS - 2, `${kinds.size} kinds`);
			assert.ok(found > 0.85 * lists, `${found} of ${lists} lists have rows`);
		} finally {
			await served.stop();
		}
	});

	test("ends with its time, in turns, and is not counted", async () => {
		const served = await ServedFixture.start("uws", { data: folder, warm_up_ms: 300, log_level: "info" });
		try {
			const [line, ...others] = linesOf(served.logged).filter(({ msg }) => msg === "warmed up");
			assert.deepEqual(others, []);
			assert.ok((line.questions ?? 0) > 2 * QUESTION_KINDS, JSON.stringify(line));
			assert.ok((line.ms ?? 0) >= 300, JSON.stringify(line));
			assert.deepEqual(served.metrics.work(), { answers: 0, seconds: 0, rows: 0 });
		} finally {
			await served.stop();
		}
	});

	test("none with 0, nor for a small month", async () => {
		for (const settings of [{ data: folder, warm_up_ms: 0 }, { warm_up_ms: 60_000 }]) {
			const served = await ServedFixture.start("uws", { ...settings, log_level: "info" });
			try {
				assert.deepEqual(
					linesOf(served.logged).filter(({ msg }) => msg.startsWith("warm")),
					[],
				);
			} finally {
				await served.stop();
			}
		}
	});

	test("a defect is logged and ends it; what a client could not ask does not", async () => {
		const answering = (error: Error) => {
			const logged: [string, unknown][] = [];
			const log = {
				info: (given: unknown, msg: string) => logged.push([msg, given]),
				error: (given: unknown, msg: string) => logged.push([msg, given]),
			};
			const services = {
				get loaded() {
					return {
						latest: month,
						snapshots: [month],
						find: () => {
							throw error;
						},
					};
				},
				get sink() {
					throw error;
				},
				get stats() {
					throw error;
				},
			} as unknown as Services;
			let now = 0;
			const options = { ms: 100, now: () => now++, isOver: () => false };
			return warmUp(services, log as never, options).then(() => logged);
		};
		const [[message, given], ...more] = await answering(new TypeError("planted"));
		assert.deepEqual(more, []);
		assert.equal(message, "warming up failed");
		assert.equal((given as { err: Error }).err.message, "planted");
		const refused = await answering(new ApiError("invalid_parameter", "planted"));
		assert.deepEqual(
			refused.map(([msg]) => msg),
			["warmed up"],
		);
	});

	test("ends when the thread is to end", async () => {
		const logged: unknown[] = [];
		const log = {
			info: (given: unknown) => logged.push(given),
			error: (given: unknown) => logged.push(given),
		};
		const services = { loaded: { latest: month } } as unknown as Services;
		await warmUp(services, log as never, { ms: Number.POSITIVE_INFINITY, now: () => 0, isOver: () => true });
		assert.deepEqual(logged, [{ questions: 0, ms: 0 }]);
	});

	test("a server that is stopped meanwhile opens no port", async () => {
		const served = await ServedFixture.start("uws", { data: folder, warm_up_ms: 0 });
		await served.stop();
		assert.deepEqual(await served.app.listen("127.0.0.1", 0), { port: 0 });
	});

	test("every thread warms up before the server listens", async (t) => {
		const server = await ServerProcess.start(t, folder, "--workers", "2", "--warm-up-ms", "200");
		const listening = server.lines.findIndex(({ msg }) => msg === "listening");
		const warmed = server.lines.slice(0, listening).filter(({ msg }) => msg === "warmed up");
		assert.equal(warmed.length, server.lines[listening].workers, JSON.stringify(server.lines));
	});
});
