/**
 * `Link` headers to the pages beside one (RFC 8288): `rel="next"` and `rel="prev"`, as targets relative to
 * this service that repeat the request's query with another `page`.
 */

import type { HeaderBlock } from "../../http/transport.js";

/** A page of a list. */
export interface PageNumber {
	/** 1-based. */
	readonly page: number;
	/** Whether the next page may be asked for: it has rows, and is not past the depth cap. */
	readonly next: boolean;
}

const PAGE = /(^|&)page=[^&]*/;
/** Characters of a query that may stand in a header and between angle brackets. */
const PLAIN = /^[\w!$%&'()*+,\-./:;=?@~]*$/;

/**
 * The header for a page of the request `path?query`, as sent; empty where neither page exists. A query
 * that holds characters which a target may not have, or names the page in another spelling, gets none.
 * Cost O(length).
 */
export function pageLinks(path: string, query: string, { page, next: hasNext }: PageNumber): HeaderBlock {
	const next = hasNext ? page + 1 : null;
	const prev = page > 1 ? page - 1 : null;
	if ((next === null && prev === null) || !PLAIN.test(query)) return "";
	if (prev !== null && !PAGE.test(query)) return "";
	const links: string[] = [];
	if (next !== null) links.push(`<${path}?${withPage(query, next)}>; rel="next"`);
	if (prev !== null) links.push(`<${path}?${withPage(query, prev)}>; rel="prev"`);
	return `\r\nLink: ${links.join(", ")}`;
}

function withPage(query: string, page: number): string {
	if (PAGE.test(query)) return query.replace(PAGE, `$1page=${page}`);
	return query === "" ? `page=${page}` : `${query}&page=${page}`;
}
