/**
 * A strict parser of HTTP/1.1 request heads (RFC 9112 §3 and §5) for the transport over node:net.
 *
 * It accepts one spelling of everything: lines end in CRLF, one space separates the parts of the
 * request line, a header has a name of token characters directly followed by a colon, and no value
 * contains a control character other than a tab. Whatever two parsers could read differently is
 * refused, so no request can be hidden from this server or from a proxy in front of it.
 */

import { isMethod, RequestHead } from "./request-head.js";

const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

/** 1 for characters of a token (RFC 9110 §5.6.2). */
const TOKEN = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	TOKEN[character.charCodeAt(0)] = 1;

const utf8 = new TextDecoder("utf-8");
const ABSOLUTE = /^https?:\/\/[^/?#]*/i;

/** Whether `byte` is a character of a token, and so may begin a request. */
export function isTokenCharacter(byte: number): boolean {
	return TOKEN[byte] === 1;
}

/** Why a head is refused, in words that are safe to send. */
export interface HeadFault {
	readonly fault: string;
}

/**
 * Parses the head at `bytes[start, end)`, the empty line that ends it excluded. Its framing is not
 * checked: see {@link RequestHead.framingFault}. Cost: some microseconds, linear in its length.
 */
export function parseHead(bytes: Buffer, start: number, end: number): RequestHead | HeadFault {
	const text = bytes.toString("latin1", start, end);
	const lineEnd = endOfLine(text, 0);
	const methodEnd = text.indexOf(" ");
	const targetEnd = text.indexOf(" ", methodEnd + 1);
	if (methodEnd < 0 || targetEnd < 0 || targetEnd >= lineEnd) return fault("the request line is malformed");
	const method = text.slice(0, methodEnd);
	if (!isMethod(method)) return fault("the method is malformed");
	const version = text.slice(targetEnd + 1, lineEnd);
	if (version !== "HTTP/1.1" && version !== "HTTP/1.0") return fault("only HTTP/1.1 is served here");
	const target = readTarget(bytes, text, start, methodEnd + 1, targetEnd);
	if (target === null) return fault("the request target is malformed");
	const mark = target.indexOf("?");
	const head =
		mark < 0
			? new RequestHead(method, target, "")
			: new RequestHead(method, target.slice(0, mark), target.slice(mark + 1));
	head.isHttp10 = version === "HTTP/1.0";
	head.closes = head.isHttp10;
	for (let at = lineEnd + 2; at < text.length; ) {
		const next = endOfLine(text, at);
		if (!addHeader(head, bytes, text, start, at, next)) return fault("a header is malformed");
		at = next + 2;
	}
	return head.host === null ? fault("the Host header is missing") : head;
}

function fault(reason: string): HeadFault {
	return { fault: reason };
}

function endOfLine(text: string, from: number): number {
	const end = text.indexOf("\r\n", from);
	return end < 0 ? text.length : end;
}

/** The target as text of its own; null if it is malformed. Bytes that are not UTF-8 become U+FFFD. */
function readTarget(bytes: Buffer, text: string, start: number, from: number, to: number): string | null {
	let ascii = true;
	for (let i = from; i < to; i++) {
		const code = text.charCodeAt(i);
		if (code <= SPACE || code === DELETE) return null;
		if (code > DELETE) ascii = false;
	}
	const target = ascii
		? bytes.toString("latin1", start + from, start + to)
		: utf8.decode(bytes.subarray(start + from, start + to));
	if (target.startsWith("/")) return target;
	// A proxy's form of a target, which every server must accept (RFC 9112 §3.2.2).
	const absolute = ABSOLUTE.exec(target);
	if (absolute === null) return null;
	const rest = target.slice(absolute[0].length);
	return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Adds the header at `[at, end)`. Returns false if it is malformed. */
function addHeader(
	head: RequestHead,
	bytes: Buffer,
	text: string,
	start: number,
	at: number,
	end: number,
): boolean {
	let colon = at;
	while (colon < end && TOKEN[text.charCodeAt(colon)] === 1) colon++;
	if (colon === at || colon >= end || text.charCodeAt(colon) !== 0x3a) return false;
	let from = colon + 1;
	let to = end;
	while (from < to && isBlank(text.charCodeAt(from))) from++;
	while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
	for (let i = from; i < to; i++) {
		const code = text.charCodeAt(i);
		if ((code < SPACE && code !== TAB) || code === DELETE) return false;
	}
	// A slice of `text` would keep all of it alive for as long as the value.
	head.add(text.slice(at, colon).toLowerCase(), bytes.toString("latin1", start + from, start + to));
	return true;
}

function isBlank(code: number): boolean {
	return code === SPACE || code === TAB;
}
