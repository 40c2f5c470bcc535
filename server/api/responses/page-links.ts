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

/**
 * Most characters of the header. The head of a response, of which the rest is 1 to 2 KiB, is refused beyond 16 KiB by
 * Node's fetch and by nginx as in `deploy/`; a query of up to 16,384 characters would be in it twice.
 */
const LINK_LENGTH_MAX = 8_192;

const PAGE = /(^|&)page=[^&]*/;
/** A character that may not stand in a target, or a percent-encoded name, which may be another spelling of `page`. */
const UNUSUAL = /[^\w!$%&'()*+,\-./:;=?@~]|(?:^|&)[^=&]*%/;

/**
 * The header for a page of the request `path?query`, as sent but for what {@link targetQuery} writes otherwise;
 * empty where neither page exists, or the query is too long for one target. `prev` gives way to `next`. Cost O(length).
 *
 * REQUIRES: `query` was understood, so that its percent-encoding is whole.
 */
export function pageLinks(path: string, query: string, { page, next: hasNext }: PageNumber): HeaderBlock {
	const next = hasNext ? page + 1 : null;
	const prev = page > 1 ? page - 1 : null;
	if (next === null && prev === null) return "";
	const target = UNUSUAL.test(query) ? targetQuery(query) : query;
	const linkTo = (to: number, rel: string) => `<${path}?${withPage(target, to)}>; rel="${rel}"`;
	const forth = next === null ? "" : linkTo(next, "next");
	const back = prev === null ? "" : linkTo(prev, "prev");
	const both = forth === "" || back === "" ? forth + back : `${forth}, ${back}`;
	const link = both.length <= LINK_LENGTH_MAX ? both : forth;
	return link === "" || link.length > LINK_LENGTH_MAX ? "" : `\r\nLink: ${link}`;
}

/** `query` with names in plain letters, and characters that a target may not hold percent-encoded. */
function targetQuery(query: string): string {
	return query
		.replace(/[^\w!$%&'()*+,\-./:;=?@~]/gu, encodeURIComponent)
		.replace(/(?<=^|&)[^=&]+/g, (name) => encodeURIComponent(decodeURIComponent(name)));
}

function withPage(query: string, page: number): string {
	if (PAGE.test(query)) return query.replace(PAGE, `$1page=${page}`);
	return query === "" ? `page=${page}` : `${query}&page=${page}`;
}
