/**
 * The changes between two months that are not adjacent, composed of the changes between the months in between.
 * Rows are followed from the newest month back to the oldest; only licenses that changed on the way are
 * compared, in the columns that changed, by text.
 *
 * A license that is missing in a month in between is matched by its number: it is new in a later month and gone
 * from an earlier one. So the result is that of `compareMonths` of the two months.
 *
 * Cost O(rows + changes) per month, in slices of about a millisecond.
 */

import {
	bitmapWords,
	type Column,
	type ColumnName,
	columnNamed,
	compareBytes,
	invariant,
	type MonthChanges,
	PREVIOUS_NONE,
	PREVIOUS_UNKNOWN,
	TRACKED_COLUMNS,
} from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { countWords } from "../kernels/bitmap.js";
import { eachInSlices, inSlices, SLICE_SIZES, type SlicedWork, type SliceSizes } from "../sliced-work.js";

/** A month in between. */
export interface MonthOnWay {
	readonly rows: number;
	readonly columns: SnapshotColumns;
}

/** All tracked columns, as bits by their index in {@link TRACKED_COLUMNS}. */
const EVERY_FIELD = (1 << TRACKED_COLUMNS.length) - 1;

invariant(EVERY_FIELD < 2 ** 16, "a row's tracked columns are bits of a 16-bit number");

/**
 * The changes from the first of `months` to the last; at least three months, ascending. `steps[i]` are the
 * changes from months[i] to months[i + 1].
 */
export function composeMonths(
	months: readonly MonthOnWay[],
	steps: readonly MonthChanges[],
	sizes: SliceSizes = SLICE_SIZES,
): SlicedWork<MonthChanges> {
	return new Composition(months, steps, sizes).run();
}

class Composition {
	/** By row of the newest month, its row in the current month. */
	private readonly previousRows: Uint32Array;
	/** By row of the newest month, the columns that changed since the current month. */
	private readonly touched: Uint16Array;
	/** Rows of the newest month whose license is missing in the current month, by license. */
	private readonly missing = new Map<string, number>();
	private readonly newest: MonthOnWay;

	constructor(
		private readonly months: readonly MonthOnWay[],
		private readonly steps: readonly MonthChanges[],
		private readonly sizes: SliceSizes,
	) {
		this.newest = months[months.length - 1];
		this.previousRows = new Uint32Array(this.newest.rows);
		this.touched = new Uint16Array(this.newest.rows);
	}

	*run(): SlicedWork<MonthChanges> {
		yield* this.begin();
		for (let step = this.steps.length - 1; step > 0; step--) yield* this.stepBack(step);
		return yield* this.finish();
	}

	/** Starts with the changes to the newest month. */
	private *begin(): SlicedWork<void> {
		const { sizes, previousRows, touched, newest, missing } = this;
		const last = this.steps[this.steps.length - 1];
		yield* inSlices(previousRows.length, sizes.rows, (from, to) => {
			previousRows.set(last.previousRows.subarray(from, to), from);
		});
		yield* eachInSlices(rowsOf(last.newRows), sizes.lookups, (row) => {
			missing.set(licenseOf(newest, row), row);
		});
		yield* eachInSlices(rowsOf(last.changedRows), sizes.rows, (row) => {
			touched[row] = changedFields(last, row);
		});
	}

	/** Moves from months[step] back to months[step - 1]. */
	private *stepBack(step: number): SlicedWork<void> {
		const changes = this.steps[step - 1];
		yield* inSlices(this.previousRows.length, this.sizes.rows, (from, to) =>
			this.stepRows(changes, from, to),
		);
		yield* this.findAgain(this.months[step - 1], changes);
	}

	private stepRows(changes: MonthChanges, from: number, to: number): void {
		const { previousRows, touched } = this;
		for (let row = from; row < to; row++) {
			const reached = previousRows[row];
			if (reached >= PREVIOUS_UNKNOWN) continue;
			const before = changes.previousRows[reached];
			previousRows[row] = before;
			if (((changes.changedRows[reached >>> 5] >>> (reached & 31)) & 1) === 1)
				touched[row] |= changedFields(changes, reached);
			if (before === PREVIOUS_NONE) this.missing.set(licenseOf(this.newest, row), row);
		}
	}

	/** Matches licenses that were missing in the month after `month` and are in it. */
	private *findAgain(month: MonthOnWay, { goneRows }: MonthChanges): SlicedWork<void> {
		if (this.missing.size === 0) return;
		yield* eachInSlices(rowsOf(goneRows), this.sizes.lookups, (gone) => {
			const license = licenseOf(month, gone);
			const row = this.missing.get(license);
			if (row === undefined) return;
			this.missing.delete(license);
			this.previousRows[row] = gone;
			this.touched[row] = EVERY_FIELD;
		});
	}

