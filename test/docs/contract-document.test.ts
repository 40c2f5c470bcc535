/** docs/API.md and the tables that the service is made from say the same, both ways where there is a table. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DIMENSION_NAMES } from "../../engine/index.js";
import { COLUMNS, FILTERS, FILTERS_BY_NAME } from "../../formats/index.js";
import { ERROR_STATUS } from "../../server/api/errors.js";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { TIER_TRAITS } from "../../server/keys/tiers.js";
import { TOOL_NAMES } from "../../server/mcp/tools.js";

const DOCUMENT = readFileSync(fileURLToPath(new URL("../../../docs/API.md", import.meta.url)), "utf8");
const DAY_MS = 86_400_000;

/** The rows of every table whose header line is `header`, as trimmed cells. */
function tableOf(header: string): string[][] {
	const lines = DOCUMENT.split("\n");
	const rows: string[][] = [];
	for (let start = lines.indexOf(header); start >= 0; start = lines.indexOf(header, start + 1))
		for (let line = start + 2; lines[line]?.startsWith("|"); line++)
			rows.push(
				lines[line]
					.slice(1, -1)
					.split("|")
					.map((cell) => cell.trim()),
			);
	assert.notEqual(rows.length, 0, `the document has the table ${header}`);
	return rows;
}

/** The text of every section whose heading is `GET path`, with its subsections. */
function sectionOf(path: string): string {
	const [, level, number, rest] =
		new RegExp(`^(#+) ([\\d.]+) GET ${path.replace(/[{}]/g, "\\$&")}(?: .*)?$([^]*)`, "m").exec(DOCUMENT) ??
		[];
	assert.ok(number, `the document has a section "GET ${path}"`);
	const end = new RegExp(`^#{1,${level.length}} `, "m").exec(rest);
	return rest.slice(0, end?.index);
}

function bare(cell: string): string {
	return cell.replaceAll("`", "");
}

test("the columns are listed in output order with their traits", () => {
	const rows = tableOf("| column | type | notes |");
	assert.deepEqual(
		rows.map(([name]) => bare(name)),
		COLUMNS.map((c) => c.name),
	);
	for (const [i, [name, type, notes]] of rows.entries()) {
		const { nullable, sortable, tracked, contact } = COLUMNS[i];
		assert.equal(type.includes("nullable"), nullable, `${name} nullable`);
		assert.equal(/\bsortable\b/.test(notes), sortable, `${name} sortable`);
		assert.equal(/\btracked\b/.test(notes), tracked, `${name} tracked`);
		assert.equal(/\bcontact\b/.test(notes), contact, `${name} contact`);
	}
});

test("the filters are listed in the order of filters_applied", () => {
	const listed = tableOf("| parameter | column | matches |").flatMap(([names]) => bare(names).split(", "));
	assert.deepEqual(
		listed,
		FILTERS.map(({ param }) => param),
	);
});

test("every dimension of aggregates is listed, and no other", () => {
	const listed = tableOf("| dimension | groups by |").flatMap(([names]) => bare(names).split(", "));
	assert.deepEqual(listed.toSorted(), [...DIMENSION_NAMES].sort());
});

test("every error code is listed with its status, and no other", () => {
	const listed = tableOf("| code | status | when |").map(([code, status]) => [bare(code), Number(status)]);
	assert.deepEqual(listed, Object.entries(ERROR_STATUS));
});

test("every tier is listed with its limits, and no other", () => {
	const number = (cell: string) => (cell === "–" ? null : Number(cell.replaceAll(",", "")));
	const listed = tableOf("| tier | per minute | per day | per month | expires after |").map(
		([tier, minute, day, month, lifetime]) => {
			const lifetimeMs = lifetime === "–" ? null : Number.parseInt(lifetime, 10) * DAY_MS;
			const limits = { per_minute: number(minute), per_day: number(day), monthly_quota: number(month) };
			return [tier, limits, lifetimeMs];
		},
	);
	const made = Object.entries(TIER_TRAITS).map(([tier, t]) => [tier, t.rate_limits, t.lifetimeMs]);
	assert.deepEqual(listed, made);
});

test("every tool is listed, and no other", () => {
	const listed = tableOf("| tool | operation |").map(([tool]) => bare(tool));
	assert.deepEqual(listed.toSorted(), [...TOOL_NAMES].sort());
});

test("every operation has a section that names each of its parameters", () => {
	const filters = sectionOf("/v1/licenses");
	const extensions = DOCUMENT.slice(DOCUMENT.indexOf("\n## 11. Extensions"));
	for (const { endpoint, parameters, pathParameter } of OPERATIONS) {
		const section = sectionOf(endpoint);
		for (const name of Object.keys(parameters.shape)) {
			if (pathParameter?.split("/").includes(name)) continue;
			const named = new RegExp(`\`${name}(?:=[^\`]*)?\``);
			const texts = FILTERS_BY_NAME.has(name) ? [section, extensions, filters] : [section, extensions];
			assert.ok(
				texts.some((text) => named.test(text)),
				`"GET ${endpoint}" names ${name}`,
			);
		}
	}
});
