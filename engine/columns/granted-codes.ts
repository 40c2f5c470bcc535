/**
 * The values that occur in the rows of a geography grant: one bit per code, with a rank index (counts before
 * every block of bits), so that a value or a range of values is looked up in constant time.
 *
 * Planning drops values that occur in no granted row, so a query for one has the same plan and cost as a query
 * for a value that occurs nowhere. The sets depend on the grant and not on the query.
 *
 * Memory: one bit per code, computed from the stored counts by state if there are any, else in one pass over the
 * granted rows' codes; a thread keeps at most {@link KEPT_BYTES_MAX} and drops the oldest first. A range of a
 * sortable column is searched in the states' orders (grant-search.ts) until that has cost as much as the pass.
 */

import type {
	CodeCounts,
	Codes,
	Column,
	ColumnName,
	Dictionary,
	NameIndex,
	Permutation,
	Range,
	SnapshotStats,
	StateRun,
	TextColumn,
} from "../../formats/index.js";
import { popcount } from "../kernels/bitmap.js";
import type { Geography } from "../query.js";
import { type GrantedRanges, GrantSearch } from "./grant-search.js";
import { countRows, joinRuns, type Run, selectStates } from "./runs.js";
import type { StateTable } from "./state-table.js";

/** Bytes of sets that a thread keeps: about forty grants over columns of 2.5 million values. */
const KEPT_BYTES_MAX = 32 << 20;

/** Words per block of the rank index. */
const BLOCK_WORDS = 8;
const BLOCK_SHIFT = 8;

/** Grants known to a snapshot by the rows they cover; the map is cleared when full. */
const GRANTS_MAX = 1024;

/** The columns whose values are counted by state when a month is built. */
const COUNTED: Partial<Record<ColumnName, "license_status" | "member_type">> = {
	member_license_status: "license_status",
	member_type: "member_type",
};

/** The sections that contain the values of rows. */
interface Sections {
	readonly rows: number;
	readonly codes: { get(column: Column): Codes };
	readonly dictionary: { get(column: Column): Dictionary };
	readonly text: { get(column: Column): TextColumn };
	readonly permutation: { get(column: Column): Permutation };
	readonly nameIndex: { get(column: Column): NameIndex | null };
	readonly stats: SnapshotStats;
}

export class GrantedCodes implements GrantedRanges {
	private readonly words: Uint32Array;
	/** Number of granted codes before each block. */
	private readonly before: Uint32Array;

	/** `codes`: number of codes; `mark` sets the granted ones. */
	constructor(codes: number, mark: (words: Uint32Array) => void) {
		this.words = new Uint32Array((Math.ceil(codes / (BLOCK_WORDS * 32)) + 1) * BLOCK_WORDS);
		mark(this.words);
		this.before = new Uint32Array(this.words.length / BLOCK_WORDS);
		let count = 0;
		for (let word = 0; word < this.words.length; word++) {
			if (word % BLOCK_WORDS === 0) this.before[word / BLOCK_WORDS] = count;
			count += popcount(this.words[word]);
		}
	}

	get bytes(): number {
		return this.words.byteLength + this.before.byteLength;
	}

	/** Whether a granted row has the code. */
	has(code: number): boolean {
		return (this.words[code >>> 5] & (1 << (code & 31))) !== 0;
	}

	/** Whether a granted row has a code in the range. Cost O(1). */
	hasAny({ from, to }: Range): boolean {
		return from < to && this.rank(to) > this.rank(from);
	}

	/** The first granted code at or after `code`; `end` if there is none before it. Cost O(codes skipped / 32). */
	next(code: number, end: number): number {
		let word = code >>> 5;
		let bits = this.words[word] & (-1 << (code & 31));
		while (bits === 0) {
			word++;
			if (word << 5 >= end) return end;
			bits = this.words[word];
		}
		return Math.min(end, (word << 5) + 31 - Math.clz32(bits & -bits));
	}

	/** Granted codes below `code`. */
	private rank(code: number): number {
		const block = code >>> BLOCK_SHIFT;
		let count = this.before[block];
		const last = code >>> 5;
		for (let word = block * BLOCK_WORDS; word < last; word++) count += popcount(this.words[word]);
		return count + popcount(this.words[last] & ~(-1 << (code & 31)));
	}
}

/** The sets of one grant over one snapshot, by slot: a column's code, plus {@link WORDS} for its words. */
interface GrantSets {
	/** Granted rows; null: all. */
	readonly runs: readonly Run[] | null;
	/** The states with these rows. */
	readonly states: readonly StateRun[];
	readonly sets: (GrantedCodes | undefined)[];
	/** By column's code. */
	readonly searches: (GrantSearch | undefined)[];
}

/** Greater than any column's code. */
const WORDS = 256;

/** The sets that a thread keeps, oldest first. */
const kept: { readonly owner: GrantSets; readonly place: number; readonly bytes: number }[] = [];
let keptBytes = 0;

export class GrantIndex {
	private readonly byGeography = new WeakMap<Geography, GrantSets>();
	private readonly byCoverage = new Map<string, GrantSets>();

