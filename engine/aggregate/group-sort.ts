/**
 * GROUP BY two dimensions by a partitioned counting sort, where they have too many combinations for an array of
 * counters: rows are divided by the leading bits of their group in the dimension with more groups, each partition is
 * sorted by the bits that remain, and the other dimension's groups are counted within each group.
 *
 * A partition and its counters fit in the second-level cache, so that the only accesses to far memory are
 * sequential: the codes are read, and as many places as there are partitions are written to in turn. Cost O(rows +
 * groups of both dimensions).
 */

import { invariant, type Range } from "../../formats/index.js";
import { countRows } from "../columns/runs.js";
import { PARTITION_BITS } from "../tuning.js";
import type { Dimension } from "./dimensions.js";
import type { GroupedRows, TakeGroup } from "./group-rows.js";

/** Memory of a sort, kept from query to query and grown as needed. */
let packed = new Uint32Array(1 << 16);
let sorted = new Uint32Array(1 << 16);

/** How a pair of groups is written to one word: the outer group's bits below those of its partition, then the inner group. */
interface Packing {
	readonly outer: Dimension;
	readonly inner: Dimension;
	readonly innerBits: number;
	/** Bits of the outer group within a partition. */
	readonly localBits: number;
	readonly partitions: number;
}

/** Groups rows by two dimensions. Groups are taken in the order of the one with more groups. */
export function groupBySorting(
	rows: GroupedRows,
	first: Dimension,
	second: Dimension,
	take: TakeGroup,
): void {
	const isSwapped = second.groupCount > first.groupCount;
	const packing = isSwapped ? packingOf(second, first) : packingOf(first, second);
	const ends = partition(rows, packing);
	const takePair: TakeGroup = isSwapped ? (outer, inner, count) => take(inner, outer, count) : take;
	const counter = new PartitionCounter(packing, takePair);
	for (let number = 0, from = 0; number < packing.partitions; number++) {
		if (from < ends[number]) counter.countRows(number, from, ends[number]);
		from = ends[number];
	}
}

function packingOf(outer: Dimension, inner: Dimension): Packing {
	const outerBits = bitsOf(outer.groupCount);
	const innerBits = bitsOf(inner.groupCount);
	// So many that what remains of both groups fits in a word.
	const partitionBits = Math.max(Math.min(PARTITION_BITS, outerBits), outerBits + innerBits - 32);
	const localBits = outerBits - partitionBits;
	invariant(localBits >= 0 && innerBits < 32, "two groups fit in a word");
	const partitions = ((outer.groupCount - 1) >>> localBits) + 1;
	return { outer, inner, innerBits, localBits, partitions };
}

/** Bits of the greatest group number. */
function bitsOf(groupCount: number): number {
	return 32 - Math.clz32(groupCount - 1);
}

/** Writes each row's pair to its partition of `packed`; returns where each partition ends. */
function partition(rows: GroupedRows, packing: Packing): Uint32Array {
	const count = "list" in rows ? rows.count : countRows(rows.runs);
	if (packed.length < count) packed = new Uint32Array(Math.max(count, packed.length * 2));
	const next = new Uint32Array(packing.partitions);
	countPartitions(rows, packing.outer, packing.localBits, next);
	let at = 0;
	for (let number = 0; number < next.length; number++) {
		const size = next[number];
		next[number] = at;
		at += size;
	}
	if ("list" in rows) placeListed(rows.list, count, packing, next);
	else for (const run of rows.runs) placeRun(run, packing, next);
	return next;
}

function placeListed(
	list: Uint32Array,
	count: number,
	{ outer, inner, innerBits, localBits }: Packing,
	next: Uint32Array,
): void {
	const out = packed;
	const { codes: outerCodes, groupOfCode: outerGroups } = outer;
	const { codes: innerCodes, groupOfCode: innerGroups } = inner;
	const mask = 2 ** localBits - 1;
	for (let i = 0; i < count; i++) {
		const row = list[i];
		const group = outerGroups === null ? outerCodes[row] : outerGroups[outerCodes[row]];
		const other = innerGroups === null ? innerCodes[row] : innerGroups[innerCodes[row]];
		out[next[group >>> localBits]++] = ((group & mask) << innerBits) | other;
	}
}

