/**
 * What follows the rows of a list in JSON: its pagination and what was asked. For small pages this is most of the cost of
 * rendering, so no intermediate object or string is made, and what most answers have in common is kept as bytes.
 */

import type { ColumnName } from "../../formats/index.js";
import { areSameColumns, type Order, type Page } from "../query.js";
import type { ByteSink } from "./sink.js";

const QUOTE = 0x22;

/** The text before the total, of the page and limit asked for last. */
let begun = { page: 0, limit: 0, bytes: new Uint8Array(0) };
/** The text between the pagination and the names of filters, of the last answer. */
let asked = {
	snapshot: "",
	sort: [] as readonly ColumnName[],
	order: "asc" as Order,
	bytes: new Uint8Array(0),
};

/** Writes the end of the envelope. `moreMeta`: members of `meta` as text that continues an object. */
export function writeEnvelopeEnd(
	{ query, snapshot, total, hasNext, nextCursor }: Page,
	moreMeta: string,
	sink: ByteSink,
): void {
	const { page, limit, sort, order, filters } = query;
	const pages = total === null ? null : Math.ceil(total / limit);
	sink.copy(beginning(page, limit));
	sink.text(String(total));
	sink.text(',"total_pages":');
	sink.text(String(pages));
	sink.text(hasNext ? ',"has_next":true,"has_prev":' : ',"has_next":false,"has_prev":');
	sink.text(page > 1 ? "true" : "false");
	if (nextCursor !== undefined) {
		sink.text(',"next_cursor":');
		sink.text(nextCursor === null ? "null" : `"${nextCursor}"`);
	}
	sink.copy(question(snapshot, sort, order));
	writeGivenNames(filters as Readonly<Record<string, unknown>>, sink);
	sink.text("]");
	if (moreMeta !== "") sink.text(moreMeta);
	sink.text("}}");
}

function beginning(page: number, limit: number): Uint8Array {
	if (page !== begun.page || limit !== begun.limit) {
		const text = `],"pagination":{"page":${page},"limit":${limit},"total":`;
		begun = { page, limit, bytes: Buffer.from(text) };
	}
	return begun.bytes;
}

/** Names of columns need no escapes. */
function question(snapshot: string, sort: readonly ColumnName[], order: Order): Uint8Array {
	if (snapshot !== asked.snapshot || order !== asked.order || !areSameColumns(sort, asked.sort)) {
		const names = sort.map((name) => `"${name}"`).join(",");
		const text = `},"meta":{"snapshot":"${snapshot}","sort":[${names}],"order":"${order}","filters_applied":[`;
		asked = { snapshot, sort: [...sort], order, bytes: Buffer.from(text) };
	}
	return asked.bytes;
}

/** Writes the names of the filters that have a value, separated by commas; they need no escapes. */
function writeGivenNames(filters: Readonly<Record<string, unknown>>, sink: ByteSink): void {
	let first = true;
	for (const name in filters) {
		if (filters[name] === undefined) continue;
		sink.text(first ? '"' : ',"');
		sink.text(name);
		sink.byte(QUOTE);
		first = false;
	}
}
