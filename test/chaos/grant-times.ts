/**
 * `npm run chaos -- grant-times --data DIR [--state WY]`: how long the engine takes for a value that occurs
 * outside a key's geography alone, and for one that occurs nowhere, by filter: medians in microseconds, of
 * turns in random order. What holds without a clock is tested by test/engine/granted-values.test.ts.
 */

import { parseArgs } from "node:util";
import { DEFAULT_QUERY, EngineError, type Filters, openLibrary, type Snapshot } from "../../engine/index.js";
import { columnNamed, FILTERS, type FilterName } from "../../formats/index.js";

const TURNS = 4_000;
const ROWS_TRIED = 2_000;

interface Pair {
	readonly name: string;
	readonly outside: () => unknown;
	readonly nowhere: () => unknown;
}

export function grantTimesCommand(args: readonly string[]): number {
	const { values } = parseArgs({
		args: [...args],
		options: { data: { type: "string", default: "./data" }, state: { type: "string", default: "WY" } },
	});
	const library = openLibrary({ dataFolder: values.data });
	const snapshot = library.latest;
	if (snapshot === null) {
		console.error(`no month is published in ${values.data}`);
		return 1;
	}
	console.log(`${snapshot.month}, ${snapshot.rows} rows, a key that reads ${values.state}; µs`);
	console.log(`${"".padEnd(24)}outside   nowhere`);
	for (const pair of pairsOf(snapshot, values.state)) {
		const [outside, nowhere] = medians(pair);
		console.log(`${pair.name.padEnd(24)}${outside.toFixed(2).padStart(7)} ${nowhere.toFixed(2).padStart(9)}`);
	}
	return 0;
}

function pairsOf(snapshot: Snapshot, state: string): Pair[] {
	const geography = { countries: [], states: [state] };
	const query = (filters: Filters) => () => snapshot.query({ ...DEFAULT_QUERY, filters, geography });
	const suggest = (prefix: string) => () =>
		snapshot.suggestions.of({ field: "member_last_name", prefix, state: null, limit: 10, geography });
	const pairs: Pair[] = [];
	for (const { param, kind, column } of FILTERS) {
		if (param === "name" && !searchesNames(snapshot)) continue;
		if (column === null || !["exact", "prefix", "fold", "name"].includes(kind)) continue;
		const found = valueOutside(snapshot, param, geography, (row) =>
			snapshot.value(row, columnNamed(column).name),
		);
		if (found === null) continue;
		const [value, other] = found;
		pairs.push({ name: param, outside: query({ [param]: value }), nowhere: query({ [param]: other }) });
	}
	const last = valueOutside(snapshot, "last_name", geography, (row) =>
		snapshot.value(row, "member_last_name"),
	);
	if (last !== null) pairs.push({ name: "suggest", outside: suggest(last[0]), nowhere: suggest(last[1]) });
	return pairs;
}

/** Months of earlier versions have no index of names. */
function searchesNames(snapshot: Snapshot): boolean {
	try {
		snapshot.query({ ...DEFAULT_QUERY, filters: { name: "a" } });
		return true;
	} catch (error) {
		if (error instanceof EngineError && error.code === "no_name_index") return false;
		throw error;
	}
}

/** A value that no granted row has and others do, and one of the same length that no row has; null: none was found. */
function valueOutside(
	snapshot: Snapshot,
	param: FilterName,
	geography: { readonly countries: readonly never[]; readonly states: readonly string[] },
	valueOfRow: (row: number) => string | number | null,
): [string, string] | null {
	const total = (value: string, within: typeof geography | null) =>
		snapshot.query({ ...DEFAULT_QUERY, filters: { [param]: value }, geography: within }).total;
	for (let i = 0; i < ROWS_TRIED; i++) {
		const value = valueOfRow(Math.floor((i * snapshot.rows) / ROWS_TRIED));
		if (typeof value !== "string" || value.length < 3 || total(value, geography) !== 0) continue;
		const other = `${value.slice(0, -2)}qx`;
		if (total(other, null) === 0 && (total(value, null) ?? 0) > 0) return [value, other];
	}
	return null;
}

function medians({ outside, nowhere }: Pair): [number, number] {
	const sides = [outside, nowhere].map((ask) => ({ ask, times: [] as number[] }));
	for (let turn = 0; turn < TURNS; turn++) {
		const first = Math.random() < 0.5 ? 0 : 1;
		for (const { ask, times } of [sides[first], sides[1 - first]]) {
			const begun = performance.now();
			ask();
			times.push(performance.now() - begun);
		}
	}
	const [a, b] = sides.map(({ times }) => times.sort((x, y) => x - y)[times.length >> 1] * 1_000);
	return [a, b];
}
