/** Queries of changes over random months, page by page, against a naive comparison; and their bytes. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { makeWholeChanges } from "../../builder/changes/keep-changes.js";
import { OlderRows } from "../../engine/changes/older-rows.js";
import {
	ByteSink,
	CHANGE_KINDS,
	type ChangePosition,
	type ChangeSet,
	ChangesWriter,
	DEFAULT_QUERY,
	FILTERED_ROWS,
	type Library,
	openLibrary,
	type Projection,
	type Snapshot,
} from "../../engine/index.js";
import {
	CHANGE_FIELDS,
	COLUMNS,
	type ColumnName,
	FILTER_NAMES,
	GROUP_COLUMNS,
	snapshotFolder,
	TRACKED_COLUMNS,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { csvCell, naiveObject, visibleValue } from "../oracle/naive-render.js";
import { makeRows, type NaiveRow } from "../oracle/naive-rows.js";
import { randomMonth } from "../oracle/random-month.js";
import { randomGeography, randomQuery } from "../oracle/random-query.js";
import { checkAsyncProperty, fuzzRuns } from "../oracle/seeded.js";
import { type NaiveChange, naiveChanges } from "./naive-changes.js";
import { relatedDrops } from "./related-months.js";

const MONTHS = ["2026-08", "2026-09", "2026-11"];
/** Random months that are queried. */
const CASES = 60;
/** Queries of each pair of months: so many that every filter has entries in one of them. */
const ASKS = 24;
const FIELDS = TRACKED_COLUMNS.map((c) => c.name);
/** The older and the newer month of what is asked. */
const PAIRS = [
	[0, 1],
	[0, 2],
] as const;

interface Pair {
	readonly set: ChangeSet;
	readonly from: NaiveMonth;
	readonly to: NaiveMonth;
}

