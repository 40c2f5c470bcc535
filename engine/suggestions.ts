/** The suggestions of one snapshot: as objects, or as JSON. */

import { columnNamed } from "../formats/index.js";
import { type Suggestion, type SuggestRequest, TopValues, takeValues } from "./aggregate/suggest.js";
import type { SnapshotColumns } from "./columns/snapshot-columns.js";
import type { ByteSink } from "./render/sink.js";
import { ValueRowsWriter } from "./render/value-rows.js";
import type { Work } from "./scratch.js";

export type { Suggestion, SuggestRequest };

export class Suggestions {
	private readonly writer: ValueRowsWriter;
	/** What the last question found: new arrays would cost as much as finding it. */
	private readonly top = new TopValues();

	constructor(
		private readonly columns: SnapshotColumns,
		private readonly work: Work,
	) {
		this.writer = new ValueRowsWriter(columns);
	}

	/** The values that start with a prefix, most rows first, then by fold; at most `limit`. */
	of(request: SuggestRequest): Suggestion[] {
		const { codes, rows, count } = this.find(request, request.limit);
		const dictionary = this.columns.dictionary.get(columnNamed(request.field));
		return Array.from({ length: count }, (_, i) => ({
			value: dictionary.value(codes[i]) as string,
			rows: rows[i],
		}));
	}

	/** Appends {@link of} as JSON; returns how many values there are, counted up to one more than `limit`. */
	write(request: SuggestRequest, sink: ByteSink): number {
		const found = this.find(request, request.limit + 1);
		this.writer.write(columnNamed(request.field), found, Math.min(found.count, request.limit), sink);
		return found.count;
	}

	private find(request: SuggestRequest, limit: number): TopValues {
		this.top.reset(limit);
		takeValues(this.top, request, this.columns, this.work);
		return this.top;
	}
}
