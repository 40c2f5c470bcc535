/**
 * Verification of a snapshot: every section's checksum, then every index, statistic and stored row against the
 * columns they were derived from. Opening a snapshot assumes all of this.
 *
 * It consists of independent parts, which worker threads process concurrently. Cost O(bytes), plus rendering
 * every stored row.
 */

import {
	type ColumnName,
	columnNamed,
	ROWS_PER_SEGMENT,
	type SnapshotFiles,
	STORED_COLUMNS,
} from "../../formats/index.js";
import { verifyColumn } from "./verify-column.js";
import { verifyOrderCounts } from "./verify-index.js";
import { verifyNames, verifyNumbers } from "./verify-names.js";
import { verifyOrderOfRows, verifyStats, verifyStoredRows } from "./verify-rows.js";

/** One part of a verification. */
export type VerifyPart =
	| { readonly kind: "names" | "order" | "order-counts" | "stats" }
	| { readonly kind: "column"; readonly column: ColumnName }
	| { readonly kind: "rows"; readonly segment: number };

export interface VerifyReport {
	readonly rows: number;
	readonly sections: number;
	readonly row_store: boolean;
	/** Whether the row store is of an earlier version, which is not used. */
	readonly row_store_outdated: boolean;
}

/** The parts of a snapshot's verification, the slowest first. */
export function verifyParts(files: SnapshotFiles): VerifyPart[] {
	const segments = files.openRowStore() === null ? 0 : Math.ceil(files.catalog.rows / ROWS_PER_SEGMENT);
	return [
		...Array.from({ length: segments }, (_, segment) => ({ kind: "rows", segment }) as const),
		...STORED_COLUMNS.map(({ name }) => ({ kind: "column", column: name }) as const),
		{ kind: "names" },
		{ kind: "order" },
		{ kind: "order-counts" },
		{ kind: "stats" },
	];
}

/**
 * Reads every byte and verifies every checksum; the parts must not be read before that. Throws
 * FormatError.
 */
export function verifyChecksums(files: SnapshotFiles): VerifyReport {
	files.verify();
	const isStored = files.verifyRowStore();
	return {
		rows: files.catalog.rows,
		sections: files.catalog.sections.length,
		row_store: isStored,
		row_store_outdated: isStored && files.openRowStore() === null,
	};
}

/** Verifies one part. Throws FormatError, or `BuildError` `corrupt_snapshot` for a contradiction with the columns. */
export function verifyPart(files: SnapshotFiles, part: VerifyPart): void {
	switch (part.kind) {
		case "names":
			verifyNames(files);
			verifyNumbers(files);
			return;
		case "order":
			verifyOrderOfRows(files);
			return;
		case "order-counts":
			verifyOrderCounts(files);
			return;
		case "stats":
			verifyStats(files);
			return;
		case "column":
			verifyColumn(files, columnNamed(part.column));
			return;
		case "rows":
			verifyStoredRows(files, part.segment);
	}
}
