/** Grants as an operator writes them: how they are read, and how mistakes are reported. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { KEY_ERROR_CODES, KeyError } from "../../server/keys/errors.js";
import {
	parseColumns,
	parseDuration,
	parseGeography,
	parseHistory,
	parseLimit,
	parseName,
} from "../../server/keys/grant-options.js";
import { type Scope, TIERS } from "../../server/keys/key.js";
import { TIER_TRAITS } from "../../server/keys/tiers.js";
import { looseKey } from "./scratch.js";

function refused(parse: () => unknown, message: RegExp): void {
	assert.throws(
		parse,
		(error) => error instanceof KeyError && error.code === "invalid_grant" && message.test(error.message),
	);
}

test("error codes of keys are frozen", () => {
	assert.deepEqual(KEY_ERROR_CODES, ["unknown_key", "key_revoked", "invalid_grant", "key_expired"]);
});

test("every tier has the limits, lifetime, masking and columns of its row", () => {
	const rows = TIERS.map((tier) => {
		const { rate_limits: l, lifetimeMs, masked, withheld } = TIER_TRAITS[tier];
		const days = lifetimeMs === null ? null : lifetimeMs / 86_400_000;
		return [tier, l.per_minute, l.per_day, l.monthly_quota, days, masked, withheld];
	});
	assert.deepEqual(rows, [
		["demo", 10, 100, 1_000, null, true, ["member_address"]],
		["trial", 30, 300, 2_000, 14, true, []],
		["production", 600, 100_000, null, null, false, []],
		["enterprise", 6_000, null, null, null, false, []],
	]);
});

test("a demo key reads all columns but the street address, or fewer where its grant is narrower", () => {
	const all = COLUMNS.map((c) => c.name);
	assert.deepEqual(
		looseKey({ tier: "demo" }).scope.columns,
		all.filter((name) => name !== "member_address"),
	);
	const columns = parseColumns("office_name", "demo");
	const scope = { geography: null, columns, history: { mode: "latest" } } as const;
	assert.deepEqual(looseKey({ tier: "demo", scope }).scope.columns, ["id", "snapshot", "office_name"]);
	assert.equal(looseKey({ tier: "trial" }).scope.columns, null);
	assert.deepEqual(
		TIERS.map((tier) => looseKey({ tier }).masked),
		[true, true, false, false],
	);
});

test("the scope tag differs exactly where what a key reads differs", () => {
	const tag = (tier: (typeof TIERS)[number], columns?: string) => {
		const granted = columns === undefined ? null : parseColumns(columns, tier);
		return looseKey({ tier, scope: { geography: null, columns: granted, history: { mode: "all" } } })
			.scopeTag;
	};
	assert.equal(tag("production"), tag("enterprise"));
	assert.notEqual(tag("production"), tag("trial"));
	assert.notEqual(tag("trial"), tag("demo"));
	assert.equal(tag("production", "state,office_name"), tag("production", "office_name, state"));
	const scope = { geography: null, columns: null, history: { mode: "all" } } as const;
	const tagOf = (scope: Scope) => looseKey({ scope }).scopeTag;
	assert.notEqual(tagOf({ ...scope, bulk: true }), tagOf(scope));
	assert.equal(tagOf({ ...scope, bulk: false }), tagOf(scope));
});

test("durations are read in seconds, minutes, hours and days", () => {
	assert.deepEqual(
		["0s", "90s", "30m", "12h", "14d"].map(parseDuration),
		[0, 90_000, 1_800_000, 43_200_000, 1_209_600_000],
	);
	for (const text of ["", "14", "d", "-1d", "1.5h", "1w", "14 d", "14D", "99999999999d"]) {
		refused(() => parseDuration(text), /is not a duration.*14d/);
	}
	refused(() => parseDuration("36501d"), /longer than 36500d/);
});

test("limits are whole numbers from one, or none", () => {
	assert.deepEqual(["1", "600", "2000000000", "none"].map(parseLimit), [1, 600, 2_000_000_000, null]);
	for (const text of ["", "0", "-1", "1e3", "2.5", "2000000001", "None", "٣"]) {
		refused(() => parseLimit(text), /is not a limit/);
	}
});

test("history grants are latest, all or a number of months", () => {
	assert.deepEqual(parseHistory("latest"), { mode: "latest" });
	assert.deepEqual(parseHistory("all"), { mode: "all" });
	assert.deepEqual(parseHistory("months:12"), { mode: "months", months: 12 });
	for (const text of ["", "months", "months:", "months:0", "months:-1", "months:1201", "every", "ALL"]) {
		refused(
			() => parseHistory(text),
			/is not a history grant: write latest, months:N \(N from 1 to 1200\) or all/,
		);
	}
});

test("names are trimmed and have no control characters", () => {
	assert.equal(parseName("  Acme Realty  "), "Acme Realty");
	for (const text of ["", "   ", "a\tb", "a\u0000", "x".repeat(101)])
		refused(() => parseName(text), /a name has/);
});

test("geography is read in any case and order, without duplicates", () => {
	assert.equal(parseGeography(undefined, undefined), null);
	assert.deepEqual(parseGeography("ca,us", undefined), { countries: ["US", "CA"], states: [] });
	assert.deepEqual(parseGeography(undefined, "tx, CA,tx"), { countries: [], states: ["CA", "TX"] });
	assert.deepEqual(parseGeography("CA", "TX"), { countries: ["CA"], states: ["TX"] });
});

test("an unknown country, state or column is reported with the allowed values", () => {
	refused(
		() => parseGeography("USA", undefined),
		/^--countries must be US or CA; got "USA"; did you mean "US"\?$/,
	);
	refused(
		() => parseGeography(undefined, "CA,T"),
		/^--states has no state or province "T"\. The codes are AL, AK/,
	);
	refused(() => parseColumns("ofice_name", "trial"), /no column "ofice_name"; did you mean "office_name"\?/);
	refused(() => parseColumns("Office_Name", "trial"), /did you mean "office_name"\?/);
	refused(() => parseColumns("", "trial"), /an item of the list is empty/);
	refused(() => parseGeography(undefined, "CA,,TX"), /an item of the list is empty/);
	refused(() => parseColumns("state,member_address", "demo"), /demo keys never read member_address/);
});

test("id and snapshot are always granted, and columns come in output order", () => {
	assert.deepEqual(parseColumns("office_name,state,office_name", "production"), [
		"id",
		"snapshot",
		"state",
		"office_name",
	]);
});