function placeRun(
	{ from, to }: Range,
	{ outer, inner, innerBits, localBits }: Packing,
	next: Uint32Array,
): void {
	const out = packed;
	const { codes: outerCodes, groupOfCode: outerGroups } = outer;
	const { codes: innerCodes, groupOfCode: innerGroups } = inner;
	const mask = 2 ** localBits - 1;
	for (let row = from; row < to; row++) {
		const group = outerGroups === null ? outerCodes[row] : outerGroups[outerCodes[row]];
		const other = innerGroups === null ? innerCodes[row] : innerGroups[innerCodes[row]];
		out[next[group >>> localBits]++] = ((group & mask) << innerBits) | other;
	}
}

function countPartitions(
	rows: GroupedRows,
	{ codes, groupOfCode: groups }: Dimension,
	localBits: number,
	counts: Uint32Array,
): void {
	if ("list" in rows) {
		const { list, count } = rows;
		if (groups === null) for (let i = 0; i < count; i++) counts[codes[list[i]] >>> localBits]++;
		else for (let i = 0; i < count; i++) counts[groups[codes[list[i]]] >>> localBits]++;
		return;
	}
	for (const { from, to } of rows.runs) {
		if (groups === null) for (let row = from; row < to; row++) counts[codes[row] >>> localBits]++;
		else for (let row = from; row < to; row++) counts[groups[codes[row]] >>> localBits]++;
	}
}

/** Counts the groups of one partition after the other. */
class PartitionCounter {
	/** Ends of the outer groups of a partition. */
	private readonly ends: Uint32Array;
	/** By inner group, zero between outer groups. */
	private readonly counts: Uint32Array;
	/** Inner groups that the outer group at hand has, and room for one that is no new one. */
	private readonly seen: Uint32Array;

	constructor(
		private readonly packing: Packing,
		private readonly take: TakeGroup,
	) {
		this.ends = new Uint32Array(2 ** packing.localBits);
		this.counts = new Uint32Array(packing.inner.groupCount);
		this.seen = new Uint32Array(packing.inner.groupCount + 1);
	}

	/** Takes the groups of the pairs at [from, to) of `packed`, which are of one partition. */
	countRows(number: number, from: number, to: number): void {
		const { ends, take } = this;
		const { localBits } = this.packing;
		this.sort(from, to);
		const first = number << localBits;
		let at = 0;
		for (let local = 0; local < ends.length; local++) {
			const end = ends[local];
			if (end === at + 1) take(first + local, sorted[at], 1);
			else if (end > at) this.countGroup(first + local, at, end);
			at = end;
		}
	}

	/** Writes the inner groups of the pairs at [from, to) to `sorted` by outer group; `ends` has where each ends. */
	private sort(from: number, to: number): void {
		const { ends } = this;
		const { innerBits } = this.packing;
		if (sorted.length < to - from) sorted = new Uint32Array(Math.max(to - from, sorted.length * 2));
		const out = sorted;
		const pairs = packed;
		const mask = 2 ** innerBits - 1;
		ends.fill(0);
		for (let i = from; i < to; i++) ends[pairs[i] >>> innerBits]++;
		let at = 0;
		for (let local = 0; local < ends.length; local++) {
			const size = ends[local];
			ends[local] = at;
			at += size;
		}
		for (let i = from; i < to; i++) {
			const pair = pairs[i];
			out[ends[pair >>> innerBits]++] = pair & mask;
		}
	}

	private countGroup(outer: number, from: number, to: number): void {
		const { counts, seen, take } = this;
		const groups = sorted;
		let seenCount = 0;
		for (let i = from; i < to; i++) {
			const group = groups[i];
			const before = counts[group];
			seen[seenCount] = group;
			// One more where it was zero, without a branch: half of all groups have one row.
			seenCount += (before - 1) >>> 31;
			counts[group] = before + 1;
		}
		for (let i = 0; i < seenCount; i++) {
			const group = seen[i];
			take(outer, group, counts[group]);
			counts[group] = 0;
		}
	}
}