	private *finish(): SlicedWork<MonthChanges> {
		const { previousRows, sizes } = this;
		const newRows = new Uint32Array(bitmapWords(this.newest.rows));
		const goneRows = yield* this.licensesOfOldest();
		yield* inSlices(previousRows.length, sizes.rows, (from, to) => {
			for (let row = from; row < to; row++) {
				const previous = previousRows[row];
				if (previous === PREVIOUS_NONE) newRows[row >>> 5] |= 1 << (row & 31);
				else if (previous < PREVIOUS_UNKNOWN) goneRows[previous >>> 5] &= ~(1 << (previous & 31));
			}
		});
		const { changedRows, fields } = yield* this.compareTouched();
		const count = (words: Uint32Array) => countWords(words, 0, words.length);
		const totals = { new: count(newRows), gone: count(goneRows), changed: count(changedRows) };
		return { totals, previousRows, newRows, goneRows, changedRows, fields };
	}

	/** First rows of the oldest month's licenses: those paired with the next month, and those gone from it. */
	private *licensesOfOldest(): SlicedWork<Uint32Array> {
		const [{ goneRows, previousRows }] = this.steps;
		const rows = new Uint32Array(goneRows);
		yield* inSlices(previousRows.length, this.sizes.rows, (from, to) => {
			for (let row = from; row < to; row++) {
				const previous = previousRows[row];
				if (previous < PREVIOUS_UNKNOWN) rows[previous >>> 5] |= 1 << (previous & 31);
			}
		});
		return rows;
	}

	private *compareTouched(): SlicedWork<{
		readonly changedRows: Uint32Array;
		readonly fields: Map<ColumnName, Uint32Array>;
	}> {
		const [oldest] = this.months;
		const { touched, previousRows, newest, sizes } = this;
		const words = bitmapWords(newest.rows);
		const changedRows = new Uint32Array(words);
		const fields = new Map<ColumnName, Uint32Array>();
		const rows = yield* this.touchedRows();
		for (const [place, column] of TRACKED_COLUMNS.entries()) {
			const differs = new Uint32Array(words);
			const isEqual = valueComparison(column, oldest.columns, newest.columns);
			yield* inSlices(rows.length, sizes.rows, (from, to) => {
				for (let i = from; i < to; i++) {
					const row = rows[i];
					if (((touched[row] >>> place) & 1) === 0 || isEqual(previousRows[row], row)) continue;
					differs[row >>> 5] |= 1 << (row & 31);
					changedRows[row >>> 5] |= 1 << (row & 31);
				}
			});
			fields.set(column.name, differs);
		}
		return { changedRows, fields };
	}

	/** Rows of the newest month that are paired with one of the oldest and changed in between. */
	private *touchedRows(): SlicedWork<Uint32Array> {
		const { touched, previousRows, sizes } = this;
		const rows = new Uint32Array(touched.length);
		let count = 0;
		yield* inSlices(touched.length, sizes.rows, (from, to) => {
			for (let row = from; row < to; row++)
				if (touched[row] !== 0 && previousRows[row] < PREVIOUS_UNKNOWN) rows[count++] = row;
		});
		return rows.subarray(0, count);
	}
}

/** Compares the text of `column` in a row of one month with that in a row of another. */
function valueComparison(
	column: Column,
	from: SnapshotColumns,
	to: SnapshotColumns,
): (fromRow: number, toRow: number) => boolean {
	const [fromCodes, toCodes] = [from.codes.get(column), to.codes.get(column)];
	const [older, newer] = [from.dictionary.get(column), to.dictionary.get(column)];
	return (fromRow, toRow) => {
		const a = fromCodes[fromRow];
		const b = toCodes[toRow];
		if (a === older.distinct || b === newer.distinct) return a === older.distinct && b === newer.distinct;
		const aStart = older.offsets[a];
		const bStart = newer.offsets[b];
		const aEnd = older.offsets[a + 1];
		const bEnd = newer.offsets[b + 1];
		return (
			aEnd - aStart === bEnd - bStart &&
			compareBytes(older.heap, aStart, aEnd, newer.heap, bStart, bEnd) === 0
		);
	};
}

/** The columns that a row changed in, as bits. */
function changedFields({ fields }: MonthChanges, row: number): number {
	let bits = 0;
	for (let place = 0; place < TRACKED_COLUMNS.length; place++) {
		const words = fields.get(TRACKED_COLUMNS[place].name) as Uint32Array;
		bits |= ((words[row >>> 5] >>> (row & 31)) & 1) << place;
	}
	return bits;
}

const STATE = columnNamed("state");
const LICENSE = columnNamed("member_state_license_number");

/** The license of a row as one text. */
function licenseOf({ columns }: MonthOnWay, row: number): string {
	const state = columns.dictionary.get(STATE).value(columns.codes.get(STATE)[row]);
	return `${state} ${columns.dictionary.get(LICENSE).value(columns.codes.get(LICENSE)[row])}`;
}

/** The rows of a bitmap, ascending. */
export function* rowsOf(words: Uint32Array): Generator<number> {
	for (let i = 0; i < words.length; i++) {
		for (let word = words[i]; word !== 0; word &= word - 1) {
			yield (i << 5) + 31 - Math.clz32(word & -word);
		}
	}
}
