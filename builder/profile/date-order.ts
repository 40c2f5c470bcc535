/**
 * Licenses that expire before they were issued, or were issued before they first were: a few are mistakes of a licensing
 * body, and most rows of a state have such dates where a map exchanges two columns, or reads days as months or a wrong century.
 */

import { columnNamed, type SnapshotFiles, type StateRun } from "../../formats/index.js";
import { type OddValues, SAMPLES_MAX } from "./odd-rows.js";

const FIRST_ISSUED = "member_license_first_issued";
const ISSUED = "member_license_issued";
const EXPIRES = "member_license_expires";
type DateName = typeof FIRST_ISSUED | typeof ISSUED | typeof EXPIRES;

/** By column, those whose dates are not after its own. */
const NOT_AFTER: readonly (readonly [name: DateName, others: readonly DateName[]])[] = [
	[EXPIRES, [ISSUED, FIRST_ISSUED]],
	[ISSUED, [FIRST_ISSUED]],
];

/** A row's dates in the wrong order, as a sample shows them; null: they are not. */
type Misorder = (row: number) => string | null;

/** One entry for each state and column with dates before those that they cannot precede. Cost O(rows + distinct dates). */
export function findDatesOutOfOrder(files: SnapshotFiles): OddValues[] {
	return NOT_AFTER.flatMap(([column, others]) => {
		const misorders = others.flatMap((other) => misorderOf(files, column, other) ?? []);
		return files.catalog.states.flatMap((run) => {
			const { rows, samples } = misordered(misorders, run);
			return rows === 0
				? []
				: [{ kind: "dates_out_of_order" as const, column, state: run.state, rows, samples }];
		});
	});
}

function misordered(misorders: readonly Misorder[], { first, rows }: StateRun) {
	const samples: string[] = [];
	let found = 0;
	for (let row = first; row < first + rows; row++) {
		for (const misorder of misorders) {
			const sample = misorder(row);
			if (sample === null) continue;
			found++;
			if (samples.length < SAMPLES_MAX && !samples.includes(sample)) samples.push(sample);
			break;
		}
	}
	return { rows: found, samples };
}

/** Null if one of the two columns has no dates. */
function misorderOf(files: SnapshotFiles, name: DateName, otherName: DateName): Misorder | null {
	const [column, other] = [columnNamed(name), columnNamed(otherName)];
	const [dates, others] = [files.dictionary(column), files.dictionary(other)];
	const none = others.distinct;
	if (dates.distinct === 0 || none === 0) return null;
	// By code: the code of the first later date of the other column. Codes are in the order of dates, and a null's is the last.
	const later = new Uint32Array(dates.distinct + 1).fill(none);
	for (let code = 0, next = 0; code < dates.distinct; code++) {
		const date = dates.value(code) as string;
		while (next < none && (others.value(next) as string) <= date) next++;
		later[code] = next;
	}
	const [codes, otherCodes] = [files.codes(column), files.codes(other)];
	return (row) => {
		const otherCode = otherCodes[row];
		if (otherCode < later[codes[row]] || otherCode === none) return null;
		return `${dates.value(codes[row])} < ${others.value(otherCode)}`;
	};
}
