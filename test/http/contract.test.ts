/** The endpoints besides the list, as docs/API.md §7 describes their answers; every body is held against its schema. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import {
	healthResponse,
	historyResponse,
	licenseResponse,
	meResponse,
	snapshotsResponse,
	statesResponse,
	statsResponse,
	suggestResponse,
	usageResponse,
} from "../../server/api/schemas/endpoint-responses.js";
import { suspendKey } from "../../server/keys/lifecycle.js";
import { STATE_ROWS } from "./drop-rows.js";
import { overBothTransports } from "./served.js";

const CALIFORNIA = { geography: { countries: [], states: ["CA"] } };
const DAY_MS = 86_400_000;

overBothTransports("the contract", (served) => {
	test("health needs no key and names the latest snapshot", async () => {
		const body = await served().ok(healthResponse, "/v1/health", null);
		assert.deepEqual(body, {
			status: "ok",
			version: "v1",
			snapshot: "2026-11",
			snapshots: 3,
			database: "ok",
		});
	});

	test("health ignores any query", async () => {
		for (const query of ["?", "?cache=1", "?state=Narnia&state=CA", "?%FF", "?api_key=x"]) {
			const { status, text } = await served().request(`/v1/health${query}`, null);
			assert.equal(status, 200, `${query}: ${text}`);
		}
	});

	test("me has tier, status, limits, quota and scope", async () => {
		const key = await served().key({ tier: "trial", scope: { ...CALIFORNIA, history: { mode: "latest" } } });
		const { data } = await served().ok(meResponse, "/v1/me", key);
		assert.equal(data.tier, "trial");
		assert.equal(data.status, "active");
		assert.deepEqual(data.rate_limits, { per_minute: 30, per_day: 300 });
		assert.deepEqual(data.quota, { limit: 2_000, used: 1, resets_at: "2026-12-01T00:00:00.000Z" });
		assert.deepEqual(data.scope, {
			geography: { countries: [], states: ["CA"] },
			columns: null,
			history: { mode: "latest" },
		});
		const expires = new Date(served().clock.now() + 14 * DAY_MS).toISOString();
		assert.equal(data.expires_at, expires);
	});

	test("a null scope member is unrestricted; a demo key's columns lack the street address", async () => {
		const free = await served().ok(meResponse, "/v1/me", await served().key());
		assert.equal(free.data.scope.columns, null);
		assert.equal(free.data.scope.geography, null);
		assert.equal(free.data.quota, null);
		const demo = await served().ok(meResponse, "/v1/me", await served().key({ tier: "demo" }));
		assert.deepEqual(
			demo.data.scope.columns,
			COLUMNS.map((c) => c.name).filter((name) => name !== "member_address"),
		);
	});

	test("usage counts by day, days without requests as 0, and by endpoint", async () => {
		const key = await served().key();
		await served().request("/v1/states", key);
		await served().request("/v1/licenses?limit=1", key);
		await served().request("/v1/licenses?limit=0", key);
		await served().request("/nowhere", key);
		const { data } = await served().ok(usageResponse, "/v1/usage?days=3", key);
		assert.deepEqual(data, {
			days: 3,
			from: "2026-11-19",
			to: "2026-11-21",
			total: 5,
			by_day: [
				{ date: "2026-11-19", requests: 0 },
				{ date: "2026-11-20", requests: 0 },
				{ date: "2026-11-21", requests: 5 },
			],
			by_endpoint: [{ endpoint: "/v1/licenses", requests: 2 }, ...data.by_endpoint.slice(1)],
		});
		assert.deepEqual(
			new Set(data.by_endpoint.map((e) => e.endpoint)),
			new Set(["/v1/licenses", "/v1/states", "/v1/usage", "other"]),
		);
		assert.equal((await served().ok(usageResponse, "/v1/usage", key)).data.by_day.length, 30);
	});

	test("snapshots are listed newest first with what the key may read", async () => {
		const key = await served().key({ scope: { history: { mode: "months", months: 1 } } });
		const body = await served().ok(snapshotsResponse, "/v1/snapshots", key);
		assert.deepEqual(
			body.data.map((s) => [s.snapshot, s.latest, s.accessible]),
			[
				["2026-11", true, true],
				["2026-10", false, true],
				["2026-09", false, false],
			],
		);
		assert.deepEqual(body.meta, { history: { mode: "months", months: 1 } });
		assert.equal(body.data[0].rows, 291);
		assert.equal(body.data[0].built_at, "2026-11-28T00:00:00.000Z");
		const narrow = await served().ok(
			snapshotsResponse,
			"/v1/snapshots",
			await served().key({ scope: CALIFORNIA }),
		);
		assert.equal(narrow.data[0].rows, 141);
	});

	test("states have name, country and rows", async () => {
		const key = await served().key();
		const { data, meta } = await served().ok(statesResponse, "/v1/states", key);
		assert.deepEqual(data[0], { state: "ON", name: "Ontario", country: "CA", rows: STATE_ROWS.ON });
		assert.deepEqual(
			data.map((s) => s.state),
			["ON", "QC", "CA", "NY", "TX"],
		);
		assert.deepEqual(meta, { snapshot: "2026-11", total: 291, as_of: "2026-11-30" });
		const canada = await served().ok(statesResponse, "/v1/states?country=ca", key);
		assert.deepEqual(
			canada.data.map((s) => s.state),
			["ON", "QC"],
		);
		const before = await served().ok(statesResponse, "/v1/states?snapshot=2026-10&country=CA", key);
		assert.equal(before.meta.total, STATE_ROWS.ON + STATE_ROWS.QC - 20);
		const narrow = await served().ok(statesResponse, "/v1/states", await served().key({ scope: CALIFORNIA }));
		const columns = ["state", "member_full_name"] as const;
		const few = await served().key({ scope: { columns: [...columns] } });
		const { data: bare } = await served().ok(statesResponse, "/v1/states", few);
		assert.ok(
			bare.length > 1 && bare.every((state) => !("country" in state)),
			"of a column that it does not read",
		);
		const stateless = await served().key({ scope: { columns: ["member_full_name"] } });
		const { status, code, param } = await served().refused("/v1/states", stateless);
		assert.deepEqual([status, code, param], [403, "scope_denied", undefined], "no parameter is at fault");
		assert.deepEqual(
			narrow.data.map((s) => s.state),
			["CA"],
		);
	});

	test("stats add up, and are narrowed to the grant", async () => {
		const key = await served().key();
		const { data } = await served().ok(statsResponse, "/v1/stats", key);
		assert.equal(data.rows, 291);
		const expiration = Object.values(data.expiration ?? {}).reduce<number>((sum, n) => sum + Number(n), 0);
		assert.equal(expiration, 291);
		const active = data.license_status?.find((entry) => entry.value === "Active");
		assert.deepEqual(active, { value: "Active", rows: 31, states: { TX: 31 } });
		const narrow = await served().ok(statsResponse, "/v1/stats", await served().key({ scope: CALIFORNIA }));
		assert.deepEqual(narrow.data.countries, [{ country: "US", rows: 141 }]);
		assert.deepEqual(
			narrow.data.license_status?.map((entry) => Object.keys(entry.states ?? {})),
			[["CA"], ["CA"], ["CA"]],
		);
	});

	test("stats leave out aggregates of columns outside the grant", async () => {
		const columns = ["id", "snapshot", "member_license_status", "member_email"] as const;
		const key = await served().key({ scope: { columns } });
		const { data } = await served().ok(statsResponse, "/v1/stats", key);
		assert.deepEqual(Object.keys(data), ["rows", "license_status", "contact_coverage"]);
		assert.deepEqual(Object.keys(data.contact_coverage ?? {}), ["member_email"]);
		assert.ok(
			data.license_status?.every((entry) => entry.states === undefined),
			"counts by state read state",
		);
	});

	test("suggestions start with the prefix, most rows first, inside the grant", async () => {
		const key = await served().key();
		const { data, meta } = await served().ok(suggestResponse, "/v1/suggest?field=last_name&q=SM", key);
		assert.deepEqual(
			data.map((s) => s.value),
			["Smith", "Smithson"],
		);
		assert.ok(data[0].rows >= data[1].rows);
		assert.deepEqual(meta, {
			snapshot: "2026-11",
			field: "last_name",
			q: "SM",
			as_of: "2026-11-30",
			more: false,
			truncated: false,
		});
		const one = await served().ok(suggestResponse, "/v1/suggest?field=last_name&q=sm&limit=1&state=tx", key);
		assert.equal(one.data.length, 1);
		assert.equal(one.meta.truncated, true);
		const offices = await served().ok(suggestResponse, "/v1/suggest?field=office&q=%22be", key);
		assert.deepEqual(
			offices.data.map((s) => s.value),
			['"Best" Brokers'],
		);
		const narrow = await served().key({ scope: { geography: { countries: ["CA"], states: [] } } });
		const canada = await served().ok(suggestResponse, "/v1/suggest?field=last_name&q=smith", narrow);
		assert.ok(canada.data.reduce((sum, s) => sum + s.rows, 0) <= 50);
	});

	test("one row by id, with the requested fields", async () => {
		const key = await served().key();
		const whole = await served().ok(licenseResponse, "/v1/licenses/32200000001", key);
		assert.equal(whole.data.id, 32200000001);
		assert.deepEqual(
			Object.keys(whole.data),
			COLUMNS.map((c) => c.name),
		);
		assert.deepEqual(whole.meta, { snapshot: "2026-11", as_of: "2026-11-30" });
		const few = await served().ok(licenseResponse, "/v1/licenses/32200000001?fields=state,id", key);
		assert.deepEqual(few.data, { id: 32200000001, state: "ON" });
		const older = await served().ok(licenseResponse, "/v1/licenses/32000000001", key);
		assert.equal(older.data.snapshot, "2026-09");
	});

	test("history has rows, presence and changes, newest first", async () => {
		const key = await served().key();
		const path = "/v1/licenses/history?state=tx&license_number=TX-1&fields=snapshot,member_license_status";
		const { data, meta } = await served().ok(historyResponse, path, key);
		assert.deepEqual(data.rows, [
			{ snapshot: "2026-11", member_license_status: "Active" },
			{ snapshot: "2026-10", member_license_status: "Inactive" },
			{ snapshot: "2026-09", member_license_status: "Inactive" },
		]);
		const step = { from_snapshot: "2026-10", to_snapshot: "2026-11" };
		assert.deepEqual(data.changes, [
			{ ...step, field: "office_name", from: "Smart Homes", to: "Acme, Realty" },
			{ ...step, field: "member_license_status", from: "Inactive", to: "Active" },
		]);
		assert.deepEqual(meta.snapshots, ["2026-11", "2026-10", "2026-09"]);
	});

	test("months without the license are missing, and an id seeds the same history", async () => {
		const key = await served().key();
		const byNumber = await served().ok(
			historyResponse,
			"/v1/licenses/history?state=TX&license_number=TX-2",
			key,
		);
		assert.deepEqual(byNumber.data.present_in, ["2026-11", "2026-09"]);
		assert.deepEqual(byNumber.data.missing_in, ["2026-10"]);
		const cities = byNumber.data.rows.map((row) => row.member_city);
		assert.notEqual(cities[0], cities[1]);
		assert.deepEqual(byNumber.data.changes, [], "September and November are not consecutive");
		for (const { id } of byNumber.data.rows) {
			const byId = await served().ok(historyResponse, `/v1/licenses/history?id=${id}`, key);
			assert.deepEqual(byId, byNumber);
		}
	});

	test("history takes the lowest id of duplicates and counts them", async () => {
		const key = await served().key();
		const { data, meta } = await served().ok(
			historyResponse,
			"/v1/licenses/history?state=CA&license_number=CA-5",
			key,
		);
		assert.equal(data.rows.length, 3);
		assert.deepEqual(meta.matches, [
			{ snapshot: "2026-11", rows: 2 },
			{ snapshot: "2026-10", rows: 1 },
			{ snapshot: "2026-09", rows: 1 },
		]);
	});

	test("history of an unknown number is empty; a months key sees its months alone", async () => {
		const key = await served().key({ scope: { history: { mode: "months", months: 1 } } });
		const none = await served().ok(historyResponse, "/v1/licenses/history?state=TX&license_number=none", key);
		assert.deepEqual(none.data, {
			rows: [],
			present_in: [],
			missing_in: ["2026-11", "2026-10"],
			changes: [],
		});
	});

	test("history reports no change of a column outside the grant", async () => {
		const columns = ["id", "snapshot", "state", "office_name", "member_state_license_number"] as const;
		const key = await served().key({ scope: { columns } });
		const { data } = await served().ok(
			historyResponse,
			"/v1/licenses/history?state=TX&license_number=TX-1",
			key,
		);
		assert.deepEqual(
			data.changes.map((c) => c.field),
			["office_name"],
		);
		assert.deepEqual(Object.keys(data.rows[0]), columns);
	});

	test("a suspended key and an expired one are 401, each with its own code", async () => {
		const { id, text } = await served().keyWithId({});
		await suspendKey(served().keys, id, { by: "test", nowMs: served().clock.now() });
		await served().access.settle();
		const suspended = await served().refused("/v1/me", text);
		assert.deepEqual([suspended.status, suspended.code], [401, "key_suspended"]);
		assert.notEqual(suspended.headers.get("ratelimit-limit"), null);
		const brief = await served().key({ lifetimeMs: 1_000 });
		assert.equal((await served().request("/v1/me", brief)).status, 200);
		const started = served().clock.nowMs;
		served().clock.nowMs += 1_000;
		const expired = await served().refused("/v1/me", brief);
		served().clock.nowMs = started;
		assert.deepEqual([expired.status, expired.code], [401, "unauthorized"]);
	});

	test("each limit is refused with its own code", async () => {
		const cases = [
			[{ tier: "production", rate_limits: { per_minute: 1 } }, "rate_limited"],
			[{ tier: "production", rate_limits: { per_day: 1 } }, "rate_limited"],
			[{ tier: "production", rate_limits: { monthly_quota: 1 } }, "quota_exceeded"],
			[{ tier: "trial", rate_limits: { per_day: 1 } }, "trial_limit"],
			[{ tier: "trial", rate_limits: { monthly_quota: 1 } }, "trial_limit"],
			[{ tier: "trial", rate_limits: { per_minute: 1 } }, "rate_limited"],
		] as const;
		for (const [options, code] of cases) {
			const key = await served().key(options);
			assert.equal((await served().request("/v1/me", key)).status, 200);
			const refusal = await served().refused("/v1/me", key);
			assert.deepEqual([refusal.status, refusal.code], [429, code]);
			assert.ok(Number(refusal.headers.get("retry-after")) > 0);
		}
	});
});
