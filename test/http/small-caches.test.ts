/** The caches of statistics, JSON and grants: each made once, bounded, and never another's. Body cache: the limits. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Geography, Snapshot, Stats } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { monthsOf } from "../../server/api/bulk/walk.js";
import { BodyCache } from "../../server/api/caches/body-cache.js";
import { JsonCache } from "../../server/api/caches/json-cache.js";
import { StatsCache } from "../../server/api/caches/stats-cache.js";
import { historyOperation } from "../../server/api/endpoints/history.js";
import type { ApiError } from "../../server/api/errors.js";
import { grantBounds, rowBounds } from "../../server/api/scope/answer-bounds.js";
import { Grant } from "../../server/api/scope/grant.js";
import { GrantCache } from "../../server/api/scope/grant-cache.js";
import {
	historyDenied,
	resolveSnapshot,
	type Snapshots,
} from "../../server/api/scope/history-entitlement.js";
import type { Key } from "../../server/keys/key.js";
import { looseKey } from "../keys/scratch.js";

const CACHED_MAX = 192;
const GRANTS_MAX = 1_024;

test("JSON is made once for a tag, until it is cleared or as many tags as fit came after it", () => {
	const cache = new JsonCache();
	let made = 0;
	const ask = (tag: string) => cache.json(tag, () => ({ tag, made: ++made })).toString();
	assert.equal(ask("a"), '{"tag":"a","made":1}');
	assert.equal(ask("a"), '{"tag":"a","made":1}');
	assert.equal(ask("b"), '{"tag":"b","made":2}');
	for (let i = 2; i < CACHED_MAX; i++) ask(`t${i}`);
	assert.equal(ask("a"), '{"tag":"a","made":1}', "all that fit are kept");
	ask("one more");
	assert.equal(ask("a"), `{"tag":"a","made":${made}}`);
	assert.equal(made, CACHED_MAX + 2);
	cache.clear();
	ask("a");
	assert.equal(made, CACHED_MAX + 3);
});

test("JSON of a long name is told from that of others, and the name is not held", (t) => {
	const held: string[] = [];
	const { set } = Map.prototype;
	t.mock.method(Map.prototype, "set", function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
		if (Buffer.isBuffer(value)) held.push(String(key));
		return set.call(this, key, value);
	});
	const cache = new JsonCache();
	const long = "x".repeat(64 * 1024);
	for (const name of [`${long}a`, `${long}b`, `${long}a`, "short"])
		assert.equal(cache.json(name, () => name).length, name.length + 2);
	assert.equal(cache.json(`${long}b`, () => "made again").toString(), `"${long}b"`);
	assert.equal(held.length, 3);
	for (const key of held) assert.ok(key.length <= 256, `${key.length} characters`);
});

test("statistics are computed once for a snapshot and geography, of as many geographies as fit", () => {
	const cache = new StatsCache();
	const computed: string[] = [];
	const snapshotOf = (month: string) =>
		({
			stats: (geography: Geography | null) => {
				computed.push(`${month} ${JSON.stringify(geography)}`);
				return { month, geography } as unknown as Stats;
			},
		}) as Snapshot;
	const [older, newer] = [snapshotOf("2026-10"), snapshotOf("2026-11")];
	const state = (name: string): Geography => ({ countries: null, states: [name] }) as unknown as Geography;
	const first = cache.of(older, null);
	assert.equal(cache.of(older, null), first);
	assert.notEqual(cache.of(newer, null), first);
	assert.notEqual(cache.of(older, state("CA")), first);
	assert.equal(computed.length, 3);
	for (let i = 2; i < CACHED_MAX; i++) cache.of(older, state(`S${i}`));
	assert.equal(cache.of(older, null), first, "all that fit are kept");
	cache.of(older, state("one more"));
	assert.notEqual(cache.of(older, null), first);
});

test("keys of one scope share a grant, of as many scopes as fit", () => {
	const cache = new GrantCache();
	const keyOf = (tag: string): Key => ({ ...looseKey({}), scopeTag: tag }) as Key;
	const key = keyOf("a");
	const grant = cache.of(key);
	assert.equal(cache.of(key), grant);
	assert.equal(cache.of(keyOf(grant.tag)), grant);
	for (let i = 0; i < GRANTS_MAX; i++) {
		const other = cache.of(keyOf(`tag ${i}`));
		assert.equal(other.tag, `tag ${i}`);
	}
	assert.equal(cache.of(key), grant, "a key's own grant stays with the key");
	assert.notEqual(cache.of(keyOf(grant.tag)), grant, "the scopes known are bounded");
});

test("bodies up to 256 KiB are cached, and a full cache takes one insertion in eight", () => {
	const [snapshot, room] = [{} as Snapshot, 256 * 1024];
	const large = new BodyCache(4 * room);
	for (const [bytes, isCached] of [
		[room, true],
		[room + 1, false],
	] as const) {
		const request = {};
		large.put(request, snapshot, { bytes: Buffer.alloc(bytes), headers: "" });
		assert.equal(large.find(request, snapshot) !== undefined, isCached, `${bytes} bytes`);
	}
	const entryBytes = 2_048;
	const full = new BodyCache(8 * entryBytes);
	let admitted = 0;
	for (let i = 0; i < 1_008; i++) {
		const request = {};
		full.put(request, snapshot, { bytes: Buffer.alloc(entryBytes / 2), headers: "" });
		const isCached = full.find(request, snapshot) !== undefined;
		if (i < 8) assert.ok(isCached, `entry ${i} fits`);
		else if (isCached) admitted++;
	}
	assert.equal(full.cachedBytes, 8 * entryBytes, "filled to the last byte");
	assert.ok(admitted > 60 && admitted < 200, `${admitted} of 1,000 admitted`);
});

test("a cached body keeps the members that it was put with, and no others", () => {
	const cache = new BodyCache(10_000);
	const [snapshot, bytes] = [{} as Snapshot, Buffer.from("x")];
	const kept = (more: object) => {
		const request = {};
		cache.put(request, snapshot, { bytes, headers: "", ...more });
		return Object.keys(cache.find(request, snapshot) ?? {}).sort();
	};
	assert.deepEqual(kept({}), ["bytes", "headers"]);
	assert.deepEqual(kept({ rows: 3 }), ["bytes", "headers", "rows"]);
	assert.deepEqual(kept({ pageNumber: {} }), ["bytes", "headers", "pageNumber"]);
});

test("the 403 of a month outside a key's history says what it reads", () => {
	const months = ["2026-11", "2026-10", "2026-09"].map((month) => ({ month }) as Snapshot);
	const loaded = { latest: months[0], snapshots: months };
	const told = (history: Parameters<typeof historyDenied>[1]) =>
		historyDenied(loaded as unknown as Parameters<typeof historyDenied>[0], history, "2025-01", "snapshot")
			.message;
	const start = "snapshot 2025-01 is outside this key's history";
	assert.equal(told({ mode: "latest" }), `${start} (the latest snapshot only); it reads 2026-11`);
	assert.equal(
		told({ mode: "months", months: 1 }),
		`${start} (the latest and the 1 month before it); it reads 2026-11, 2026-10`,
	);
	assert.equal(
		told({ mode: "months", months: 2 }),
		`${start} (the latest and the 2 months before it); it reads 2026-11, 2026-10, 2026-09`,
	);
	assert.equal(told({ mode: "all" }), `${start} (all snapshots); it reads 2026-11, 2026-10, 2026-09`);
});

test("a month outside a key's history is denied before the latest, and not found after it", () => {
	const loaded = { latest: { month: "2026-11" }, snapshots: [], find: () => undefined };
	for (const [month, code] of [
		["2026-10", "history_denied"],
		["2026-12", "not_found"],
	])
		assert.throws(() => resolveSnapshot(loaded as unknown as Snapshots, { mode: "latest" }, month), {
			code,
			param: "snapshot",
		});
});

test("a cursor is denied in a month before the latest, and gone in one after it", () => {
	const loaded = { latest: { month: "2026-11" }, snapshots: [], find: () => undefined };
	const call = { grant: { history: { mode: "latest" } }, services: { loaded } };
	for (const [month, code] of [
		["2026-10", "history_denied"],
		["2026-11", "snapshot_gone"],
		["2026-12", "snapshot_gone"],
	] as const)
		assert.throws(
			() => monthsOf({ months: [{ month, digest: "0" }] }, call as unknown as Parameters<typeof monthsOf>[1]),
			{ code, param: "cursor" },
			month,
		);
});

test("what bounds an answer without rows is the geography of its grant alone", () => {
	const geography = { countries: ["US"], states: [] } as unknown as Geography;
	const columns = ["state", "member_email"] as const;
	const history = { mode: "latest" } as const;
	const bounds = (scope: Partial<Key["scope"]>, tier: Key["tier"] = "trial") =>
		grantBounds(new Grant(looseKey({ tier, scope: { geography: null, columns: null, history, ...scope } })));
	assert.deepEqual(bounds({}), {});
	assert.deepEqual(bounds({}, "production"), {});
	assert.deepEqual(bounds({ columns }), {});
	assert.deepEqual(bounds({ geography, columns }), { scope: { geography } });
});

test("a grant of a country reads its states, and refuses the others by name", () => {
	const geography = { countries: ["CA"], states: [] } as unknown as Geography;
	const scope = { geography, columns: null, history: { mode: "latest" } } as const;
	const grant = new Grant(looseKey({ scope }));
	grant.requireState("ON", "state");
	assert.throws(() => grant.requireState("TX", "state"), /state TX/);
	grant.requireCountry("CA", "country");
	assert.throws(() => grant.requireCountry("US", "country"), /country US/);
});

test("what bounds rows is that of the columns asked for, whatever was asked before", () => {
	const grant = new Grant(looseKey({ tier: "demo" }));
	const bounds = (fields: readonly ColumnName[] | undefined) =>
		rowBounds(grant, grant.projectionOf(fields), fields);
	const [email, id, all] = [bounds(["member_email"]), bounds(["id"]), bounds(undefined)];
	assert.notEqual(email, id, "what is masked is of the columns shown");
	for (let again = 0; again < 2; again++) {
		assert.equal(bounds(undefined), all);
		assert.equal(bounds(["id"]), id);
		assert.equal(bounds(["member_email"]), email);
	}
});

test("history of a key without a column that finds the license names the parameter", () => {
	const history = { mode: "all" } as const;
	const paramOf = (columns: readonly ColumnName[], given: Record<string, string>) => {
		const grant = new Grant(looseKey({ scope: { geography: null, columns, history } }));
		try {
			historyOperation.read({ names: Object.keys(given), values: Object.values(given) } as never, grant);
		} catch (error) {
			return (error as ApiError).param;
		}
		return null;
	};
	const byNumber = { state: "TX", license_number: "1" };
	const byId = { id: "32200000101" };
	assert.equal(paramOf(["state"], byNumber), "license_number");
	assert.equal(paramOf(["state"], byId), "id");
	assert.equal(paramOf(["member_state_license_number"], byNumber), "state");
	assert.equal(paramOf(["member_state_license_number"], byId), "id");
	assert.equal(paramOf(["state", "member_state_license_number"], byNumber), null);
	assert.equal(paramOf(["state", "member_state_license_number"], byId), null);
});
