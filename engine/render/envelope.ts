/**
 * What follows the rows of a list in JSON: its pagination and what was asked. For small pages this is most of the cost of
 * rendering, so no intermediate object or string is made, and what most answers have in common is kept as words.
 */

import type { ColumnName } from "../../formats/index.js";
import { areSameColumns, type Order, type Page } from "../query.js";
import { writeNumber } from "./digits.js";
import type { ByteSink } from "./sink.js";
import { WordText } from "./word-text.js";

const COMMA = 0x2c;
/** Bytes of the digits of a 31-bit number, at most. */
const DIGITS_MAX = 10;

const NULL = new WordText("null");
const TOTAL_PAGES = new WordText(',"total_pages":');
/** At 1 if there is a next page, plus 2 if there is one before. */
const NEIGHBOURS = [
	new WordText(',"has_next":false,"has_prev":false'),
	new WordText(',"has_next":true,"has_prev":false'),
	new WordText(',"has_next":false,"has_prev":true'),
	new WordText(',"has_next":true,"has_prev":true'),
] as const;
const END = new WordText("]}}");

/** Texts that are kept of each kind: clients ask for few orders and pages. Finding one of more would cost as much as making it. */
const KEPT_MAX = 8;

/** Texts before the total. */
const begun: { readonly page: number; readonly limit: number; readonly text: WordText }[] = [];
/** Texts between the pagination and the names of filters. */
const asked: {
	readonly snapshot: string;
	readonly sort: readonly ColumnName[];
	readonly order: Order;
	readonly text: WordText;
}[] = [];
/** By name of a filter, which needs no escapes. */
const filterNames = new Map<string, WordText>();

/** Writes the end of the envelope. `moreMeta`: members of `meta` as text that continues an object. */
export function writeEnvelopeEnd(
	{ query, snapshot, total, hasNext, nextCursor }: Page,
	moreMeta: string,
	sink: ByteSink,
): void {
	const { page, limit, sort, order, filters } = query;
	beginning(page, limit).appendTo(sink);
	appendCount(total, sink);
	TOTAL_PAGES.appendTo(sink);
	appendCount(total === null ? null : Math.ceil(total / limit), sink);
	NEIGHBOURS[+hasNext + 2 * +(page > 1)].appendTo(sink);
	if (nextCursor !== undefined)
		sink.text(`,"next_cursor":${nextCursor === null ? "null" : `"${nextCursor}"`}`);
	question(snapshot, sort, order).appendTo(sink);
	appendGivenNames(filters as Readonly<Record<string, unknown>>, sink);
	if (moreMeta === "") END.appendTo(sink);
	else sink.text(`]${moreMeta}}}`);
}

function beginning(page: number, limit: number): WordText {
	for (const known of begun) if (page === known.page && limit === known.limit) return known.text;
	const text = new WordText(`],"pagination":{"page":${page},"limit":${limit},"total":`);
	keep({ page, limit, text }, begun);
	return text;
}

function appendCount(count: number | null, sink: ByteSink): void {
	sink.reserve(DIGITS_MAX);
	if (count === null) NULL.appendTo(sink);
	else sink.length = writeNumber(count, sink.bytes, sink.length);
}

/** Names of columns need no escapes. */
function question(snapshot: string, sort: readonly ColumnName[], order: Order): WordText {
	for (const known of asked)
		if (snapshot === known.snapshot && order === known.order && areSameColumns(sort, known.sort))
			return known.text;
	const names = sort.map((name) => `"${name}"`).join(",");
	const text = new WordText(
		`},"meta":{"snapshot":"${snapshot}","sort":[${names}],"order":"${order}","filters_applied":[`,
	);
	keep({ snapshot, sort: [...sort], order, text }, asked);
	return text;
}

/** Keeps a text in the place of the oldest one. */
function keep<T>(text: T, texts: T[]): void {
	if (texts.length === KEPT_MAX) texts.shift();
	texts.push(text);
}

/** Appends the names of the filters that have a value, separated by commas. */
function appendGivenNames(filters: Readonly<Record<string, unknown>>, sink: ByteSink): void {
	let first = true;
	for (const name in filters) {
		if (filters[name] === undefined) continue;
		if (!first) sink.byte(COMMA);
		nameOf(name).appendTo(sink);
		first = false;
	}
}

function nameOf(filter: string): WordText {
	let name = filterNames.get(filter);
	if (name === undefined) {
		name = new WordText(`"${filter}"`);
		filterNames.set(filter, name);
	}
	return name;
}
