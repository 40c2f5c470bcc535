/** Pairs of random months, queries of their changes, and what a naive comparison expects of them. */

import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { makeWholeChanges } from "../../builder/changes/keep-changes.js";
import {
	CHANGE_KINDS,
	type ChangeSet,
	DEFAULT_QUERY,
	FILTERED_ROWS,
	type Library,
	openLibrary,
	type Snapshot,
} from "../../engine/index.js";
import {
	CHANGE_FIELDS,
	type ColumnName,
	GROUP_COLUMNS,
	snapshotFolder,
	TRACKED_COLUMNS,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows, type NaiveRow } from "../oracle/naive-rows.js";
import { randomMonth } from "../oracle/random-month.js";
import { randomGeography, randomQuery } from "../oracle/random-query.js";
import { type NaiveChange, naiveChanges } from "./naive-changes.js";
import { relatedDrops } from "./related-months.js";

/** Names of the fields that changes tell. */
export const FIELDS = TRACKED_COLUMNS.map((c) => c.name);

const MONTHS = ["2026-08", "2026-09", "2026-11"];
/** The older and the newer month of what is asked. */
const PAIRS = [
	[0, 1],
	[0, 2],
] as const;

/** The changes of two months as the engine finds them, and both months for a naive comparison. */
export interface Pair {
	readonly set: ChangeSet;
	readonly from: NaiveMonth;
	readonly to: NaiveMonth;
}

/** A property of pairs of small random months, some with stored rows. `work` is done with each pair. */
export function onPairs(work: (pair: Pair, draw: Draw) => void) {
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

/** A random query of a pair's changes, but for its page. */
export function randomAsk({ from, to }: Pair, draw: Draw) {
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

export type Ask = ReturnType<typeof randomAsk>;

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
export function expected(
	{ from, to }: Pair,
	{ filters, geography, kinds, fields, filtersOn }: Ask,
): NaiveChange[] {
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
