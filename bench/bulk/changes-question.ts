/** Questions about changes that ours and the peers answer, and all changes as the engine writes them. */

import {
	ByteSink,
	CHANGE_KINDS,
	type ChangeKind,
	type ChangeSet,
	ChangesWriter,
} from "../../engine/index.js";
import { TRACKED_COLUMNS } from "../../formats/index.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";

/** Entries of a page. */
export const PAGE_ROWS = 100;
export const ALL_FIELDS = TRACKED_COLUMNS.map((column) => column.name);

/** A page of changes: what is asked of all who are compared. */
export interface ChangesQuestion {
	readonly state: string | null;
	readonly status: string | null;
	readonly city: string | null;
	readonly kinds: readonly ChangeKind[];
}

/** What a page answers: exact totals by kind, and the license numbers of its entries in order. */
export interface ChangesAnswer {
	readonly totals: Readonly<Record<ChangeKind, number>>;
	readonly numbers: readonly string[];
}

/** All changes as the engine writes them, with a header after every `pageRows` entries; views. */
export function* streamedChanges(
	set: ChangeSet,
	format: "csv" | "ndjson",
	pageRows: number,
): Generator<Uint8Array> {
	const sink = new ByteSink();
	const writer = new ChangesWriter(set, WHOLE_ROW, () => true, format);
	const query = { filters: {}, geography: null, kinds: CHANGE_KINDS, fields: ALL_FIELDS, limit: pageRows };
	for (let page = set.query({ ...query, after: null }); page.last !== null; ) {
		const entries = page.runs.reduce((sum, { rows }) => sum + rows.length, 0);
		for (let first = 0; first < entries; first += 1_000) {
			sink.reset();
			if (first === 0) writer.header(sink);
			writer.entries(page, first, Math.min(entries, first + 1_000), sink);
			yield sink.view();
		}
		if (!page.hasNext) return;
		page = set.query({ ...query, after: page.last });
	}
}
