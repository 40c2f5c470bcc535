/**
 * The values that occur in the rows of geography grants.
 *
 * Planning drops values that occur in no granted row, so a query for one has the same plan and reads as many
 * elements as a query for a value that occurs nowhere. The sets depend on the grant and not on the query.
 *
 * Values are searched for in the sets of the granted states (set-search.ts), and ranges of a sortable column in the
 * states' orders (grant-search.ts), until that has cost as much as a set for the grant.
 *
 * Memory: a thread keeps at most {@link KEPT_BYTES_MAX} of grants' sets, which are unions of sets by state
 * (state-sets.ts), and evicts the oldest first.
 */

import {
	type Column,
	LISTED_BY_VALUE,
	NAME_COLUMN,
	type NameIndex,
	type Postings,
	type Range,
	type StateRun,
} from "../../formats/index.js";
import type { Geography } from "../query.js";
import { LOOKED_UP_ROWS_MAX } from "../tuning.js";
import { type GrantedRanges, type GrantedValues, GrantSearch } from "./grant-search.js";
import { GrantedCodes } from "./granted-codes.js";
import { countRows, countWithin, joinRuns, type Run } from "./runs.js";
import { SetCache } from "./set-cache.js";
import { SetSearch } from "./set-search.js";
import { StateSets, type ValueSections } from "./state-sets.js";
import type { Coverage, StateTable } from "./state-table.js";
import { WordStates } from "./word-states.js";

/** Bytes of grants' sets that a thread keeps: about a hundred grants over columns of a million values. */
const KEPT_BYTES_MAX = 32 << 20;

/** The sets of one grant over one snapshot, by slot: a column's code, plus {@link WORDS} for its words. */
interface GrantSets {
	/** Granted rows; null: all. */
	readonly runs: readonly Run[] | null;
	/** The states with these rows. */
	readonly states: readonly StateRun[];
	/** Their numbers. */
	readonly numbers: readonly number[];
	readonly sets: (GrantedCodes | undefined)[];
	/** By column's code: searches of the states' orders. */
	readonly orderSearches: (GrantSearch | undefined)[];
	/** By column's code: searches of the states' sets. */
	readonly setSearches: (SetSearch | undefined)[];
	/** By column's code. */
	readonly presence: (GrantedRanges | undefined)[];
	/** The words of full names. */
	names: GrantedWords | null;
}

/** Values that are searched for without a set. */
interface Search extends GrantedRanges {
	/** Whether the searches have cost as much as a set. */
	readonly isSpent: boolean;
}

/** Words that granted rows have. */
export interface GrantedWords {
	has(word: number): boolean;
}

/** Greater than any column's code. */
const WORDS = 256;

const kept = new SetCache(KEPT_BYTES_MAX);

export class GrantIndex {
	private readonly byCoverage = new WeakMap<Coverage, GrantSets>();
	private nameStates: WordStates | null = null;

	constructor(
		private readonly states: StateTable,
		private readonly columns: ValueSections,
		private readonly stateSets = new StateSets(states, columns),
	) {}

	/** The codes of a column with a dictionary in the rows of `geography`, including null's code; null if these are all rows. */
	codes(column: Column, geography: Geography | null): GrantedCodes | null {
		const grant = this.grantOf(geography);
		return grant === null || grant.runs === null ? null : this.setOf(grant, column);
	}

	/** As {@link codes}, searched for before there is a set, which costs O(states × log values) a look-up. */
	values(column: Column, geography: Geography | null): GrantedValues | null {
		const grant = this.grantOf(geography);
		return grant === null || grant.runs === null ? null : this.valuesOf(grant, column);
	}

