/**
 * Typed, cached access to the sections of one snapshot, mapped on first access.
 *
 * Invariant: views share the mapping's memory; nothing is copied. Repeated access costs one array read,
 * since sections are cached by column code.
 */

import type {
	Bitmaps,
	Codes,
	Column,
	CumulativeBitmaps,
	Dictionary,
	NameIndex,
	NumberIndex,
	OrderBuckets,
	Permutation,
	Postings,
	SnapshotFiles,
	SnapshotStats,
	Spellings,
	StateValues,
	TextColumn,
} from "../../formats/index.js";
import { decodeStats, OrderCounts } from "../../formats/index.js";
import { BlockCounts } from "./block-counts.js";
import { GrantIndex } from "./grant-index.js";
import { findMissing, type MissingRows } from "./missing-rows.js";
import { OrderCuts } from "./order-cuts.js";
import { PairCounts } from "./pair-counts.js";
import { SparseStates } from "./sparse-states.js";
import { StateSets } from "./state-sets.js";
import { StateTable } from "./state-table.js";
import { ValueStates } from "./value-states.js";

class Cache<T> {
	private readonly values: (T | undefined)[] = [];
	private readonly load: (column: Column) => T;

	constructor(load: (column: Column) => T) {
		this.load = load;
	}

	get(column: Column): T {
		const cached = this.values[column.code];
		if (cached !== undefined) return cached;
		const loaded = this.load(column);
		this.values[column.code] = loaded;
		return loaded;
	}
}

export class SnapshotColumns {
	readonly states: StateTable;
	readonly codes: Cache<Codes>;
	readonly dictionary: Cache<Dictionary>;
	readonly text: Cache<TextColumn>;
	readonly permutation: Cache<Permutation>;
	readonly nameIndex: Cache<NameIndex | null>;
	readonly numberIndex: Cache<NumberIndex | null>;
	readonly orderBuckets: Cache<OrderBuckets>;
	readonly postings: Cache<Postings>;
	/** Of columns with postings. */
	readonly valueStates: Cache<ValueStates>;
	/** Of columns that are suggested; null in months without them. */
	readonly stateValues: Cache<StateValues | null>;
	/** Of `SPELLED_COLUMNS`; null in months without them. */
	readonly spellings: Cache<Spellings | null>;
	readonly bitmaps: Cache<Bitmaps | null>;
	readonly cumulativeBitmaps: Cache<CumulativeBitmaps | null>;
	/** The rows that cumulative bitmaps are over, in order: the permutation, or the postings of a column without one. */
	readonly cumulativeOrder: Cache<Postings>;
	readonly orderCuts: Cache<OrderCuts | null>;
	/** In the order of a sortable column; null in months without them. */
	readonly orderCounts: Cache<OrderCounts | null>;
	/** The rows without a value. Made at first access, O(rows); a bit a row after that. */
	readonly missing: Cache<MissingRows>;
	readonly sparseStates: SparseStates;

	/** Values that occur in each state. */
	readonly stateSets: StateSets;
	/** Values that occur within geography grants. */
	readonly granted: GrantIndex;
	/** Rows of selections by block. */
	readonly blockCounts = new BlockCounts();
	/** Rows of statuses with types by block. */
	readonly pairCounts = new PairCounts();

	/** Rows of the snapshot. */
	readonly rows: number;

	private decodedStats: SnapshotStats | null = null;

	constructor(private readonly files: SnapshotFiles) {
		this.rows = files.catalog.rows;
		this.states = new StateTable(files.catalog.states);
		this.stateSets = new StateSets(this.states, this);
		this.granted = new GrantIndex(this.states, this, this.stateSets);
		this.codes = new Cache((column) => files.codes(column));
		this.dictionary = new Cache((column) => files.dictionary(column));
		this.text = new Cache((column) => files.text(column));
		this.permutation = new Cache((column) => files.permutation(column));
		this.nameIndex = new Cache((column) => files.nameIndex(column));
		this.numberIndex = new Cache((column) => files.numberIndex(column));
		this.orderBuckets = new Cache((column) => files.orderBuckets(column));
		this.postings = new Cache((column) => files.postings(column));
		this.valueStates = new Cache(
			(column) => new ValueStates(this.postings.get(column), files.catalog.states),
		);
		this.stateValues = new Cache((column) => files.stateValues(column));
		this.spellings = new Cache((column) => files.spellings(column));
		this.bitmaps = new Cache((column) => files.bitmaps(column));
		this.cumulativeBitmaps = new Cache((column) => files.cumulativeBitmaps(column));
		this.cumulativeOrder = new Cache((column) =>
			(column.sortable ? this.permutation : this.postings).get(column),
		);
		this.missing = new Cache((column) => findMissing(column, this, files.catalog.rows));
		this.sparseStates = new SparseStates(this, files.catalog.rows, files.catalog.states);
		this.orderCuts = new Cache((column) => this.cutsOf(column));
		this.orderCounts = new Cache((column) => OrderCounts.open(files.sections, column.code, this.rows));
	}

	/** The counts of each state's rows, decoded at first access. */
	get stats(): SnapshotStats {
		this.decodedStats ??= decodeStats(this.files.stats());
		return this.decodedStats;
	}

	private cutsOf(column: Column): OrderCuts | null {
		const cumulative = this.cumulativeBitmaps.get(column);
		if (cumulative === null) return null;
		return OrderCuts.of({
			cumulative,
			permutation: this.permutation.get(column),
			codes: this.codes.get(column),
			dictionary: this.dictionary.get(column),
		});
	}
}
