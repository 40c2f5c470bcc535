/**
 * Tier × geography × columns × history × request × format: every combination is requested, and the table
 * gives the outcome (docs/API.md §1.8, §3, §6). Scope is checked before history.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ColumnName } from "../../formats/index.js";
import { type HistoryScope, TIERS, type Tier } from "../../server/keys/key.js";
import { overBothTransports, type ServedFixture } from "./served.js";

/** `ok`, or the code of the error. */
type Outcome = "ok" | "invalid_parameter" | "scope_denied" | "history_denied" | "not_found";
const STATUS = {
	ok: 200,
	invalid_parameter: 400,
	scope_denied: 403,
	history_denied: 403,
	not_found: 404,
} as const;

const COLUMNS: readonly ColumnName[] = [
	"id",
	"snapshot",
	"state",
	"member_last_name",
	"member_license_status",
	"member_email",
];
const SCOPES = {
	all: { geography: null, columns: null },
	california: { geography: { countries: [], states: ["CA"] }, columns: null },
	fewColumns: { geography: null, columns: COLUMNS },
	both: { geography: { countries: [], states: ["CA"] }, columns: COLUMNS },
} as const;
type ScopeName = keyof typeof SCOPES;

const HISTORIES: Readonly<Record<string, HistoryScope>> = {
	latest: { mode: "latest" },
	"months:1": { mode: "months", months: 1 },
	all: { mode: "all" },
};
type ByHistory = readonly [latest: Outcome, oneMonth: Outcome, all: Outcome];

interface Row {
	readonly path: string;
	/** Whether `format` may be appended. */
	readonly list?: true;
	/** The history endpoint refuses latest-only keys before all else. */
	readonly endpoint?: "history";
	/** Whether the row decides on geography, and so comes after the entitlement to its month. */
	readonly afterHistory?: true;
	/** Outcome for demo keys, which have no street address, whatever the scope. */
	readonly demo?: Outcome;
	/** Outcome for a key that is limited to California. */
	readonly california?: Outcome;
	/** Outcome for a key that is limited to few columns. */
	readonly fewColumns?: Outcome;
	/** Outcome by history, where nothing above applies. */
	readonly history: ByHistory;
}

const ALWAYS: ByHistory = ["ok", "ok", "ok"];
const OCTOBER: ByHistory = ["history_denied", "ok", "ok"];
const SEPTEMBER: ByHistory = ["history_denied", "history_denied", "ok"];
/** A month before the first loaded one: outside the entitlement before it is missing. */
const AUGUST: ByHistory = ["history_denied", "history_denied", "not_found"];
/** A month after the latest, or an id without a row. */
const NEVER: ByHistory = ["not_found", "not_found", "not_found"];

const DENIED = "scope_denied";
/** Ids: the first row of a month is in Ontario, the last in Texas; row 100 is in California. */
const NOVEMBER_CA = "/v1/licenses/32200000101";
const OCTOBER_CA = "/v1/licenses/32100000101";
const SEPTEMBER_CA = "/v1/licenses/32000000101";

