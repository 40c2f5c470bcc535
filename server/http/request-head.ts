/**
 * What the service reads of a request before its body: method, target and the headers it knows.
 * Transports fill it header by header; other headers are dropped. A repeated header's values are
 * joined by ", " (RFC 9110 §5.3), so that a repeated credential is never a valid one.
 *
 * Invariant: the strings of known headers own their memory. A head may be read after the transport's
 * buffer is gone, and keeping one of its strings keeps nothing else alive.
 */

/** Maximum headers in one request. */
const HEADERS_MAX = 100;

/** A method (RFC 9110 §9.1): a token, here of at most 32 characters. The longest registered one has 17. */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/;

/** RFC 9112 §3.2 with RFC 3986: a host name or an address, and an optional port. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;
/** Maximum length of the target and the headers together, in characters. */
export const HEAD_BYTES_MAX = 32 * 1024;

const REPLACEMENT = "\uFFFD";
const CLOSE = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const CHUNKED = /^chunked$/i;
const EXPECTS_CONTINUE = /^100-continue$/i;

export class RequestHead {
	/** As sent, case-sensitive: any token; the service answers 405 to those that a path does not serve. */
	readonly method: string;
	/** Path of the target, not decoded. U+FFFD stands for bytes that are not UTF-8. */
	readonly path: string;
	/** Query of the target after `?`, not decoded; empty if there is none. */
	readonly query: string;

	accept: string | null = null;
	acceptEncoding: string | null = null;
	apiKey: string | null = null;
	authorization: string | null = null;
	contentEncoding: string | null = null;
	contentType: string | null = null;
	forwardedFor: string | null = null;
	host: string | null = null;
	ifMatch: string | null = null;
	ifNoneMatch: string | null = null;
	ifRange: string | null = null;
	mcpMethod: string | null = null;
	mcpName: string | null = null;
	mcpProtocolVersion: string | null = null;
	origin: string | null = null;
	range: string | null = null;
	/** `Access-Control-Request-Method` of a preflight. */
	requestedMethod: string | null = null;
	traceparent: string | null = null;

	/** Whether the client speaks HTTP/1.0. Not known over uWebSockets.js, which has a response of its own for it. */
	isHttp10 = false;
	/** Whether the client asks for the connection to be closed after the response. Set by HTTP/1.0 too. */
	closes = false;
	/** Whether the client waits for `100 Continue` before it sends the body. */
	expectsContinue = false;
	/** Bytes of body that the request declares; -1 if the declaration is not a whole number. */
	contentLength = 0;

	private headers = 0;
	private nameless = false;
	/** Characters of the target and the headers. */
	private length = 0;
	private hosts = 0;
	private contentLengths = 0;
	private transferEncoding: string | null = null;

	constructor(method: string, path: string, query: string) {
		this.method = method;
		this.path = path;
		this.query = query;
		this.length = path.length + query.length;
	}

	/** Adds one header. `name` is in lower case. */
	add(name: string, value: string): void {
		this.headers++;
		this.length += name.length + value.length;
		switch (name) {
			case "host":
				this.hosts++;
				this.host = value;
				break;
			case "authorization":
				this.authorization = join(this.authorization, value);
				break;
			case "x-api-key":
				this.apiKey = join(this.apiKey, value);
				break;
			case "accept-encoding":
				this.acceptEncoding = join(this.acceptEncoding, value);
				break;
			case "if-none-match":
				this.ifNoneMatch = join(this.ifNoneMatch, value);
				break;
			case "origin":
				this.origin = join(this.origin, value);
				break;
			case "accept":
				this.accept = join(this.accept, value);
				break;
			case "content-length":
				this.contentLengths++;
				this.contentLength = decimal(value);
				break;
			case "transfer-encoding":
				this.transferEncoding = join(this.transferEncoding, value);
				break;
			case "":
				this.nameless = true;
				break;
			default:
				this.addRare(name, value);
		}
	}

