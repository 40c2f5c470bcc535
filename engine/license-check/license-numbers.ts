/** Rows by license number within a state, by exact number and by other spellings of it. */

import { columnNamed, NUMBER_COLUMN, similarityTo, withoutNumberLabel } from "../../formats/index.js";
import { joinRuns, type Run, rowsWithin } from "../columns/runs.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { EngineError } from "../errors.js";
import { firstIndexAtLeast } from "../kernels/codes.js";
import type { Geography } from "../query.js";
import type { Work } from "../scratch.js";
import { SIMILAR_CANDIDATES_MAX } from "../tuning.js";

const NO_ROWS = new Uint32Array(0);

/** Zeros that were put before a number which begins with letters: the index has no key of digits before letters. */
const ZEROS_BEFORE_LETTERS = /^0[0\W]*(?=[a-z])/i;

/** A license number as stored, and its rows, ascending. */
export interface SimilarNumber {
	readonly number: string;
	readonly rows: readonly number[];
}

export class LicenseNumbers {
	constructor(
		private readonly columns: SnapshotColumns,
		private readonly work: Work,
	) {}

	/** The rows of a license in a state within `geography`, ascending. Cost O(log rows), and with a grant O(its runs). */
	find(state: string, licenseNumber: string, geography: Geography | null): Uint32Array {
		const column = columnNamed(NUMBER_COLUMN);
		const code = this.columns.dictionary.get(column).find(licenseNumber);
		const granted = this.columns.granted.singleValues(column, geography);
		return code === -1 || granted?.has(code) === false ? NO_ROWS : this.rowsOf(state, code);
	}

	/** Whether the month has an index of spellings. */
	get isIndexed(): boolean {
		return this.columns.numberIndex.get(columnNamed(NUMBER_COLUMN)) !== null;
	}

	/**
	 * Numbers in a state's rows that are other spellings of a number, in UTF-16 order. Throws {@link EngineError}
	 * `no_number_index`.
	 */
	similarNumbers(state: string, licenseNumber: string, geography: Geography | null): SimilarNumber[] {
		const number = this.columns.states.numberOf(state);
		const runs = number === -1 ? [] : joinRuns([this.columns.states.runs[number]]);
		return this.similarWithin(licenseNumber, runs, geography, state);
	}

	/**
	 * Numbers in rows of the runs, which are within `geography`, that are other spellings of a number, in UTF-16
	 * order. A label before the number, which may name `state`, is ignored. Throws {@link EngineError}
	 * `no_number_index`.
	 */
	similarWithin(
		licenseNumber: string,
		runs: readonly Run[],
		geography: Geography | null,
		state: string | null = null,
	): SimilarNumber[] {
		const column = columnNamed(NUMBER_COLUMN);
		const index = this.columns.numberIndex.get(column);
		if (index === null)
			throw new EngineError(
				"no_number_index",
				"this month was built before spellings of numbers were indexed",
			);
		const dictionary = this.columns.dictionary.get(column);
		const { offsets, rows: allRows } = this.columns.postings.get(column);
		const granted = this.columns.granted.singleValues(column, geography);
		const asked = [...withoutNumberLabel(licenseNumber, state), licenseNumber].map((number) =>
			number.replace(ZEROS_BEFORE_LETTERS, ""),
		);
		const similar = asked.map(similarityTo);
		const isGranted = (code: number) => granted?.has(code) !== false;
		const found: SimilarNumber[] = [];
		for (const code of index.candidates(asked[0], SIMILAR_CANDIDATES_MAX, isGranted)) {
			this.work.add(1);
			const end = Math.min(offsets[code + 1], allRows.length);
			const rows = rowsWithin(runs, allRows, Math.min(offsets[code], end), end);
			if (rows.length === 0) continue;
			const number = dictionary.value(code) as string;
			if (similar.some((isSimilar) => isSimilar(number))) found.push({ number, rows });
		}
		return found.length < 2 ? found : found.sort((a, b) => (a.number < b.number ? -1 : 1));
	}

	/** The rows of a state with a number's code, ascending. Cost O(log rows). */
	private rowsOf(state: string, code: number): Uint32Array {
		this.work.add(1);
		const number = this.columns.states.numberOf(state);
		if (number === -1) return NO_ROWS;
		const run = this.columns.states.runs[number];
		const { offsets, rows } = this.columns.postings.get(columnNamed(NUMBER_COLUMN));
		const end = Math.min(offsets[code + 1], rows.length);
		const from = firstIndexAtLeast(rows, Math.min(offsets[code], end), end, run.first);
		const to = firstIndexAtLeast(rows, from, end, run.first + run.rows);
		return rows.slice(from, to);
	}
}