function onPairs(work: (pair: Pair, draw: Draw) => void) {
	return fc.asyncProperty(randomMonth(60), randomMonth(40), fc.nat(), async (one, other, seed) => {
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-changes-"));
		const folderOf = (month: number) => snapshotFolder(folder, MONTHS[month]);
		try {
			const draw = new Draw(seed);
			const naive: NaiveMonth[] = [];
			for (const [i, drop] of relatedDrops(one, other, 3, draw).entries()) {
				await compileRows(drop, MONTHS[i], folder, draw.oneIn(2), draw);
				naive.push(new NaiveMonth(MONTHS[i], makeRows(drop, MONTHS[i])));
			}
			for (const [from, to] of PAIRS)
				if (draw.oneIn(2)) await makeWholeChanges(folder, folderOf(from), folderOf(to));
			const library: Library = openLibrary({ dataFolder: folder });
			const find = (i: number) => library.find(MONTHS[i]) as Snapshot;
			for (const [from, to] of PAIRS)
				work({ set: library.changes(find(from), find(to)), from: naive[from], to: naive[to] }, draw);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
}

function randomAsk({ from, to }: Pair, draw: Draw) {
	const { filters } = randomQuery(draw.oneIn(2) ? from : to, draw, {
		oneFilterIn: draw.pick([12, 40]),
		limitMax: 20,
	});
	return {
		filters,
		geography: draw.oneIn(3) ? randomGeography(draw.oneIn(2) ? from : to, draw) : null,
		kinds: draw.oneIn(2) ? CHANGE_KINDS : CHANGE_KINDS.filter(() => draw.oneIn(2)),
		fields: draw.oneIn(2) ? FIELDS : CHANGE_FIELDS.filter(() => draw.oneIn(draw.pick([1, 3, 8]))),
		filtersOn: draw.pick([...FILTERED_ROWS, undefined]),
	};
}

type Ask = ReturnType<typeof randomAsk>;

/** Names of the filters that have a value. */
function given(filters: Ask["filters"]): string[] {
	return Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Whether a changed license changed in one of `fields`: in a group, where its source changed, too. */
function isChangedIn(
	fields: readonly ColumnName[],
	{ row, previous, fields: changed }: NaiveChange,
): boolean {
	const groups = GROUP_COLUMNS.filter(
		({ column, source }) => changed.includes(source) && row?.[column] !== previous?.[column],
	);
	return [...changed, ...groups.map(({ column }) => column)].some((field) => fields.includes(field));
}

/** What is expected of all pages, in the order of entries. */
function expected({ from, to }: Pair, { filters, geography, kinds, fields, filtersOn }: Ask): NaiveChange[] {
	const matches = (month: NaiveMonth) =>
		new Set(month.query({ ...DEFAULT_QUERY, filters, geography, limit: 100_000 }).rows);
	const [older, newer] = [matches(from), matches(to)];
	const all = naiveChanges(from.rows, to.rows).filter(
		(change) =>
			kinds.includes(change.kind) &&
			(change.kind === "gone" || filtersOn === "older"
				? older.has(change.previous as NaiveRow)
				: newer.has(change.row as NaiveRow)) &&
			(change.kind !== "changed" || isChangedIn(fields, change)),
	);
	return CHANGE_KINDS.flatMap((kind) => all.filter((change) => change.kind === kind));
}

test("pages of changes equal those of a naive comparison, for any filters, grant, kinds and sizes", async (t) => {
	/** Filters that were asked and had entries. */
	const asked = new Set<string>();
	const property = onPairs((pair, draw) => {
		for (let i = 0; i < ASKS; i++) {
			const ask = randomAsk(pair, draw);
			const all = expected(pair, ask);
			if (all.length > 0) for (const name of given(ask.filters)) asked.add(name);
			const totals = { new: 0, gone: 0, changed: 0 };
			for (const { kind } of all) totals[kind]++;
			const listed: unknown[] = [];
			let after: ChangePosition | null = null;
			for (let more = true; more; ) {
				const limit = 1 + draw.below(9);
				const page = pair.set.query({ ...ask, after, limit });
				assert.deepEqual(page.totals, totals);
				const rows = page.runs.flatMap(({ kind, rows }) => Array.from(rows, (row) => ({ kind, row })));
				listed.push(...rows);
				assert.ok(page.runs.every((run) => run.rows.length > 0));
				assert.deepEqual(page.last, rows.at(-1) ?? null, "where the next page begins");
				assert.equal(page.hasNext, listed.length < all.length);
				assert.equal(rows.length, page.hasNext ? limit : Math.min(limit, rows.length));
				more = page.hasNext;
				after = page.last;
			}
			assert.deepEqual(
				listed,
				all.map(({ kind, row, previous }) => ({
					kind,
					row:
						kind === "gone"
							? pair.from.rows.indexOf(previous as NaiveRow)
							: pair.to.rows.indexOf(row as NaiveRow),
				})),
			);
		}
	});
	await checkAsyncProperty(t, CASES, property);
	const missed = FILTER_NAMES.filter((name) => !asked.has(name));
	assert.deepEqual(fuzzRuns(CASES) < CASES ? [] : missed, [], "every filter is asked");
});

function picked(row: NaiveRow | null, projection: Projection) {
	return row === null ? null : naiveObject(row, projection);
}

test("entries are written as JSON, NDJSON and CSV with the columns and changes that a key reads", async (t) => {
	const sources = t.mock.method(OlderRows.prototype, "sourceOf").mock;
	const property = onPairs((pair, draw) => {
		const columns = draw.oneIn(2)
			? COLUMNS.map((c) => c.name)
			: COLUMNS.map((c) => c.name).filter(() => draw.oneIn(3));
		if (columns.length === 0) columns.push("id");
		const projection: Projection = { columns, masked: draw.oneIn(2) };
		const ask = draw.oneIn(2)
			? { filters: {}, geography: null, kinds: CHANGE_KINDS, fields: FIELDS, filtersOn: undefined }
			: randomAsk(pair, draw);
		const all = expected(pair, ask);
		const page = pair.set.query({ ...ask, after: null, limit: 100_000 });
		const render = (format: "json" | "ndjson" | "csv", step: number) => {
			const sink = new ByteSink();
			const writer = new ChangesWriter(pair.set, projection, () => true, format);
			writer.header(sink);
			for (let at = 0; at < all.length; at += step) {
				if (format === "json" && at > 0) sink.text(",");
				writer.entries(page, at, Math.min(all.length, at + step), sink);
			}
			return sink.view().toString();
		};
		const objects = all.map(({ kind, row, previous, fields }) => ({
			kind,
			state: (row ?? previous)?.state,
			license_number: (row ?? previous)?.member_state_license_number,
			row: picked(row, projection),
			previous: picked(previous, projection),
			changes: fields.map((field) => ({ field, from: previous?.[field], to: row?.[field] })),
		}));
		const step = 1 + draw.below(7);
		assert.deepEqual(JSON.parse(`[${render("json", step)}]`), objects);
		const lines = render("ndjson", step).split("\n");
		assert.equal(lines.pop(), "");
		assert.deepEqual(
			lines.map((line) => JSON.parse(line)),
			objects,
		);
		const line = ({ kind, row, previous, fields }: NaiveChange) => {
			const shown = (row ?? previous) as NaiveRow;
			const before = FIELDS.map((name) => (kind === "changed" ? (previous?.[name] ?? null) : null));
			const license = [shown.state, shown.member_state_license_number];
			const cells = [
				kind,
				...license,
				fields.join(" "),
				...columns.map((name) => visibleValue(shown, name, projection)),
				...before,
			];
			return `${cells.map(csvCell).join(",")}\r\n`;
		};
		const header = ["kind", "state", "license_number", "changed_fields", ...columns];
		const names = [...header, ...FIELDS.map((name) => `previous_${name}`)];
		assert.equal(render("csv", step), `${names.join(",")}\r\n${all.map(line).join("")}`);
	});
	await checkAsyncProperty(t, 40, property);
	assert.ok(
		fuzzRuns(40) < 40 || sources.callCount() > 0,
		"some are written from rows stored with the changes",
	);
});
