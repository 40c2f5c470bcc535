/**
 * Malformed and ambiguous requests, each with the answers that a strict server may give:
 * what RFC 9110 and RFC 9112 forbid, and the known ways to have a request taken for two. After the
 * model of the public HTTP/1.1 compliance and smuggling probes.
 *
 * Invariants: {@link SMUGGLED} is the path of every hidden request, and an answer that names it is a
 * failure whatever the case allows. Bytes are Latin-1 text.
 */

/** Path of the requests hidden in bodies; the 404 that answers an unknown path names it. */
export const SMUGGLED = "/smuggled";

export const HOST = "Host: rollcall.test\r\n";
const GET = `GET /v1/health HTTP/1.1\r\n${HOST}`;
const POST = `POST /mcp HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const HIDDEN = `GET ${SMUGGLED} HTTP/1.1\r\n${HOST}\r\n`;

/**
 * What may come back.
 * - `refused`: one 4xx or 5xx and the connection closed, or nothing at all.
 * - `denied`: one 4xx, the connection closed or not: the framing is plain, the request is not wanted.
 * - `answered`: any one answer, the connection closed or not: RFC 9112 leaves it to the server.
 * - `served`: one 200.
 */
export type Allowed = "refused" | "denied" | "answered" | "served";

export interface HostileCase {
	readonly name: string;
	readonly bytes: string;
	readonly allowed: Allowed;
	/** The transport whose parser lets the case through before this project sees it; a proxy must stop it. */
	readonly lostOn?: "uws" | "node";
}

function refused(name: string, bytes: string): HostileCase {
	return { name, bytes, allowed: "refused" };
}

function denied(name: string, bytes: string): HostileCase {
	return { name, bytes, allowed: "denied" };
}

function answered(name: string, bytes: string): HostileCase {
	return { name, bytes, allowed: "answered" };
}

/** RFC 9112 §2, §3: the request line. */
const REQUEST_LINES: readonly HostileCase[] = [
	refused("no version", `GET /v1/health\r\n${HOST}\r\n`),
	refused("HTTP/2.0", `GET /v1/health HTTP/2.0\r\n${HOST}\r\n`),
	refused("HTTP/3.7", `GET /v1/health HTTP/3.7\r\n${HOST}\r\n`),
	refused("HTTP/0.9 with a version", `GET /v1/health HTTP/0.9\r\n${HOST}\r\n`),
	refused("a minor version of two digits", `GET /v1/health HTTP/1.10\r\n${HOST}\r\n`),
	refused("a lower-case version", `GET /v1/health http/1.1\r\n${HOST}\r\n`),
	refused("another protocol", `GET /v1/health HTTPS/1.1\r\n${HOST}\r\n`),
	refused("a version without a minor", `GET /v1/health HTTP/1\r\n${HOST}\r\n`),
	answered("two spaces before the version", `GET /v1/health  HTTP/1.1\r\n${HOST}\r\n`),
	answered("two spaces before the target", `GET  /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("a tab for a space", `GET\t/v1/health\tHTTP/1.1\r\n${HOST}\r\n`),
	refused("a space in the target", `GET /v1/health x HTTP/1.1\r\n${HOST}\r\n`),
	refused("a space after the version", `GET /v1/health HTTP/1.1 \r\n${HOST}\r\n`),
	refused("a space before the method", ` GET /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("no target", `GET HTTP/1.1\r\n${HOST}\r\n`),
	refused("no method", `/v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("an empty method", ` /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("a target without a slash", `GET v1/health HTTP/1.1\r\n${HOST}\r\n`),
	denied("a lower-case method", `get /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	denied("an unknown method", `BREW /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("a method of signs", `G(T /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("CONNECT", "CONNECT rollcall.test:443 HTTP/1.1\r\nHost: rollcall.test:443\r\n\r\n"),
	denied("TRACE", `TRACE /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	denied("an asterisk with GET", `GET * HTTP/1.1\r\n${HOST}\r\n`),
	denied("a fragment in the target", `GET /v1/health#x HTTP/1.1\r\n${HOST}\r\n`),
	refused("NUL in the target", `GET /v1/health?a=\0 HTTP/1.1\r\n${HOST}\r\n`),
	refused("a control character in the target", `GET /v1/health?\x07 HTTP/1.1\r\n${HOST}\r\n`),
	denied("a byte above 127 in the target", `GET /v1/health?\xff HTTP/1.1\r\n${HOST}\r\n`),
	refused("a CR in the target", `GET /v1/health?a\rb HTTP/1.1\r\n${HOST}\r\n`),
	denied("an immense target", `GET /v1/health?${"a".repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`),
	refused("a method without end", `${"A".repeat(100_000)} /v1/health HTTP/1.1\r\n${HOST}\r\n`),
	refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
	refused("the hello of TLS", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03".padEnd(170, "\x5a")),
	refused("bytes without sense", "\x00\x01\x02\xff\xfe\r\n\r\n"),
	{ name: "empty lines first", bytes: `\r\n\r\n${GET}\r\n`, allowed: "answered" },
	{ name: "HTTP/1.0", bytes: `GET /v1/health HTTP/1.0\r\n${HOST}\r\n`, allowed: "answered" },
	{
		name: "an absolute target",
		bytes: `GET http://rollcall.test/v1/health HTTP/1.1\r\n${HOST}\r\n`,
		allowed: "answered",
	},
];

/** RFC 9112 §5, RFC 9110 §5 and §7.2: header fields. */
const HEADERS: readonly HostileCase[] = [
	refused("no Host", "GET /v1/health HTTP/1.1\r\n\r\n"),
	refused("an empty Host", "GET /v1/health HTTP/1.1\r\nHost:\r\n\r\n"),
	refused("two Hosts", `${GET}Host: other.test\r\n\r\n`),
	refused("the same Host twice", `${GET}${HOST}\r\n`),
	refused("a Host with a path", "GET /v1/health HTTP/1.1\r\nHost: a.test/b\r\n\r\n"),
	refused("a Host with user and password", "GET /v1/health HTTP/1.1\r\nHost: u:p@a.test\r\n\r\n"),
	refused("a Host with a space", "GET /v1/health HTTP/1.1\r\nHost: a b\r\n\r\n"),
	refused("a Host of two, comma between", "GET /v1/health HTTP/1.1\r\nHost: a.test, b.test\r\n\r\n"),
	{ name: "an empty header name", bytes: `${GET}: x\r\n\r\n`, allowed: "refused", lostOn: "uws" },
	{
		name: "an encoding behind an empty header name",
		bytes: `${POST}: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`,
		allowed: "refused",
		lostOn: "uws",
	},
	{
		name: "a length behind an empty header name",
		bytes: `${POST}: x\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
		allowed: "refused",
		lostOn: "uws",
	},
	refused("a header without a colon", `${GET}X-A\r\n\r\n`),
	refused("a space before the colon", `${GET}X-A : b\r\n\r\n`),
	refused("a space before Host's colon", "GET /v1/health HTTP/1.1\r\nHost : a.test\r\n\r\n"),
	refused("a tab before the colon", `${GET}X-A\t: b\r\n\r\n`),
	refused("a space in a header name", `${GET}X A: b\r\n\r\n`),
	refused("a sign in a header name", `${GET}X(A): b\r\n\r\n`),
	refused("a byte above 127 in a header name", `${GET}X\xe9: b\r\n\r\n`),
	refused("a folded header", `${GET}X-A: b\r\n c\r\n\r\n`),
	refused("a fold before the first header", `GET /v1/health HTTP/1.1\r\n ${HOST}\r\n`),
	refused("NUL in a value", `${GET}X-A: b\0c\r\n\r\n`),
	refused("a control character in a value", `${GET}X-A: b\x01c\r\n\r\n`),
	answered("DEL in a value", `${GET}X-A: b\x7fc\r\n\r\n`),
	refused("a bare CR in a value", `${GET}X-A: b\rX-B: c\r\n\r\n`),
	refused("a bare LF in a value", `${GET}X-A: b\nX-B: c\r\n\r\n`),
	refused("bare LF everywhere", "GET /v1/health HTTP/1.1\nHost: a.test\n\n"),
	refused("a bare LF at the end of the headers", `${GET}\n`),
	refused("bare CR everywhere", "GET /v1/health HTTP/1.1\rHost: a.test\r\r"),
	answered("a header of 100 KB", `${GET}X-A: ${"b".repeat(100_000)}\r\n\r\n`),
	answered("a header name of 100 KB", `${GET}X-${"b".repeat(100_000)}: a\r\n\r\n`),
	refused("five thousand headers", `${GET}${"X-A: b\r\n".repeat(5_000)}\r\n`),
	refused("twenty thousand headers", `${GET}${"A:b\r\n".repeat(20_000)}\r\n`),
	refused("headers without an end", `${GET}${"X-Filler: abcdefgh\r\n".repeat(10_000)}`),
];

/** RFC 9112 §6 and §7: message body length, and requests smuggled where two parsers differ. */
const FRAMING: readonly HostileCase[] = [
	refused("GET with a body", `${GET}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`),
	refused(
		"HEAD with a body",
		`HEAD /v1/health HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	refused(
		"OPTIONS with a body",
		`OPTIONS /mcp HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	denied(
		"DELETE with a body",
		`DELETE /mcp HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	denied(
		"PUT with a body on a GET path",
		`PUT /v1/health HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	denied(
		"POST with a body on an unknown path",
		`POST /nowhere HTTP/1.1\r\n${HOST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	denied("POST without a key", `${POST}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`),
	...[
		["two differing lengths, the short first", `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`],
		["two differing lengths, the long first", `Content-Length: ${HIDDEN.length}\r\nContent-Length: 0\r\n`],
		["the same length twice", `Content-Length: ${HIDDEN.length}\r\nContent-Length: ${HIDDEN.length}\r\n`],
		["two lengths in one header", `Content-Length: 0, ${HIDDEN.length}\r\n`],
		["an empty length", "Content-Length:\r\n"],
		["a length of spaces", "Content-Length:   \r\n"],
		["a positive length with its sign", "Content-Length: +0\r\n"],
		["a negative length", "Content-Length: -1\r\n"],
		["a hexadecimal length", "Content-Length: 0x0\r\n"],
		["an octal-looking length", `Content-Length: 00\r\nContent-Length: ${HIDDEN.length}\r\n`],
		["a length with a fraction", "Content-Length: 0.0\r\n"],
		["a length in exponent form", "Content-Length: 0e1\r\n"],
		["a length with a space inside", `Content-Length: 0 ${HIDDEN.length}\r\n`],
		["a length past 2^64", "Content-Length: 18446744073709551616\r\n"],
		["a length past 2^63", "Content-Length: 9223372036854775808\r\n"],
		["a length of other digits", "Content-Length: \xd9\xa0\r\n"],
		["a space before the colon of the length", `Content-Length : ${HIDDEN.length}\r\n`],
		["a length behind a bare CR", `X-A: b\rContent-Length: ${HIDDEN.length}\r\n`],
		["a length behind a bare LF", `X-A: b\nContent-Length: ${HIDDEN.length}\r\n`],
		["a folded length", `Content-Length:\r\n ${HIDDEN.length}\r\n`],
	].map(([name, headers]) => refused(`${name}, on POST`, `${POST}${headers}\r\n${HIDDEN}`)),
	...[
		["a repeated length, on GET", `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n`],
		["an empty length, on GET", "Content-Length:\r\n"],
		["a signed length, on GET", "Content-Length: +0\r\n"],
		["chunked, on GET", "Transfer-Encoding: chunked\r\n"],
	].map(([name, headers]) => refused(name, `${GET}${headers}\r\n0\r\n\r\n${HIDDEN}`)),
	...[
		["chunked", "Transfer-Encoding: chunked\r\n"],
		["both framings, length first", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"],
		["both framings, chunked first", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"],
		["an encoding of length 0 and chunked", "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"],
		["chunked, then gzip", "Transfer-Encoding: chunked, gzip\r\n"],
		["gzip, then chunked", "Transfer-Encoding: gzip, chunked\r\n"],
		["chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"],
		["two differing encodings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"],
		["identity", "Content-Length: 5\r\nTransfer-Encoding: identity\r\n"],
		["an unknown encoding", "Transfer-Encoding: xchunked\r\n"],
		["an empty encoding", "Transfer-Encoding:\r\n"],
		["an encoding in quotes", 'Transfer-Encoding: "chunked"\r\n'],
		["an upper-case encoding", "Transfer-Encoding: CHUNKED\r\n"],
		["a vertical tab before the encoding", "Transfer-Encoding: \x0bchunked\r\n"],
		["a space before the encoding's colon", "Transfer-Encoding : chunked\r\n"],
		["a tab before the encoding", "Transfer-Encoding:\tchunked\r\n"],
		["an underscore in the encoding's name", "Content-Length: 0\r\nTransfer_Encoding : chunked\r\n"],
		["a folded encoding", "Transfer-Encoding:\r\n chunked\r\n"],
		["an encoding behind a bare LF", "Content-Length: 5\r\nX-A: b\nTransfer-Encoding: chunked\r\n"],
	].map(([name, headers]) => refused(`${name}, on POST`, `${POST}${headers}\r\n0\r\n\r\n${HIDDEN}`)),
	...[
		["a chunk longer than its size", `3\r\nabcdef\r\n0\r\n\r\n${HIDDEN}`],
		["a chunk without its CRLF", `3\r\nabc0\r\n\r\n${HIDDEN}`],
		["a space before the size", ` 3\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a space after the size", `3 \r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["an empty size", `\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a size with 0x", `0x3\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a signed size", `+3\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a negative size", `-1\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a size with an underscore", `0_0\r\n\r\n${HIDDEN}`],
		["a size past 2^64", `10000000000000000\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["a size that ends in LF", `3\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["an extension with a bare LF", `3;a=b\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["an immense extension", `3;${"a".repeat(50_000)}\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
		["trailers", `0\r\nHost: other.test\r\n\r\n${HIDDEN}`],
		["junk after the last chunk", `0\r\njunk\r\n\r\n${HIDDEN}`],
		["a last chunk ended by LF", `0\n\n${HIDDEN}`],
	].map(([name, body]) =>
		refused(`chunked with ${name}`, `${POST}Transfer-Encoding: chunked\r\n\r\n${body}`),
	),
	denied(
		"Expect of something else",
		`${POST}Expect: 200-maybe\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	refused(
		"Expect with a body on GET",
		`${GET}Expect: 100-continue\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`,
	),
	{
		name: "an upgrade to h2c",
		bytes: `${GET}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAA\r\n\r\n`,
		allowed: "answered",
	},
	{
		name: "an upgrade to websocket",
		bytes: `${GET}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
		allowed: "answered",
	},
];

/** What must go on working. */
const PLAIN: readonly HostileCase[] = [
	{ name: "a plain GET", bytes: `${GET}\r\n`, allowed: "served" },
	{ name: "a length of 0 on GET", bytes: `${GET}Content-Length: 0\r\n\r\n`, allowed: "served" },
	{
		name: "no space after the colon",
		bytes: "GET /v1/health HTTP/1.1\r\nHost:a.test\r\n\r\n",
		allowed: "served",
	},
	{ name: "a tab around a value", bytes: `${GET}X-A:\t b \t\r\n\r\n`, allowed: "served" },
	{ name: "an empty value", bytes: `${GET}X-A:\r\n\r\n`, allowed: "served" },
	{ name: "names in capitals", bytes: "GET /v1/health HTTP/1.1\r\nHOST: a.test\r\n\r\n", allowed: "served" },
	{
		name: "a Host with a port",
		bytes: "GET /v1/health HTTP/1.1\r\nHost: a.test:8080\r\n\r\n",
		allowed: "served",
	},
	{
		name: "a Host in brackets",
		bytes: "GET /v1/health HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n",
		allowed: "served",
	},
	{ name: "Latin-1 in a value", bytes: `${GET}X-A: caf\xe9\r\n\r\n`, allowed: "served" },
	{ name: "eighty headers", bytes: `${GET}${"X-A: b\r\n".repeat(80)}\r\n`, allowed: "answered" },
];

export const HOSTILE_CASES: readonly HostileCase[] = [...REQUEST_LINES, ...HEADERS, ...FRAMING, ...PLAIN];