	/**
	 * As {@link values}, to look up single values: where values have few rows, in their postings. Ranges would take
	 * time by the values outside of the grant that are in them.
	 */
	singleValues(column: Column, geography: Geography | null): GrantedValues | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		const { distinct } = this.columns.dictionary.get(column);
		if (
			grant.sets[column.code] !== undefined ||
			!LISTED_BY_VALUE.has(column.name) ||
			distinct * LOOKED_UP_ROWS_MAX < this.columns.rows
		)
			return this.valuesOf(grant, column);
		return new GrantedPostings(this.columns.postings.get(column), grant.runs);
	}

	/** Whether the rows of `geography` have values of a column, as code 0, and none, as `distinct`; null if these are all rows. */
	presence(column: Column, distinct: number, geography: Geography | null): GrantedRanges | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		grant.presence[column.code] ??= this.presenceOf(column, distinct, grant.numbers);
		return grant.presence[column.code] as GrantedRanges;
	}

	/**
	 * As {@link values}, for ranges of codes that begin and end between folds alone: of a sortable column, searches in
	 * the states' orders need no sets by state, which cost O(rows) once.
	 */
	ranges(column: Column, geography: Geography | null): GrantedRanges | null {
		const grant = this.grantOf(geography);
		if (grant === null || grant.runs === null) return null;
		if (!column.sortable || this.columns.stateValues.get(column) !== null)
			return this.valuesOf(grant, column);
		return this.searched(grant, column, grant.orderSearches, () => {
			const { byState } = this.columns.permutation.get(column);
			return new GrantSearch(grant.states, byState, this.columns.codes.get(column));
		});
	}

	/** The words of a column's values in the rows of `geography`, of a column with an index of words; null if these are all rows. */
	words(column: Column, geography: Geography | null): GrantedWords | null {
		const grant = this.grantOf(geography);
		const index = this.columns.nameIndex.get(column);
		if (grant === null || grant.runs === null || index === null) return null;
		if (column.name === NAME_COLUMN) {
			grant.names ??= this.namesOf(index, grant.numbers);
			return grant.names;
		}
		const place = WORDS + column.code;
		return grant.sets[place] ?? this.keep(grant, place, this.wordsOf(column, index, grant.numbers));
	}

	private grantOf(geography: Geography | null): GrantSets | null {
		if (geography === null) return null;
		const coverage = this.states.coverageOf(geography);
		let found = this.byCoverage.get(coverage);
		if (found === undefined) {
			const runs = joinRuns(coverage.states);
			found = {
				runs: countRows(runs) === this.columns.rows ? null : runs,
				...coverage,
				sets: [],
				orderSearches: [],
				setSearches: [],
				presence: [],
				names: null,
			};
			this.byCoverage.set(coverage, found);
		}
		return found;
	}

	private setOf(grant: GrantSets, column: Column): GrantedCodes {
		return grant.sets[column.code] ?? this.keep(grant, column.code, this.codesOf(column, grant.numbers));
	}

	private valuesOf(grant: GrantSets, column: Column): GrantedValues {
		const search = () => new SetSearch(this.stateSets, column, grant.numbers);
		return this.searched(grant, column, grant.setSearches, search);
	}

	/** The set of a grant's values, or what searches for them, kept in `searches`, before that has cost as much as the set. */
	private searched<T extends Search>(
		grant: GrantSets,
		column: Column,
		searches: (T | undefined)[],
		search: () => T,
	): T | GrantedCodes {
		const set = grant.sets[column.code];
		if (set !== undefined) return set;
		const found = searches[column.code] ?? search();
		searches[column.code] = found;
		if (!found.isSpent) return found;
		// Once the set is evicted, values are searched for again before it is rebuilt.
		searches[column.code] = undefined;
		return this.setOf(grant, column);
	}

	private codesOf(column: Column, numbers: readonly number[]): GrantedCodes {
		const { distinct } = this.columns.dictionary.get(column);
		return new GrantedCodes(distinct + 1, (words) => {
			for (const number of numbers) this.stateSets.addCodes(words, column, number);
		});
	}

	private presenceOf(column: Column, distinct: number, numbers: readonly number[]): GrantedRanges {
		const found = numbers.map((number) => this.stateSets.presence(column, number));
		const hasValue = found.some((each) => each.hasValue);
		const hasNull = found.some((each) => each.hasNull);
		return { hasAny: ({ from, to }) => (hasValue && from < distinct) || (hasNull && to > distinct) };
	}

	/** The words of full names are in the index of all rows, so they are looked up there. */
	private namesOf(index: NameIndex, numbers: readonly number[]): GrantedWords {
		this.nameStates ??= new WordStates(index, this.states.runs);
		const { nameStates } = this;
		const mask = nameStates.maskOf(numbers);
		return { has: (word) => nameStates.isIn(word, mask) };
	}

	private wordsOf(column: Column, index: NameIndex, numbers: readonly number[]): GrantedCodes {
		return new GrantedCodes(index.count, (words) => {
			for (const number of numbers) this.stateSets.addWords(words, column, index, number);
		});
	}

	private keep({ sets }: GrantSets, place: number, made: GrantedCodes): GrantedCodes {
		return kept.keep(sets, place, made, made.bytes);
	}
}

/** The values that granted rows have, found in the postings of each value asked for. */
class GrantedPostings implements GrantedValues {
	constructor(
		private readonly postings: Postings,
		private readonly runs: readonly Run[],
	) {}

	/** `code` is that of a value. Cost O(runs × log rows of the value). */
	has(code: number): boolean {
		const { offsets, rows } = this.postings;
		return countWithin(this.runs, rows, offsets[code], offsets[code + 1]) > 0;
	}

	/** `range` has only values, each of which was asked for. */
	hasAny({ from, to }: Range): boolean {
		for (let code = from; code < to; code++) if (this.has(code)) return true;
		return false;
	}
}