	/** Whether the body comes in chunks, so that its length is not known before its end. */
	get chunked(): boolean {
		const { transferEncoding } = this;
		return transferEncoding !== null && this.method === "POST" && CHUNKED.test(transferEncoding);
	}

	/** Why this request's framing is invalid; null if it is valid. Messages are safe to send. */
	framingFault(): string | null {
		if (!isMethod(this.method)) return "the method is malformed";
		// Its target is no path, and it asks for a tunnel (RFC 9110 §9.3.6).
		if (this.method === "CONNECT") return "CONNECT is not served: this server is no proxy";
		if (this.length > HEAD_BYTES_MAX) return `target and headers are longer than ${HEAD_BYTES_MAX} bytes`;
		// Stands for bytes that are not UTF-8. The search costs nothing in a target of one-byte characters.
		if (this.path.includes(REPLACEMENT) || this.query.includes(REPLACEMENT))
			return "the target has bytes that are not UTF-8";
		if (this.hosts > 1) return "the Host header is repeated";
		if (this.host !== null && !isHost(this.host))
			return "the Host header is not a host with an optional port";
		if (this.headers > HEADERS_MAX) return `more than ${HEADERS_MAX} headers`;
		if (this.nameless) return "a header has no name";
		if (this.transferEncoding !== null && (!this.chunked || this.contentLengths > 0 || this.isHttp10))
			return "Transfer-Encoding is accepted on POST alone, as chunked, without Content-Length";
		if (this.contentLengths === 0) return null;
		if (this.contentLengths > 1) return "the Content-Length header is repeated";
		if (this.contentLength < 0) return "Content-Length is not a whole decimal number";
		if (this.contentLength > 0 && isBodilessMethod(this.method))
			return `a ${this.method} request takes no body`;
		return null;
	}

	private addRare(name: string, value: string): void {
		switch (name) {
			case "access-control-request-method":
				this.requestedMethod = join(this.requestedMethod, value);
				break;
			case "connection":
				this.closes ||= CLOSE.test(value);
				break;
			case "expect":
				this.expectsContinue = EXPECTS_CONTINUE.test(value);
				break;
			case "content-encoding":
				this.contentEncoding = join(this.contentEncoding, value);
				break;
			case "content-type":
				this.contentType = join(this.contentType, value);
				break;
			case "range":
				this.range = join(this.range, value);
				break;
			case "if-match":
				this.ifMatch = join(this.ifMatch, value);
				break;
			case "if-range":
				this.ifRange = join(this.ifRange, value);
				break;
			case "traceparent":
				this.traceparent = join(this.traceparent, value);
				break;
			case "x-forwarded-for":
				this.forwardedFor = join(this.forwardedFor, value);
				break;
			case "mcp-method":
				this.mcpMethod = join(this.mcpMethod, value);
				break;
			case "mcp-name":
				this.mcpName = join(this.mcpName, value);
				break;
			case "mcp-protocol-version":
				this.mcpProtocolVersion = join(this.mcpProtocolVersion, value);
				break;
		}
	}
}

/** Whether `method` is a method by its form, known or not. */
export function isMethod(method: string): boolean {
	return method === "GET" || METHOD.test(method);
}

function isBodilessMethod(method: string): boolean {
	return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** The last valid Host: most requests of a thread have the same one. */
let lastHost = "";

function isHost(text: string): boolean {
	if (text === lastHost) return true;
	if (!HOST.test(text)) return false;
	lastHost = text;
	return true;
}

function join(previous: string | null, value: string): string {
	return previous === null ? value : `${previous}, ${value}`;
}

/** The number that `text` spells in decimal digits alone; -1 for any other text and above 2^53. */
function decimal(text: string): number {
	if (!/^[0-9]{1,16}$/.test(text)) return -1;
	const value = Number(text);
	return Number.isSafeInteger(value) ? value : -1;
}
