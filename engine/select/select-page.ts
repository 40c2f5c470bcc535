/**
 * The select step of a query for one page. Where the rows that meet its predicates have been counted by block before, and
 * the page is in the order of rows, they are not found again: the page's own blocks are searched when it is taken. The same
 * holds for the rows of a status with a type, whose counts are precomputed, and for those of a frequent status or type in
 * the order of a column, along which they are counted in the month's files.
 */

import { columnNamed, type Range } from "../../formats/index.js";
import { type CountedBlocks, SelectionKey, sumBlocks } from "../columns/block-counts.js";
import { CountedOrder } from "../columns/order-counts.js";
import { countRows } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { countWords } from "../kernels/bitmap.js";
import { onlyTerm, type Plan, type SelectionKind } from "../plan/plan.js";
import type { Scratch } from "../scratch.js";
import { COUNTED_BLOCK_WORDS, COUNTED_WORDS_MIN } from "../tuning.js";
import { EMPTY, selectRows } from "./select-rows.js";
import { type PageSelection, wordsOf, wordsOfRuns } from "./selection.js";

/** The ways that read the rows of several predicates. */
const READING: ReadonlySet<SelectionKind> = new Set<SelectionKind>(["bitmap", "list", "scan"]);

/** The numbers of one selection: two for each predicate, range of codes and run. */
const key = new SelectionKey(256);

/** As {@link selectRows}, for a page: rows that have been counted by block are not found. */
export function selectPage(plan: Plan, columns: SnapshotColumns, scratch: Scratch): PageSelection {
	const counted = countedInOrder(plan, columns);
	if (counted !== null) return { kind: "positions", count: counted.rows, counted };
	const paired = countedPair(plan, columns);
	if (paired !== null && rowsOf(paired) === 0) return EMPTY;
	if (!isInBlocks(plan, columns)) return selectRows(plan, columns, scratch);
	if (paired !== null) return { kind: "blocks", count: rowsOf(paired), blocks: paired };
	if (!writeKey(plan)) return selectRows(plan, columns, scratch);
	const { blockCounts } = columns;
	const known = blockCounts.get(key);
	if (known !== null) return { kind: "blocks", count: rowsOf(known), blocks: known };
	return selectRows(plan, columns, scratch, (words, parts) => {
		const counted = countBlocks(words, parts);
		blockCounts.keep(key, counted);
		return rowsOf(counted);
	});
}

/** The rows of a status with a type, where they are counted and a plan would read them. */
function countedPair(
	{ selection, predicates, runs }: Plan,
	{ pairCounts }: SnapshotColumns,
): CountedBlocks | null {
	if (predicates.length !== 2 || !READING.has(selection)) return null;
	return pairCounts.get(predicates[0], predicates[1], runs);
}

/** The rows of one predicate along their one sort column, where they are counted and a plan would read them. */
function countedInOrder(
	{ selection, predicates, order, isEverywhere }: Plan,
	{ orderCounts }: SnapshotColumns,
): CountedOrder | null {
	if (!isEverywhere || predicates.length !== 1 || order.columns.length !== 1) return null;
	if (!READING.has(selection)) return null;
	const counts = orderCounts.get(columnNamed(order.columns[0]));
	if (counts === null) return null;
	const [{ column, codes }] = predicates;
	return CountedOrder.of(counts, columnNamed(column), codes);
}

function rowsOf({ before }: CountedBlocks): number {
	return before[before.length - 1];
}

/** Whether a plan finds rows by bitmaps that have to be counted, for a page in the order of rows. */
function isInBlocks({ selection, order, predicates, runs }: Plan, { rows }: SnapshotColumns): boolean {
	if (selection !== "bitmap" || order.columns.length > 0) return false;
	if (wordsOf(wordsOfRuns(runs)) < COUNTED_WORDS_MIN) return false;
	// The rows of a single term are known where they are asked for in all states.
	return predicates.length > 1 || onlyTerm(predicates[0]) === null || countRows(runs) < rows;
}

/** Makes `key` stand for the rows that meet the predicates and are in the runs; false where these are too many. */
function writeKey({ predicates, runs }: Plan): boolean {
	key.reset();
	key.add(predicates.length);
	// The codes are those that match, whether the terms are their union or what they leave out.
	for (const { column, codes } of predicates) {
		key.add(columnNamed(column).code);
		if (!key.add(codes.length) || !writeRanges(codes)) return false;
	}
	return writeRanges(runs);
}

function writeRanges(ranges: readonly Range[]): boolean {
	for (const { from, to } of ranges) if (!key.add(from) || !key.add(to)) return false;
	return true;
}

/** The rows of a bitmap by block, which are all in ascending ranges of its words. Cost O(words of the ranges + blocks). */
function countBlocks(words: Uint32Array, parts: readonly Range[]): CountedBlocks {
	const blockWords = COUNTED_BLOCK_WORDS;
	const counted = new Uint32Array(Math.ceil(parts[parts.length - 1].to / blockWords) + 1);
	for (const { from, to } of parts) {
		for (let at = from; at < to; ) {
			const block = Math.floor(at / blockWords);
			const end = Math.min(to, (block + 1) * blockWords);
			counted[block + 1] += countWords(words, at, end);
			at = end;
		}
	}
	return sumBlocks(counted, blockWords);
}
