/** The precomputed statistics of a month, assembled from the counts of the written columns. */

import {
	COVERAGE_COLUMNS,
	type CodeCounts,
	daysOfIsoDate,
	EXPIRATION_BUCKETS,
	expirationBucket,
	lastDayOfMonth,
	type SnapshotStats,
	type StateRun,
} from "../../formats/index.js";
import type { MergedColumn } from "./merge-column.js";
import type { WrittenColumn } from "./write-column.js";
import type { WrittenText } from "./write-text.js";

/** Statistics by state run. `expires` is the merged column whose codes `expiresCounts` counts. */
export function monthStats(
	month: string,
	states: readonly StateRun[],
	columns: ReadonlyMap<string, WrittenColumn | WrittenText>,
	expires: MergedColumn,
): SnapshotStats {
	const bucketOfCode = expirationBuckets(month, expires);
	const counts = (name: string) => columns.get(name)?.counts ?? [];
	const coverage = COVERAGE_COLUMNS.map((name) => {
		const written = columns.get(name);
		return written !== undefined && "valued" in written ? written.valued : [];
	});
	return {
		states: states.map((state, index) => ({
			license_status: counts("member_license_status")[index],
			member_type: counts("member_type")[index],
			coverage: coverage.map((valued) => valued[index]),
			expiration: sumBuckets(counts("member_license_expires")[index], bucketOfCode, state.rows),
		})),
	};
}

/** Bucket of each expiry date, relative to the last day of the month (docs/API.md §7.6). */
function expirationBuckets(month: string, expires: MergedColumn): Uint8Array {
	const reference = daysOfIsoDate(lastDayOfMonth(month));
	const buckets = new Uint8Array(expires.distinct);
	for (let code = 0; code < expires.distinct; code++) {
		const text = Buffer.from(
			expires.heap.subarray(expires.offsets[code], expires.offsets[code + 1]),
		).toString("latin1");
		buckets[code] = expirationBucket(daysOfIsoDate(text) - reference);
	}
	return buckets;
}

function sumBuckets(counts: CodeCounts, bucketOfCode: Uint8Array, rows: number): number[] {
	const buckets = EXPIRATION_BUCKETS.map(() => 0);
	let dated = 0;
	counts.codes.forEach((code, i) => {
		buckets[bucketOfCode[code]] += counts.rows[i];
		dated += counts.rows[i];
	});
	buckets[expirationBucket(null)] = rows - dated;
	return buckets;
}
