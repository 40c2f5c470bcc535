/**
 * The canonical order of a month's rows (docs/API.md §1.4): country, state, folded last name, folded first
 * name, license number by bytes, then CSV order; rows without a value last. A row's position in this order
 * determines its id.
 *
 * An LSD radix sort: one stable counting sort over dictionary ranks per key, least significant key first. Cost
 * O(rows) per key.
 */

import { compareBytes, type StateRun } from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";
import { sortStrings } from "./string-sort.js";

export interface CanonicalKeys {
	readonly country: MergedColumn;
	readonly state: MergedColumn;
	readonly lastName: MergedColumn;
	readonly firstName: MergedColumn;
	readonly licenseNumber: MergedColumn;
}

export interface CanonicalOrder {
	/** CSV row at each position. */
	readonly order: Uint32Array;
	/** The states' runs of positions. */
	readonly states: readonly StateRun[];
}

/** The canonical order of all rows. */
export function canonicalOrder(keys: CanonicalKeys): CanonicalOrder {
	const rows = keys.state.codes.length;
	let order: Uint32Array = new Uint32Array(rows);
	for (let row = 0; row < rows; row++) order[row] = row;
	order = sortByRank(order, keys.licenseNumber, byteRanks(keys.licenseNumber));
	order = sortByRank(order, keys.firstName, keys.firstName.foldRanks);
	order = sortByRank(order, keys.lastName, keys.lastName.foldRanks);
	order = sortByRank(order, keys.state, null);
	order = sortByRank(order, keys.country, null);
	const shared = new Uint32Array(new SharedArrayBuffer(rows * 4));
	shared.set(order);
	return { order: shared, states: stateRuns(shared, keys) };
}

/** Stable counting sort of `order` by the rank of each row's code; `ranks` is null if codes equal ranks. */
function sortByRank(order: Uint32Array, column: MergedColumn, ranks: Uint32Array | null): Uint32Array {
	const { codes, distinct } = column;
	const cursor = new Uint32Array(distinct + 2);
	const rankOf = new Uint32Array(distinct + 1);
	for (let code = 0; code < distinct; code++) rankOf[code] = ranks === null ? code : ranks[code];
	rankOf[distinct] = distinct;
	for (let row = 0; row < codes.length; row++) cursor[rankOf[codes[row]] + 1]++;
	for (let rank = 0; rank <= distinct; rank++) cursor[rank + 1] += cursor[rank];
	const sorted = new Uint32Array(order.length);
	for (let i = 0; i < order.length; i++) {
		const row = order[i];
		sorted[cursor[rankOf[codes[row]]]++] = row;
	}
	return sorted;
}

/** Ranks of the codes in byte order; null if the dictionary is already in that order. */
function byteRanks(column: MergedColumn): Uint32Array | null {
	const { offsets, heap, distinct } = column;
	const inOrder = (code: number) =>
		compareBytes(heap, offsets[code - 1], offsets[code], heap, offsets[code], offsets[code + 1]) < 0;
	let code = 1;
	while (code < distinct && inOrder(code)) code++;
	if (code >= distinct) return null;
	const ranks = new Uint32Array(distinct);
	const sorted = sortStrings(column, () => 0);
	for (let rank = 0; rank < distinct; rank++) ranks[sorted[rank]] = rank;
	return ranks;
}

function stateRuns(order: Uint32Array, { country, state }: CanonicalKeys): StateRun[] {
	const runs: StateRun[] = [];
	let first = 0;
	for (let position = 1; position <= order.length; position++) {
		if (position < order.length && state.codes[order[position]] === state.codes[order[first]]) continue;
		const row = order[first];
		runs.push({
			country: text(country, country.codes[row]),
			state: text(state, state.codes[row]),
			first,
			rows: position - first,
		});
		first = position;
	}
	return runs;
}

function text(column: MergedColumn, code: number): string {
	const { heap, offsets } = column;
	return Buffer.from(heap.subarray(offsets[code], offsets[code + 1])).toString("utf8");
}