	constructor(
		private readonly states: StateTable,
		private readonly columns: Sections,
	) {}

	/**
	 * The codes of a column in the rows of `geography`, including null's code; null if these are all rows. A
	 * column without a dictionary has code 0 for a value and 1 for none.
	 */
	codes(column: Column, geography: Geography | null): GrantedCodes | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		return (
			grant.sets[column.code] ?? keep(grant, column.code, this.codesOf(column, grant.states, grant.runs))
		);
	}

	/**
	 * As {@link codes}, for ranges of codes that begin and end between folds alone: the first ones asked of a grant
	 * are searched for, which costs O(states × log rows) each instead of O(rows) once.
	 */
	ranges(column: Column, geography: Geography | null): GrantedRanges | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		const set = grant.sets[column.code];
		if (set !== undefined) return set;
		if (!column.sortable) return this.codes(column, geography);
		grant.searches[column.code] ??= new GrantSearch(
			grant.states,
			this.columns.permutation.get(column).byState,
			this.columns.codes.get(column),
		);
		const search = grant.searches[column.code] as GrantSearch;
		return search.isSpent ? this.codes(column, geography) : search;
	}

	/** The words of a column's values in the rows of `geography`; null if these are all rows. */
	words(column: Column, geography: Geography | null): GrantedCodes | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		const place = WORDS + column.code;
		return grant.sets[place] ?? keep(grant, place, this.wordsOf(column, geography));
	}

	private grantOf(geography: Geography | null): GrantSets | null {
		if (geography === null) return null;
		const known = this.byGeography.get(geography);
		if (known !== undefined) return known;
		const states = selectStates(this.states, {}, geography);
		const coverage = states.map(({ state }) => state).join();
		let found = this.byCoverage.get(coverage);
		if (found === undefined) {
			const runs = joinRuns(states);
			found = {
				runs: countRows(runs) === this.columns.rows ? null : runs,
				states,
				sets: [],
				searches: [],
			};
			if (this.byCoverage.size >= GRANTS_MAX) this.byCoverage.clear();
			this.byCoverage.set(coverage, found);
		}
		this.byGeography.set(geography, found);
		return found;
	}

	private codesOf(column: Column, states: readonly StateRun[], runs: readonly Run[]): GrantedCodes {
		if (column.kind === "string") {
			const { offsets } = this.columns.text.get(column);
			return new GrantedCodes(2, (words) => {
				for (const { from, to } of runs)
					for (let row = from; row < to; row++) words[0] |= offsets[row] === offsets[row + 1] ? 2 : 1;
			});
		}
		const codes = this.columns.codes.get(column);
		const { distinct } = this.columns.dictionary.get(column);
		const counted = COUNTED[column.name];
		if (counted !== undefined) return this.countedCodes(counted, states, distinct);
		return new GrantedCodes(distinct + 1, (words) => {
			for (const { from, to } of runs)
				for (let row = from; row < to; row++) words[codes[row] >>> 5] |= 1 << (codes[row] & 31);
		});
	}

	/** The codes that the statistics of the states count. Cost O(states × their values). */
	private countedCodes(
		counted: "license_status" | "member_type",
		states: readonly StateRun[],
		distinct: number,
	): GrantedCodes {
		const { stats } = this.columns;
		return new GrantedCodes(distinct + 1, (words) => {
			for (const state of states) {
				const counts: CodeCounts = stats.states[this.states.numberOf(state.state)][counted];
				let valued = 0;
				counts.codes.forEach((code, i) => {
					words[code >>> 5] |= 1 << (code & 31);
					valued += counts.rows[i];
				});
				if (valued < state.rows) words[distinct >>> 5] |= 1 << (distinct & 31);
			}
		});
	}

	private wordsOf(column: Column, geography: Geography | null): GrantedCodes {
		const values = this.codes(column, geography) as GrantedCodes;
		const index = this.columns.nameIndex.get(column);
		return new GrantedCodes(index?.count ?? 0, (words) => {
			if (index === null) return;
			const { distinct } = this.columns.dictionary.get(column);
			const { valueOffsets, valueWords } = index;
			// Every word of every value is read at most once, even where offsets are corrupt.
			let at = 0;
			for (let value = values.next(0, distinct); value < distinct; value = values.next(value + 1, distinct)) {
				const end = Math.min(valueOffsets[value + 1], valueWords.length);
				for (at = Math.max(at, valueOffsets[value]); at < end; at++)
					words[valueWords[at] >>> 5] |= 1 << (valueWords[at] & 31);
			}
		});
	}
}

function keep(owner: GrantSets, place: number, made: GrantedCodes): GrantedCodes {
	owner.sets[place] = made;
	kept.push({ owner, place, bytes: made.bytes });
	keptBytes += made.bytes;
	while (keptBytes > KEPT_BYTES_MAX && kept.length > 1) {
		const oldest = kept.shift();
		if (oldest === undefined) break;
		oldest.owner.sets[oldest.place] = undefined;
		keptBytes -= oldest.bytes;
	}
	return made;
}
