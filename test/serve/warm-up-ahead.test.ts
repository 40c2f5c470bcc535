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
import { aggregateOperation } from "../../server/api/endpoints/aggregate.js";
import { changesOperation } from "../../server/api/endpoints/changes.js";
import { type LicensesRequest, licensesOperation } from "../../server/api/endpoints/licenses.js";
import { meOperation } from "../../server/api/endpoints/me.js";
import { statsOperation } from "../../server/api/endpoints/stats.js";
import type { AnsweredCall, Services } from "../../server/api/operation.js";
import type { AnyOperation } from "../../server/api/operation-table.js";
import { decodeQuery } from "../../server/api/parameters/request-query.js";
import { RecentCalls } from "../../server/api/recent-calls.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { Grant } from "../../server/api/scope/grant.js";
import { answerOf } from "../../server/mcp/tool.js";
import { askerOf } from "../../server/warm-up/asker.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callsOf, HandWarmUp, MONTH, openWarmedMonth, withSteps } from "./hand-warm-up.js";

const GRANTED = { geography: null, columns: null, history: { mode: "latest" } } as const;

/** Requests before a swap. */
const ASKED = 30;

describe("warm-up ahead", () => {
	let folder = "";
	let month: Snapshot;
	before(async () => {
		({ folder, month } = await openWarmedMonth());
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	test("a month that is to become the newest is warmed up in slices, though requests arrive; what was left is done once it is", async () => {
		const done: string[] = [];
		const warmUp = withSteps(month, [30, 30, 0.5, 0], done);
		warmUp.calls = callsOf(5);
		const next = warmUp.loaded.latest as Snapshot;
		warmUp.loaded.latest = null;
		const { ahead, run } = warmUp.open({ ms: 5 });
		const slices = ahead(next, 63);
		let count = 0;
		while (slices.next().done !== true) count++;
		// Steps come first, until answers find what most of them need; a question takes a millisecond.
		assert.deepEqual([count, warmUp.asked, done.length, warmUp.now], [5, 3, 2, 63]);
		warmUp.loaded.latest = next;
		await run();
		assert.equal(done.filter((what) => what === "step").length, 4);
		assert.equal(warmUp.asked, 5, "no question twice");
	});

	test("ahead of it the calls that clients made last are answered again, unless the month is small or there is no warm-up", () => {
		const asked = (of: Snapshot, ms: number) => {
			const warmUp = new HandWarmUp(of);
			warmUp.calls = callsOf(40);
			const slices = warmUp.open({ ms }).ahead(warmUp.loaded.latest as Snapshot, 1_000);
			let count = 0;
			while (slices.next().done !== true) count++;
			assert.ok(count <= warmUp.asked);
			return warmUp.asked;
		};
		assert.equal(asked(month, 100), 40);
		assert.equal(asked(month, 0), 0);
		assert.equal(asked(Object.create(month, { rows: { value: 65_535 } }), 100), 0);
	});

	test("a defect ahead is logged, and the month becomes the newest", () => {
		const warmUp = new HandWarmUp(month);
		warmUp.calls = callsOf(1);
		warmUp.fault = new TypeError("planted");
		assert.deepEqual([...warmUp.open({ ms: 10 }).ahead(warmUp.loaded.latest as Snapshot, 10)], []);
		assert.deepEqual(warmUp.lines, [["warming up failed", { month: MONTH, err: warmUp.fault }]]);
	});

	test("a month that is not served yet answers as the only one, and caches nothing", () => {
		const other = Object.create(month, { month: { value: "2026-10" } }) as Snapshot;
		const jsonCache = new JsonCache();
		jsonCache.bytes = () => assert.fail("it caches what is not served");
		const services = {
			loaded: { latest: other, find: () => assert.fail("it asks the months that are served") },
			builtAt: () => null,
			works: { result: (find: () => unknown) => find() },
			arrivals: new Arrivals(),
			jsonCache,
			cursors: new Cursors(() => Buffer.alloc(32)),
			stats: new StatsCache(),
			sink: new ByteSink(1 << 20),
		} as unknown as Services;
		const seen: (readonly [rows: number, masked: boolean])[] = [];
		const seeing = Object.create(month, {
			renderList: {
				value: (...given: Parameters<Snapshot["renderList"]>) => {
					seen.push([given[0].rows.length, given[1].masked]);
					month.renderList(...given);
				},
			},
		}) as Snapshot;
		const { again } = askerOf(services, () => 0);
		let compressed = 0;
		Object.defineProperty(seeing, "gzip", {
			value: (...given: Parameters<Snapshot["gzip"]>) => {
				compressed++;
				return month.gzip(...given);
			},
		});
		const ask = (operation: AnyOperation, query: string, masked = false, gzip = false) => {
			const grant = new Grant({ scope: GRANTED, scopeTag: query, masked });
			again(seeing, {
				operation,
				asked: operation.read(decodeQuery(query, operation.repeatable), grant),
				grant,
				gzip,
			});
		};
		ask(licensesOperation as AnyOperation, "limit=7");
		assert.equal(compressed, 0);
		ask(licensesOperation as AnyOperation, "limit=3", true, true);
		assert.equal(compressed, 1);
		ask(licensesOperation as AnyOperation, "snapshot=2026-10");
		ask(aggregateOperation as AnyOperation, "by=license_status");
		ask(statsOperation as AnyOperation, "");
		// Neither of these asks about one month.
		ask(meOperation as AnyOperation, "");
		ask(changesOperation as AnyOperation, "from=2026-10&to=2026-11");
		assert.deepEqual(seen, [
			[7, false],
			[3, true],
		]);
	});

	test("calls of tools are kept as those over HTTP are", () => {
		const recentCalls = new RecentCalls<AnsweredCall>();
		const grant = new Grant({ scope: GRANTED, scopeTag: "", masked: false });
		const services = { loaded: { latest: month, find: () => month }, recentCalls } as unknown as Services;
		const operation = licensesOperation as AnyOperation;
		answerOf(operation, { limit: 2 }, { key: null as never, grant, nowMs: 0, services });
		const [{ asked, ...call }] = recentCalls.list();
		assert.deepEqual(call, { operation, grant, gzip: false });
		assert.equal((asked as LicensesRequest).query.limit, 2);
	});

	test("of calls the last ones are kept, and their number is bounded", () => {
		const calls = new RecentCalls<number>();
		const kept = () => new Set(calls.list());
		for (let n = 0; n < 1_000; n++) {
			calls.note(n);
			assert.ok(kept().has(n) && (n < 10 || kept().has(n - 10)), String(n));
		}
		assert.ok(kept().size < 100 && Math.min(...kept()) > 900, `${kept().size} calls`);
	});

	test("a server does so before it serves a month, unless hosts change together", async () => {
		const published = join(folder, SNAPSHOTS_FOLDER, MONTH);
		const aside = `${folder}-aside`;
		for (const months_from of ["", "s3://bucket/months"]) {
			const served = await ServedFixture.start(ANY_TRANSPORT, {
				data: folder,
				warm_up_ms: 1,
				log_level: "info",
				months_from,
			});
			try {
				const warmedSince = (line: number) =>
					served.logged.slice(line).find((each) => each.includes('"warmed up"'));
				const over = async (line: number) => {
					for (let tries = 0; tries < 1_000 && warmedSince(line) === undefined; tries++) await delay(10);
					return warmedSince(line);
				};
				// Otherwise it would be logged after the reload.
				assert.ok((await over(0)) !== undefined, "the first warm-up is over");
				const key = await served.key();
				for (let n = 0; n < ASKED; n++) await served.ok(licensesResponse, `/v1/licenses?limit=${n + 1}`, key);
				renameSync(published, aside);
				served.app.reload();
				assert.deepEqual(served.app.library.snapshots, []);
				renameSync(aside, published);
				await served.reload();
				assert.equal(served.app.library.latest?.month, MONTH);
				const opened = served.logged.findIndex((line) => line.includes(`"opened":["${MONTH}"]`));
				// In a millisecond of its own, and after requests, a warm-up asks nothing, and logs nothing.
				const warmed =
					months_from === "" ? await over(opened) : await delay(500).then(() => warmedSince(opened));
				const { questions } = JSON.parse(warmed ?? '{"questions":0}') as { questions: number };
				assert.equal(questions, months_from === "" ? ASKED : 0);
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
