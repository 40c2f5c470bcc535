/** The warm-up of a thread: what it asks, when it asks, rests and ends, and that nothing of it is counted. */

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { EngineError, type Snapshot } from "../../engine/index.js";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { ApiError } from "../../server/api/errors.js";
import type { Services } from "../../server/api/operation.js";
import { askerOf } from "../../server/warm-up/asker.js";
import { QUESTION_KINDS, questionOf } from "../../server/warm-up/questions.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { HandWarmUp, MONTH, openWarmedMonth, withSteps } from "./hand-warm-up.js";
import { ServerProcess } from "./server-process.js";

interface Line {
	readonly msg: string;
	readonly month?: string;
	readonly questions?: number;
}

/** Waits until `holds`, for at most ten seconds. */
async function until(holds: () => boolean): Promise<void> {
	for (let tries = 0; !holds(); tries++) {
		assert.ok(tries < 1_000, "it did not happen within ten seconds");
		await new Promise((waited) => setTimeout(waited, 10));
	}
}

const linesOf = (logged: readonly string[]) => logged.map((line) => JSON.parse(line) as Line);

describe("warm-up", () => {
	let folder = "";
	let month: Snapshot;
	before(async () => {
		({ folder, month } = await openWarmedMonth());
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("its questions are those that clients may ask, and nearly all have answers", async () => {
		const served = await ServedFixture.start(ANY_TRANSPORT, { data: folder, warm_up_ms: 0 });
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

	test("runs once for a month, for its time, and is not counted", async () => {
		const served = await ServedFixture.start(ANY_TRANSPORT, {
			data: folder,
			warm_up_ms: 300,
			log_level: "info",
		});
		try {
			const warmed = () => linesOf(served.logged).filter(({ msg }) => msg === "warmed up");
			await until(() => warmed().length > 0);
			assert.equal(warmed()[0].month, MONTH);
			assert.ok((warmed()[0].questions ?? 0) > 0, JSON.stringify(warmed()));
			assert.deepEqual(served.metrics.work(), { answers: 0, seconds: 0, rows: 0 });
			served.app.reload();
			await new Promise((waited) => setTimeout(waited, 400));
			assert.equal(warmed().length, 1);
			// Opened anew, it is another snapshot, whose files are not mapped yet.
			const published = join(folder, SNAPSHOTS_FOLDER, MONTH);
			renameSync(published, `${folder}-aside`);
			served.app.reload();
			assert.equal(served.app.library.latest, null);
			renameSync(`${folder}-aside`, published);
			served.app.reload();
			await until(() => warmed().length > 1);
			assert.equal(warmed().length, 2);
		} finally {
			await served.stop();
		}
	});

	test("none with 0, nor for a small month", async () => {
		for (const settings of [{ data: folder, warm_up_ms: 0 }, { warm_up_ms: 200 }]) {
			const served = await ServedFixture.start(ANY_TRANSPORT, { ...settings, log_level: "info" });
			try {
				await new Promise((waited) => setTimeout(waited, 400));
				assert.deepEqual(
					linesOf(served.logged).filter(({ msg }) => msg.startsWith("warm")),
					[],
				);
			} finally {
				await served.stop();
			}
		}
	});

	test("asks nothing while requests arrive, and gives up after ten times its work", async () => {
		const warmUp = new HandWarmUp(month);
		warmUp.eachTurn = () => {
			warmUp.arrivals.count++;
			warmUp.now += 5;
		};
		await warmUp.run({ ms: 100 });
		assert.equal(warmUp.asked, 0);
		assert.equal(warmUp.now >= 1_000, true);
		assert.deepEqual(warmUp.lines, []);
		assert.equal(warmUp.rested, 10);
	});

	test("rests after a request, and goes on when none follows", async () => {
		const warmUp = new HandWarmUp(month);
		let turns = 0;
		warmUp.eachTurn = () => {
			if (++turns === 3) warmUp.arrivals.count++;
			warmUp.now += 1;
		};
		await warmUp.run({ ms: 20 });
		assert.equal(warmUp.rested, 1);
		assert.equal(warmUp.asked, 20);
		assert.deepEqual(warmUp.lines, [["warmed up", { month: MONTH, questions: 20 }]]);
	});

	test("rests first where requests have arrived before, as at a swap under load", async () => {
		const warmUp = new HandWarmUp(month);
		warmUp.arrivals.count = 7;
		const askedBefore: number[] = [];
		warmUp.eachRest = () => askedBefore.push(warmUp.asked);
		await warmUp.run({ ms: 20 });
		assert.deepEqual([askedBefore, warmUp.asked], [[0], 20]);
	});

	test("ends when the thread is to end, and when another month is newer", async () => {
		for (const end of [
			(warmUp: HandWarmUp) => (warmUp.over = true),
			(warmUp: HandWarmUp) => (warmUp.loaded.latest = null),
		]) {
			const warmUp = new HandWarmUp(month);
			let turns = 0;
			warmUp.eachTurn = () => {
				if (++turns === 4) end(warmUp);
			};
			await warmUp.run({ ms: Number.POSITIVE_INFINITY });
			// In the second turn nothing was found to be precomputed.
			assert.equal(warmUp.asked, 2);
		}
	});

	test("goes on where it ended once the month is the newest again", async () => {
		const warmUp = new HandWarmUp(month);
		const { latest } = warmUp.loaded;
		const { run } = warmUp.open({ ms: 5 });
		let turns = 0;
		warmUp.eachTurn = () => {
			if (++turns === 4) warmUp.loaded.latest = null;
		};
		await run();
		assert.equal(warmUp.asked, 2);
		warmUp.loaded.latest = latest;
		await run();
		assert.equal(warmUp.asked, 5);
		await run();
		assert.equal(warmUp.asked, 5, "once");
	});

	test("precomputes for as long as questions take, each step in a turn of its own", async () => {
		const done: string[] = [];
		const warmUp = withSteps(month, [2, 0.5, 0.5, 0], done);
		let asked = 0;
		warmUp.eachTurn = () => {
			done.push(warmUp.asked > asked ? "question, turn" : "turn");
			asked = warmUp.asked;
		};
		await warmUp.run({ ms: 5 });
		const each = (...happened: string[]) => happened.flatMap((what) => [what, "turn"]);
		assert.deepEqual(done, [
			"turn",
			// A question takes a millisecond, and the first step two.
			...["question, turn", "step", "turn", "question, turn", "question, turn"],
			...each("step", "step"),
			...["question, turn", "step", "turn"],
			// That all is done takes a turn to see, and the last question the time that is left.
			"turn",
		]);
		assert.equal(warmUp.asked, 5);
	});

	test("precomputes until all is done, though the time of questions is over; after ten times that in slices, whether requests arrive or not", async () => {
		const done: string[] = [];
		const warmUp = withSteps(month, [3, 3, 2], done);
		await warmUp.run({ ms: 1 });
		assert.deepEqual([warmUp.asked, warmUp.rested, done.length], [1, 0, 3]);
		const busy = withSteps(month, [3, 0.4, 0.4, 0.4, 0.4, 2, 0], done);
		busy.eachTurn = () => busy.arrivals.count++;
		await busy.run({ ms: 100 });
		// Ten rests make the time up; three slices follow, and a rest after each but the last.
		assert.deepEqual([busy.asked, busy.rested, done.length - 3], [0, 10 + 3, 7]);
		const ended = withSteps(month, [3, 3], done);
		ended.eachTurn = () => ended.arrivals.count++;
		ended.eachRest = () => {
			ended.over = ended.now > 1_000;
		};
		await ended.run({ ms: 100 });
		assert.equal(done.length - 10, 1, "none once the thread is to end");
	});

	test("a defect is logged and ends it", async () => {
		const warmUp = new HandWarmUp(month);
		warmUp.fault = new TypeError("planted");
		await warmUp.run({ ms: 10 });
		assert.deepEqual(warmUp.lines, [["warming up failed", { month: MONTH, err: warmUp.fault }]]);
	});

	test("what a client could not ask is passed over, a defect is not", () => {
		const withFault = (fault: Error) => {
			const services = {
				loaded: {
					latest: month,
					find: () => {
						throw fault;
					},
				},
				get sink() {
					throw fault;
				},
			} as unknown as Services;
			return askerOf(services, () => 0).about;
		};
		for (let n = 0; n < QUESTION_KINDS; n++) {
			withFault(new ApiError("invalid_parameter", "planted"))(month, 0);
			withFault(new EngineError("no_name_index", "planted"))(month, 0);
		}
		assert.throws(() => withFault(new TypeError("planted"))(month, 0), /planted/);
	});

	test("every thread warms up", async (t) => {
		const server = await ServerProcess.start(t, folder, "--workers", "2", "--warm-up-ms", "200");
		const warmed = () => server.lines.filter(({ msg }) => msg === "warmed up").length;
		const workers = Number(server.lines.find(({ msg }) => msg === "listening")?.workers);
		await until(() => warmed() === workers);
	});
});
