/** Verifies rows across columns: their order, the state runs, the statistics and the stored rows. */

import { ByteSink, StoredRowEncoder } from "../../engine/index.js";
import {
	COVERAGE_COLUMNS,
	type Column,
	columnNamed,
	compareBytes,
	daysOfIsoDate,
	decodeStats,
	EXPIRATION_BUCKETS,
	expirationBucket,
	lastDayOfMonth,
	ROW_SEGMENT_SHIFT,
	ROWS_PER_SEGMENT,
	type SnapshotFiles,
	type StateRun,
} from "../../formats/index.js";
import { fail } from "./fault.js";

/** The keys of the canonical order but the last, the license number, which goes by bytes. */
const RANKED = ["country", "state", "member_last_name", "member_first_name"] as const;

/** Rows are in canonical order, and the catalog's states are runs of rows. Cost O(rows). */
export function verifyOrderOfRows(files: SnapshotFiles): void {
	verifyStates(files);
	const keys = RANKED.map((name) => {
		const column = columnNamed(name);
		return { codes: files.codes(column), dictionary: files.dictionary(column) };
	});
	const license = columnNamed("member_state_license_number");
	const licenses = files.codes(license);
	const { offsets, heap, distinct } = files.dictionary(license);
	const compareLicenses = (a: number, b: number) => {
		if (a === b || a === distinct || b === distinct) return Number(a === distinct) - Number(b === distinct);
		return compareBytes(heap, offsets[a], offsets[a + 1], heap, offsets[b], offsets[b + 1]);
	};
	for (let row = 1; row < files.catalog.rows; row++) {
		let order = 0;
		for (let key = 0; key < keys.length && order === 0; key++) {
			const { codes, dictionary } = keys[key];
			order = dictionary.rank(codes[row - 1]) - dictionary.rank(codes[row]);
		}
		if (order === 0) order = compareLicenses(licenses[row - 1], licenses[row]);
		if (order > 0) fail(files, null, `row ${row} does not come after row ${row - 1}`);
	}
}

function verifyStates(files: SnapshotFiles): void {
	const { states, rows } = files.catalog;
	let next = 0;
	for (const run of states) {
		if (run.first !== next || run.rows < 1)
			fail(files, null, `state ${run.state} begins at row ${run.first}`);
		next += run.rows;
		requireConstant(files, columnNamed("state"), run, run.state);
		requireConstant(files, columnNamed("country"), run, run.country);
	}
	if (next !== rows) fail(files, null, `states hold ${next} rows of ${rows}`);
}

function requireConstant(files: SnapshotFiles, column: Column, run: StateRun, value: string): void {
	const code = files.dictionary(column).find(value);
	const codes = files.codes(column);
	for (let row = run.first; row < run.first + run.rows; row++) {
		if (codes[row] !== code) fail(files, column, `row ${row} of ${run.state} is not ${value}`);
	}
}

/** The precomputed statistics equal the counts of the rows. Cost O(rows). */
export function verifyStats(files: SnapshotFiles): void {
	const stats = readStats(files);
	if (stats.length !== files.catalog.states.length) fail(files, null, `statistics of ${stats.length} states`);
	files.catalog.states.forEach((run, index) => {
		const counted = [
			countCodes(files, columnNamed("member_license_status"), run),
			countCodes(files, columnNamed("member_type"), run),
			COVERAGE_COLUMNS.map((name) => countValued(files, columnNamed(name), run)),
			countExpiration(files, run),
		];
		if (stats[index] !== JSON.stringify(counted))
			fail(files, null, `statistics of ${run.state} are not what its rows give`);
	});
}

/** The stored statistics of each state as JSON: those of damaged files may be anything. */
function readStats(files: SnapshotFiles): string[] {
	try {
		return decodeStats(files.stats()).states.map(({ license_status, member_type, coverage, expiration }) =>
			JSON.stringify([license_status, member_type, [...coverage], [...expiration]]),
		);
	} catch (error) {
		fail(files, null, `statistics cannot be read: ${(error as Error).message}`);
	}
}

function countCodes(files: SnapshotFiles, column: Column, { first, rows }: StateRun) {
	const { distinct } = files.column(column);
	const counts = new Uint32Array(distinct + 1);
	const codes = files.codes(column);
	for (let row = first; row < first + rows; row++) counts[codes[row]]++;
	const present = Array.from(counts.keys()).filter((code) => code < distinct && counts[code] > 0);
	return { codes: present, rows: present.map((code) => counts[code]) };
}

function countValued(files: SnapshotFiles, column: Column, { first, rows }: StateRun): number {
	const { offsets } = files.text(column);
	let valued = 0;
	for (let row = first; row < first + rows; row++) if (offsets[row + 1] > offsets[row]) valued++;
	return valued;
}

function countExpiration(files: SnapshotFiles, run: StateRun): number[] {
	const column = columnNamed("member_license_expires");
	const dictionary = files.dictionary(column);
	const reference = daysOfIsoDate(lastDayOfMonth(files.catalog.month));
	const buckets: number[] = EXPIRATION_BUCKETS.map(() => 0);
	let dated = 0;
	const { codes, rows } = countCodes(files, column, run);
	codes.forEach((code, i) => {
		buckets[expirationBucket(daysOfIsoDate(dictionary.value(code) as string) - reference)] += rows[i];
		dated += rows[i];
	});
	buckets[expirationBucket(null)] = run.rows - dated;
	return buckets;
}

/** The stored values of a segment's rows are those of their columns. Cost O(bytes). */
export function verifyStoredRows(files: SnapshotFiles, segment: number): void {
	const store = files.openRowStore();
	if (store === null) return;
	const encoder = new StoredRowEncoder(files);
	const sink = new ByteSink();
	if (segment >= store.segments.length) fail(files, null, `the row store has no segment ${segment}`);
	const { offsets, heap } = store.segments[segment];
	const first = segment << ROW_SEGMENT_SHIFT;
	const end = Math.min(files.catalog.rows, first + ROWS_PER_SEGMENT);
	for (let row = first; row < end; row++) {
		sink.reset();
		encoder.row(row, sink);
		const [from, to] = [offsets[row - first], offsets[row - first + 1]];
		const isWhole = to - from === sink.length && to <= heap.length;
		if (isWhole && heap.compare(sink.bytes, 0, sink.length, from, to) === 0) continue;
		fail(files, null, `the stored values of row ${row} are not those of its columns`);
	}
}
