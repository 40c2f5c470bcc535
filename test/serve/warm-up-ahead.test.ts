/** The warm-up of a month that is to become the newest: in slices, for a time, about a month that is not served yet. */

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { ByteSink, type Snapshot } from "../../engine/index.js";
import { publications, SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { Arrivals } from "../../server/api/bulk/arrivals.js";
import { Cursors } from "../../server/api/bulk/cursor.js";
import { JsonCache } from "../../server/api/caches/json-cache.js";
import { StatsCache } from "../../server/api/caches/stats-cache.js";
import type { Services } from "../../server/api/operation.js";
import { askerOf } from "../../server/warm-up/asker.js";
import { QUESTION_KINDS } from "../../server/warm-up/questions.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { HandWarmUp, MONTH, openWarmedMonth, withSteps } from "./hand-warm-up.js";

describe("warm-up ahead", () => {
	let folder = "";
	let month: Snapshot;
	before(async () => {
		({ folder, month } = await openWarmedMonth());
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("a month that is to become the newest is warmed up in slices, though requests arrive; what was left is done once it is", async () => {
		const done: string[] = [];
		const warmUp = withSteps(month, [2, 0.5, 0.5, 0], done);
		const next = warmUp.loaded.latest as Snapshot;
		warmUp.loaded.latest = null;
		const { ahead, run } = warmUp.open({ ms: 5 });
		const slices = ahead(next, 5);
		let count = 0;
		while (slices.next().done !== true) count++;
		// A question takes a millisecond, and the step two.
		assert.deepEqual([count, warmUp.asked, done.length, warmUp.now], [4, 3, 1, 5]);
		warmUp.loaded.latest = next;
		await run();
		assert.equal(done.filter((what) => what === "step").length, 4);
		assert.equal(warmUp.asked, 5, "no question twice");
	});

	test("ahead of it each kind is asked about three rows, unless the month is small or there is no warm-up", () => {
		const asked = (of: Snapshot, ms: number) => {
			const warmUp = new HandWarmUp(of);
			const slices = warmUp.open({ ms }).ahead(warmUp.loaded.latest as Snapshot, 1_000);
			let count = 0;
			while (slices.next().done !== true) count++;
			assert.ok(count <= warmUp.asked);
			return warmUp.asked;
		};
		assert.equal(asked(month, 100), 3 * QUESTION_KINDS);
		assert.equal(asked(month, 0), 0);
		assert.equal(asked(Object.create(month, { rows: { value: 65_535 } }), 100), 0);
	});

	test("a defect ahead is logged, and the month becomes the newest", () => {
		const warmUp = new HandWarmUp(month);
		warmUp.fault = new TypeError("planted");
		assert.deepEqual([...warmUp.open({ ms: 10 }).ahead(warmUp.loaded.latest as Snapshot, 10)], []);
		assert.deepEqual(warmUp.lines, [["warming up failed", { month: MONTH, err: warmUp.fault }]]);
	});

	test("a month that is not served yet answers as the only one", () => {
		const other = Object.create(month, { month: { value: "2026-10" } }) as Snapshot;
		const seen: number[] = [];
		const services = {
			loaded: {
				latest: other,
				find: () => assert.fail("it asks the months that are served"),
			},
			builtAt: () => null,
			works: { result: (find: () => unknown) => find() },
			arrivals: new Arrivals(),
			jsonCache: new JsonCache(),
			cursors: new Cursors(() => Buffer.alloc(32)),
			stats: new StatsCache(),
			sink: new ByteSink(1 << 20),
		} as unknown as Services;
		const seeing = Object.create(month, {
			renderList: {
				value: (...given: Parameters<Snapshot["renderList"]>) => {
					seen.push(given[0].rows.length);
					month.renderList(...given);
				},
			},
		}) as Snapshot;
		const ask = askerOf(services, () => 0);
		for (let n = 0; n < QUESTION_KINDS; n++) ask(seeing, n);
		assert.ok(seen.length > QUESTION_KINDS / 2, `${seen.length} pages`);
		// But for one kind of question, which has a limit of its own.
		assert.ok(seen.filter((rows) => rows > 5).length <= 1, `pages of ${seen.join(", ")} rows`);
	});

	test("a server does so before it serves a month, unless hosts change together", async () => {
		const published = join(folder, SNAPSHOTS_FOLDER, MONTH);
		const aside = `${folder}-aside`;
		for (const months_from of ["", "s3://bucket/months"]) {
			renameSync(published, aside);
			const served = await ServedFixture.start(ANY_TRANSPORT, {
				data: folder,
				warm_up_ms: 1,
				log_level: "info",
				months_from,
			});
			try {
				renameSync(aside, published);
				await served.reload();
				assert.equal(served.app.library.latest?.month, MONTH);
				const warmed = () => served.logged.find((line) => line.includes('"warmed up"'));
				while (warmed() === undefined) await delay(10);
				const { questions } = JSON.parse(warmed() ?? "") as { questions: number };
				// In a millisecond, while the server is idle, it asks a few.
				assert.equal(questions > QUESTION_KINDS, months_from === "", `${questions} questions`);
			} finally {
				await served.stop();
			}
		}
	});

	test("a month that is quarantined meanwhile is not prepared further", async () => {
		const published = join(folder, SNAPSHOTS_FOLDER, MONTH);
		const aside = `${folder}-aside`;
		renameSync(published, aside);
		const served = await ServedFixture.start(ANY_TRANSPORT, { data: folder });
		try {
			renameSync(aside, published);
			served.scheduler.tick();
			assert.ok(served.app.isPreparing);
			const stamp = publications(folder).get(MONTH) as string;
			served.app.quarantine([{ month: MONTH, stamp, code: "truncated", path: published, message: "" }]);
			let turns = 0;
			for (; served.app.isPreparing; turns++) await nextTurn();
			assert.ok(turns < 10, `${turns} turns`);
			assert.equal(served.app.library.latest, null);
		} finally {
			await served.stop();
		}
	});
});
