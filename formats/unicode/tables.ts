/**
 * The tables of one pinned Unicode version, unpacked at first use. Node's own Unicode version differs between
 * Node versions; what snapshots store must not.
 *
 * Invariant: the tables are those that were generated; {@link requireUnicodeTables} compares their checksum.
 */

import { crc32 } from "node:zlib";
import { invariant } from "../errors.js";
import {
	CASE_IGNORABLE,
	CASED,
	COMBINING_RANKS,
	COMPATIBILITY,
	COMPOSITES,
	DECOMPOSITIONS,
	LOWER_CASE,
	MARKS,
	TABLES_CRC,
	UNICODE_VERSION,
} from "./generated/tables.js";

export { UNICODE_VERSION };

/** A sequence of code points. */
export type CodePoints = readonly number[];

export interface UnicodeTables {
	/** Full canonical decompositions, without Hangul syllables, which are computed. */
	readonly canonical: ReadonlyMap<number, CodePoints>;
	/** Full compatibility decompositions that differ from the canonical ones. */
	readonly compatibility: ReadonlyMap<number, CodePoints>;
	/** Primary composites by {@link pairKey} of their two code points. */
	readonly composites: ReadonlyMap<number, number>;
	/** Rank of the canonical combining class of each mark; all others are starters. */
	readonly combiningRanks: ReadonlyMap<number, number>;
	/** Lower case out of context. */
	readonly lowerCase: ReadonlyMap<number, CodePoints>;
	readonly cased: CodePointSet;
	readonly caseIgnorable: CodePointSet;
	/** General category M. */
	readonly marks: CodePointSet;
}

class LazyTables implements UnicodeTables {
	private readonly cache = new Map<keyof UnicodeTables, unknown>();

	get canonical(): ReadonlyMap<number, CodePoints> {
		return this.once("canonical", readCanonical);
	}

	get compatibility(): ReadonlyMap<number, CodePoints> {
		return this.once("compatibility", () => mapOf(COMPATIBILITY));
	}

	get composites(): ReadonlyMap<number, number> {
		return this.once("composites", () => {
			const pairs = entriesOf(COMPOSITES);
			return new Map(pairs.map(([codePoint, first, last]) => [pairKey(first, last), codePoint]));
		});
	}

	get combiningRanks(): ReadonlyMap<number, number> {
		return this.once(
			"combiningRanks",
			() => new Map(entriesOf(COMBINING_RANKS).map(([mark, rank]) => [mark, rank])),
		);
	}

	get lowerCase(): ReadonlyMap<number, CodePoints> {
		return this.once("lowerCase", () => mapOf(LOWER_CASE));
	}

	get cased(): CodePointSet {
		return this.once("cased", () => new CodePointSet(entriesOf(CASED)));
	}

	get caseIgnorable(): CodePointSet {
		return this.once("caseIgnorable", () => new CodePointSet(entriesOf(CASE_IGNORABLE)));
	}

	get marks(): CodePointSet {
		return this.once("marks", () => new CodePointSet(entriesOf(MARKS)));
	}

	private once<T>(name: keyof UnicodeTables, read: () => T): T {
		if (!this.cache.has(name)) this.cache.set(name, read());
		return this.cache.get(name) as T;
	}
}

/** The tables. Each is unpacked at first access, in a few milliseconds. */
export const unicodeTables: UnicodeTables = new LazyTables();

const TABLE_NAMES: readonly (keyof UnicodeTables)[] = [
	"canonical",
	"compatibility",
	"composites",
	"combiningRanks",
	"lowerCase",
	"cased",
	"caseIgnorable",
	"marks",
];

/** Unpacks all tables, so that no text waits for it. Cost: 15 ms, once a thread. */
export function unpackUnicodeTables(): void {
	for (const name of TABLE_NAMES) void unicodeTables[name];
}

/** Throws InvariantError unless the tables are as generated. Cost: a checksum of 60 KB. */
export function requireUnicodeTables(): void {
	const all = [COMPOSITES, DECOMPOSITIONS, COMPATIBILITY, COMBINING_RANKS, LOWER_CASE];
	const crc = crc32([...all, CASED, CASE_IGNORABLE, MARKS].join("\n"));
	invariant(
		crc === TABLES_CRC,
		`the tables of Unicode ${UNICODE_VERSION} have CRC ${crc}, not ${TABLES_CRC}`,
	);
}

/** Key of two code points that compose. */
export function pairKey(first: number, last: number): number {
	return first * 0x11_0000 + last;
}

/** Code points as ascending ranges. */
class CodePointSet {
	private readonly firsts: Uint32Array;
	private readonly ends: Uint32Array;

	constructor(ranges: readonly (readonly number[])[]) {
		this.firsts = Uint32Array.from(ranges, ([first]) => first);
		this.ends = Uint32Array.from(ranges, ([first, count]) => first + count);
	}

	/** Cost O(log ranges). */
	has(codePoint: number): boolean {
		let low = 0;
		let high = this.ends.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.ends[middle] <= codePoint) low = middle + 1;
			else high = middle;
		}
		return low < this.ends.length && this.firsts[low] <= codePoint;
	}
}

/** Full decompositions; those of composites are computed from their parts. */
function readCanonical(): Map<number, CodePoints> {
	const canonical = new Map<number, CodePoints>();
	for (const [codePoint, ...decomposed] of entriesOf(DECOMPOSITIONS)) canonical.set(codePoint, decomposed);
	const direct = new Map(entriesOf(COMPOSITES).map(([codePoint, first, last]) => [codePoint, [first, last]]));
	const expand = (codePoint: number): CodePoints =>
		direct.get(codePoint)?.flatMap(expand) ?? canonical.get(codePoint) ?? [codePoint];
	for (const codePoint of direct.keys()) canonical.set(codePoint, expand(codePoint));
	return canonical;
}

function mapOf(table: string): Map<number, CodePoints> {
	return new Map(entriesOf(table).map(([codePoint, ...rest]) => [codePoint, rest]));
}

/** The entries of a packed table, with the first number of each decoded from its difference. */
function entriesOf(table: string): number[][] {
	let before = 0;
	return table.split(",").map((entry) => {
		const numbers = entry.split(" ").map((digits) => Number.parseInt(digits, 36));
		before += numbers[0];
		numbers[0] = before;
		return numbers;
	});
}