const ROWS: readonly Row[] = [
	{ path: "/v1/me", history: ALWAYS },
	{ path: "/v1/usage", history: ALWAYS },
	{ path: "/v1/snapshots", history: ALWAYS },
	{ path: "/v1/states", history: ALWAYS },
	{ path: "/v1/states?country=US", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/states?country=CA", california: DENIED, fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/states?snapshot=2026-10", history: OCTOBER },
	{ path: "/v1/states?snapshot=2026-09", history: SEPTEMBER },
	{ path: "/v1/states?snapshot=2026-08", history: AUGUST },
	{ path: "/v1/stats?snapshot=2026-08", history: AUGUST },
	{ path: "/v1/suggest?field=last_name&q=sm&snapshot=2026-08", history: AUGUST },
	{ path: "/v1/licenses?limit=3&snapshot=2026-08", list: true, history: AUGUST },
	{ path: "/v1/licenses?limit=3&snapshot=2000-01", list: true, history: AUGUST },
	{ path: "/v1/licenses?limit=3&snapshot=1999-12", list: true, history: AUGUST },
	{ path: "/v1/licenses?limit=3&snapshot=0000-01", list: true, history: AUGUST },
	{ path: "/v1/stats?snapshot=1999-12", history: AUGUST },
	{ path: "/v1/states?snapshot=2027-01", history: NEVER },
	{ path: "/v1/stats?snapshot=2027-01", history: NEVER },
	{ path: "/v1/suggest?field=last_name&q=sm&snapshot=2027-01", history: NEVER },
	{ path: "/v1/stats", history: ALWAYS },
	{ path: "/v1/stats?snapshot=2026-10", history: OCTOBER },
	{ path: "/v1/stats?snapshot=2026-09", history: SEPTEMBER },
	{ path: "/v1/suggest?field=last_name&q=sm", history: ALWAYS },
	{ path: "/v1/suggest?field=city&q=sa", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/suggest?field=office&q=sm", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/suggest?field=last_name&q=sm&state=TX", california: DENIED, history: ALWAYS },
	{
		path: "/v1/suggest?field=last_name&q=sm&state=TX&snapshot=2026-10",
		california: DENIED,
		history: OCTOBER,
	},
	{ path: "/v1/suggest?field=last_name&q=sm&snapshot=2026-09", history: SEPTEMBER },
	{ path: "/v1/licenses?limit=3", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&count=false", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&snapshot=2026-11", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&snapshot=2026-10", list: true, history: OCTOBER },
	{ path: "/v1/licenses?limit=3&snapshot=2026-09", list: true, history: SEPTEMBER },
	{ path: "/v1/licenses?limit=3&snapshot=2026-12", list: true, history: NEVER },
	{ path: "/v1/licenses?limit=3&state=CA", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&state=ca", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&state=TX", list: true, california: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&state=CA,TX", list: true, california: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&state=TX&snapshot=2026-10", california: DENIED, history: OCTOBER },
	{ path: "/v1/licenses?limit=3&country=US", list: true, fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&country=CA", california: DENIED, fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&last_name=smi", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&license_status=Licensed", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&office_name=sm", list: true, fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&city=Austin", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&zip=90001", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&license_number=CA-1", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&expires_after=2026-01-01", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&first_issued_before=2026-01-01", fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&sort=state,member_last_name", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&sort=office_name", list: true, fewColumns: DENIED, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&fields=id,member_email", list: true, history: ALWAYS },
	{ path: "/v1/licenses?limit=3&fields=id,matched_email", list: true, fewColumns: DENIED, history: ALWAYS },
	{
		path: "/v1/licenses?limit=3&fields=member_address",
		list: true,
		demo: DENIED,
		fewColumns: DENIED,
		history: ALWAYS,
	},
	{ path: NOVEMBER_CA, history: ALWAYS },
	{ path: `${NOVEMBER_CA}?fields=id,state`, history: ALWAYS },
	{ path: `${NOVEMBER_CA}?fields=member_address`, demo: DENIED, fewColumns: DENIED, history: ALWAYS },
	{ path: OCTOBER_CA, history: OCTOBER },
	{ path: SEPTEMBER_CA, history: SEPTEMBER },
	{ path: `${SEPTEMBER_CA}?fields=office_name`, fewColumns: DENIED, history: SEPTEMBER },
	{ path: "/v1/licenses/31900000001", history: NEVER },
	{ path: "/v1/licenses/32299999999", history: NEVER },
	{ path: "/v1/licenses/0", history: NEVER },
	{ path: "/v1/licenses/-1", history: NEVER },
	{ path: "/v1/licenses/99999999999999999999", history: NEVER },
	{ path: "/v1/licenses/32200000001", california: DENIED, afterHistory: true, history: ALWAYS },
	{ path: "/v1/licenses/32200000291", california: DENIED, afterHistory: true, history: ALWAYS },
	{ path: "/v1/licenses/32100000001", california: DENIED, afterHistory: true, history: OCTOBER },
	{
		endpoint: "history",
		path: "/v1/licenses/history?state=CA&license_number=CA-1",
		fewColumns: DENIED,
		history: OCTOBER,
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?state=TX&license_number=TX-1",
		california: DENIED,
		fewColumns: DENIED,
		history: OCTOBER,
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?state=CA&license_number=none",
		fewColumns: DENIED,
		history: OCTOBER,
	},
	{ path: "/v1/aggregate?by=state&compare=2026-10&sort=growth", history: OCTOBER },
	{ path: "/v1/aggregate?by=state&compare=2026-09&snapshot=2026-10", history: SEPTEMBER },
	{ path: "/v1/aggregate?by=state&compare=2026-08", history: AUGUST },
	{ path: "/v1/aggregate?by=office_name&compare=2026-10", fewColumns: DENIED, history: OCTOBER },
	{ path: "/v1/aggregate?by=state&state=TX&compare=2026-10", california: DENIED, history: OCTOBER },
	{ path: "/v1/changes?from=1999-12", endpoint: "history", fewColumns: DENIED, history: AUGUST },
	{
		endpoint: "history",
		path: "/v1/licenses/history",
		history: ["history_denied", "invalid_parameter", "invalid_parameter"],
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?nonsense=%FF",
		history: ["history_denied", "invalid_parameter", "invalid_parameter"],
	},
	{ endpoint: "history", path: "/v1/licenses/history?id=32200000101", fewColumns: DENIED, history: OCTOBER },
	{
		endpoint: "history",
		path: "/v1/licenses/history?id=32200000001",
		california: DENIED,
		fewColumns: DENIED,
		afterHistory: true,
		history: OCTOBER,
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?id=0",
		fewColumns: DENIED,
		history: ["history_denied", "not_found", "not_found"],
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?id=32200000101&fields=id,office_name",
		fewColumns: DENIED,
		history: OCTOBER,
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?id=32000000101",
		fewColumns: DENIED,
		history: SEPTEMBER,
	},
	{
		endpoint: "history",
		path: "/v1/licenses/history?id=31900000001",
		fewColumns: DENIED,
		history: ["history_denied", "not_found", "not_found"],
	},
];

/** The expected answer of the row for a key of `tier`, `scope` and the history at `historyIndex`. */
function expected(row: Row, tier: Tier, scope: ScopeName, historyIndex: number): Outcome {
	const byColumns = scope === "fewColumns" || scope === "both" ? row.fewColumns : undefined;
	const byGeography = scope === "california" || scope === "both" ? row.california : undefined;
	const byDemo = tier === "demo" ? row.demo : undefined;
	const byHistory = row.history[historyIndex];
	if (row.endpoint === "history" && historyIndex === 0) return "history_denied";
	if (byHistory === "invalid_parameter") return byHistory;
	if (byColumns !== undefined) return byColumns;
	if (byDemo !== undefined) return byDemo;
	if (row.afterHistory && byHistory !== "ok") return byHistory;
	return byGeography ?? byHistory;
}

const NO_LIMITS = { per_minute: null, per_day: null, monthly_quota: null };

const FORMATS = ["", "&format=csv", "&format=ndjson"];

async function checkRow(served: ServedFixture, key: string, path: string, outcome: Outcome): Promise<void> {
	const { status, text } = await served.request(path, key);
	assert.equal(status, STATUS[outcome], `${path}: ${text.slice(0, 300)}`);
	if (outcome !== "ok") assert.equal(JSON.parse(text).error.code, outcome, path);
}

/**
 * The format that a key of `tier` and `scope` asks `ROWS[i]` in: by turns, so that each row is asked in each
 * format, of each scope and each history, by keys of some tier.
 */
function formatOf(i: number, tier: Tier, scope: ScopeName): string {
	if (!ROWS[i].list) return "";
	return FORMATS[(i + TIERS.indexOf(tier) + Object.keys(SCOPES).indexOf(scope)) % FORMATS.length];
}

const CELLS = TIERS.flatMap((tier) =>
	(Object.keys(SCOPES) as ScopeName[]).flatMap((scope) =>
		Object.keys(HISTORIES).map((history, historyIndex) => ({ tier, scope, history, historyIndex })),
	),
);

overBothTransports("the matrix", (served) => {
	for (const { tier, scope, history, historyIndex } of CELLS) {
		test(`a ${tier} key, scope ${scope}, history ${history}`, async () => {
			const key = await served().key({
				tier,
				scope: { ...SCOPES[scope], history: HISTORIES[history] },
				rate_limits: NO_LIMITS,
			});
			for (const [i, row] of ROWS.entries()) {
				const path = row.path + formatOf(i, tier, scope);
				await checkRow(served(), key, path, expected(row, tier, scope, historyIndex));
			}
		});
	}

	test("a refused filter is named as it was given", async () => {
		const scope = { columns: ["id", "snapshot", "state", "member_state_license_number"] as const };
		const key = await served().key({ scope });
		for (const name of ["zip", "postal_code", "postal_prefix"]) {
			for (const endpoint of ["licenses", "changes", "aggregate"]) {
				const by = endpoint === "aggregate" ? "&by=state" : "";
				const path = `/v1/${endpoint}?${name}=90001${by}`;
				const { status, param, message } = await served().refused(path, key);
				assert.deepEqual([status, param], [403, name], `${path}: ${message}`);
				assert.ok(message.startsWith(`${name} reads member_postal_code`), message);
			}
		}
	});
});
