/**
 * A small HTTP server for pages: signup and portal, on a separate port and in one thread, so that its load does
 * not affect the API. Over node:http; requests are few and small.
 *
 * Invariants: bodies, heads, connections, responses that a client does not read, time and requests a minute of
 * each address are bounded; every response has the headers below, which restrict a page to its own files and
 * forbid framing; changes requested by pages of other origins are refused.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UntracedError } from "../../formats/index.js";
import type { Clock } from "../clock.js";
import { type ClientAddresses, networkOf } from "../http/client-address.js";
import { ListenError } from "../http/transport.js";
import { AddressLimit } from "../limits/address-limit.js";
import { escapeHtml, htmlPage, type PageParts } from "./html.js";
import { PageConnections } from "./page-connections.js";

/** Maximum body: a form with a solved challenge has two thousand bytes. */
const BODY_BYTES_MAX = 8 * 1024;
const HEAD_BYTES_MAX = 8 * 1024;
const CONNECTIONS_MAX = 500;
const REQUEST_MS_MAX = 10_000;
const IDLE_MS_MAX = 5_000;
/**
 * Requests a minute of one address besides the counted ones: pages, their files, and what does not exist. A visit takes
 * ten, of files that browsers then cache for an hour; the largest file has 83 KB.
 */
const PAGES_PER_MINUTE = 1_200;
const CHECK_INTERVAL_MS = 1_000;

const POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: Readonly<Record<string, string>> = {
	"Content-Security-Policy": POLICY,
	"X-Frame-Options": "DENY",
	"X-Content-Type-Options": "nosniff",
	// Forms send their origin; links to other sites do not reveal an address that contains a token.
	"Referrer-Policy": "same-origin",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};

export interface PageRequest {
	/** Path without its query. */
	readonly path: string;
	readonly query: URLSearchParams;
	/** `Authorization` as received. */
	readonly authorization: string | null;
	/** `Host`; empty if absent. */
	readonly host: string;
	/** Whether the body is, and the response should be, JSON; else a form and a page. */
	readonly json: boolean;
	/** Fields of the form, or text members of the JSON object; empty without a body. */
	readonly fields: ReadonlyMap<string, string>;
	/** The client's network: IPv4 /24, IPv6 /64. */
	readonly network: string;
	readonly nowMs: number;
}

export interface PageAnswer {
	readonly status: number;
	readonly type: string;
	readonly body: string | Uint8Array;
	/** Headers besides those of every response. */
	readonly headers?: Readonly<Record<string, string>>;
}

export interface PageRoute {
	readonly method: "GET" | "POST";
	/** A path, or a prefix if it ends with `*`. */
	readonly path: string;
	/** Whether each request counts towards {@link PageServerOptions.perMinute}. */
	readonly counted: boolean;
	answer(request: PageRequest): PageAnswer | Promise<PageAnswer>;
}

export interface PageServerOptions {
	readonly routes: readonly PageRoute[];
	readonly addresses: ClientAddresses;
	readonly clock: Clock;
	/** Counted requests a minute of one address (IPv6: /64); {@link PAGES_PER_MINUTE} others are answered beside them. */
	readonly perMinute: number;
	/** Maximum time to receive a head and a body, in milliseconds; absent: {@link REQUEST_MS_MAX}. */
	readonly requestMsMax?: number;
	/** As in {@link PageConnections}. */
	readonly responseMsMax?: number;
	readonly onError: (error: unknown) => void;
}

/** An error of a request, sent as a page or as JSON, like the response would be. */
export class PageError extends UntracedError {
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
		this.name = "PageError";
	}
}

export class PageServer {
	private readonly server: Server;
	/** All requests, those that are refused included. */
	private readonly requests: AddressLimit;
	private readonly countedRequests: AddressLimit;
	private readonly connections: PageConnections;

	constructor(private readonly options: PageServerOptions) {
		this.connections = new PageConnections(options.addresses, options.responseMsMax);
		this.requests = new AddressLimit("pages", options.perMinute + PAGES_PER_MINUTE);
		this.countedRequests = new AddressLimit("counted", options.perMinute);
		const requestMs = options.requestMsMax ?? REQUEST_MS_MAX;
		// By default both are checked only every half a minute.
		const connectionsCheckingInterval = Math.min(CHECK_INTERVAL_MS, requestMs);
		this.server = createServer({ maxHeaderSize: HEAD_BYTES_MAX, connectionsCheckingInterval }, this.handle);
		this.server.maxConnections = CONNECTIONS_MAX;
		this.server.headersTimeout = requestMs;
		this.server.requestTimeout = requestMs;
		this.server.keepAliveTimeout = IDLE_MS_MAX;
		this.server.on("connection", (socket) => this.connections.admit(socket));
	}

	/** Whether there is a page at `url`, for a server of another port that passes requests on. */
	has(url: string): boolean {
		const path = url.split("?", 1)[0];
		return this.options.routes.some((route) => isAt(route, path));
	}

	/** Answers a request. As an arrow function, so that servers can call it alone. */
	readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
		if (!this.connections.mayAnswer(request.socket, response)) return;
		this.serve(request, response).catch((error) => {
			this.options.onError(error);
			if (!response.headersSent) send(response, errorAnswer(internal(), wantsJson(request)), false);
			else response.destroy();
		});
	};

	/** Resolves to the port. Rejects with {@link ListenError}. */
	listen(host: string, port: number): Promise<number> {
		return new Promise((resolve, reject) => {
			this.server.once("error", (error) => reject(new ListenError(host, port, error)));
			this.server.listen({ host, port, exclusive: true }, () =>
				resolve((this.server.address() as AddressInfo).port),
			);
		});
	}

	close(): Promise<void> {
		return new Promise((resolve) => {
			this.server.close(() => resolve());
			this.server.closeIdleConnections();
			setTimeout(() => this.server.closeAllConnections(), 1_000).unref();
		});
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const json = wantsJson(request);
		let answer: PageAnswer;
		try {
			answer = await this.answer(request, json);
		} catch (error) {
			if (!(error instanceof PageError)) throw error;
			answer = errorAnswer(error, json);
			// The rest of a refused body is not read.
			if (!request.complete) response.setHeader("Connection", "close");
		}
		send(response, answer, request.method === "HEAD");
	}

	private async answer(request: IncomingMessage, json: boolean): Promise<PageAnswer> {
		const { clock, addresses } = this.options;
		const nowMs = clock.now();
		const forwarded = request.headers["x-forwarded-for"];
		const peer = request.socket.remoteAddress ?? "";
		const client = addresses.client(peer, typeof forwarded === "string" ? forwarded : null);
		const network = subnetOf(client);
		count(this.requests, client, nowMs);
		const { pathname: path, searchParams: query } = targetOf(request.url ?? "/");
		const route = this.routeOf(request.method ?? "", path);
		if (route.counted) count(this.countedRequests, client, nowMs);
		if (route.method === "POST") refuseForeignPages(request);
		const fields = route.method === "POST" ? fieldsOf(await readBody(request), request) : new Map();
		const authorization = request.headers.authorization ?? null;
		const host = request.headers.host ?? "";
		return route.answer({ path, query, authorization, host, json, fields, network, nowMs });
	}

	private routeOf(method: string, path: string): PageRoute {
		const matching = this.options.routes.filter((route) => isAt(route, path));
		if (matching.length === 0) throw new PageError(404, "not_found", "There is nothing at this address.");
		const wanted = method === "HEAD" ? "GET" : method;
		const found = matching.find((route) => route.method === wanted);
		if (found !== undefined) return found;
		const allow = [...new Set(matching.map((route) => route.method))].join(", ");
		throw new PageError(405, "method_not_allowed", `This address takes ${allow}.`, { Allow: allow });
	}
}

/** Counts a request of `client`. Throws PageError beyond the limit. */
function count(limit: AddressLimit, client: string, nowMs: number): void {
	const seconds = limit.take(networkOf(client), nowMs);
	if (seconds === 0) return;
	throw new PageError(
		429,
		"rate_limited",
		`Too many requests from your address; try again in ${seconds} s.`,
		{
			"Retry-After": String(seconds),
		},
	);
}

/** A page as an answer. */
export function pageAnswer(
	status: number,
	title: string,
	main: string,
	files: Pick<PageParts, "styles" | "scripts"> = {},
): PageAnswer {
	return { status, type: "text/html; charset=utf-8", body: htmlPage({ title, main, ...files }) };
}

/** A value as an answer. */
export function jsonPageAnswer(status: number, value: unknown): PageAnswer {
	return { status, type: "application/json; charset=utf-8", body: JSON.stringify(value) };
}

function errorAnswer(error: PageError, json: boolean): PageAnswer {
	const { status, code, message, headers } = error;
	const answer = json
		? jsonPageAnswer(status, { error: { code, message } })
		: pageAnswer(
				status,
				"That did not work",
				`<p role="alert">${escapeHtml(message)}</p><p><a href="/">Back</a></p>`,
			);
	return { ...answer, headers };
}

function internal(): PageError {
	return new PageError(500, "internal_error", "The service failed. Please try again later.");
}

/** The network within which a client can easily obtain many addresses. */
function subnetOf(address: string): string {
	return address.includes(".")
		? `${address.split(".").slice(0, 3).join(".")}.0/24`
		: `${networkOf(address)}::/64`;
}

function targetOf(url: string): URL {
	try {
		return new URL(url, "http://pages.invalid");
	} catch {
		throw new PageError(400, "invalid_request", "The address of the request cannot be read.");
	}
}

function isAt(route: PageRoute, path: string): boolean {
	return route.path.endsWith("*") ? path.startsWith(route.path.slice(0, -1)) : route.path === path;
}

/**
 * Browsers send the origin of a request in Sec-Fetch-Site, older ones in Origin. Programs send neither, and
 * have no session that a page of another origin could use.
 */
function refuseForeignPages({ headers }: IncomingMessage): void {
	const site = headers["sec-fetch-site"];
	const { origin, host } = headers;
	const sameOrigin = origin === undefined || origin.replace(/^https?:\/\//, "") === host;
	if (site === undefined ? sameOrigin : site === "same-origin" || site === "none") return;
	throw new PageError(403, "foreign_origin", "Pages of other sites may not send this.");
}

async function readBody(request: IncomingMessage): Promise<string> {
	// One buffer: each part of its own would take some hundred bytes besides.
	const received = Buffer.allocUnsafe(BODY_BYTES_MAX);
	let bytes = 0;
	try {
		for await (const part of request as AsyncIterable<Buffer>) {
			if (bytes + part.length > BODY_BYTES_MAX)
				throw new PageError(413, "payload_too_large", `A body may have ${BODY_BYTES_MAX} bytes.`);
			received.set(part, bytes);
			bytes += part.length;
		}
	} catch (error) {
		// A client that disconnects, or is disconnected, during its body is not a fault of the service.
		if (error instanceof PageError || request.complete) throw error;
		throw new PageError(400, "incomplete_body", "The body did not arrive.");
	}
	return received.toString("utf8", 0, bytes);
}

function wantsJson({ headers }: IncomingMessage): boolean {
	return isJson(headers["content-type"]) || (headers.accept ?? "").includes("application/json");
}

function isJson(contentType: string | undefined): boolean {
	return /^application\/json\s*(;|$)/i.test(contentType ?? "");
}

function fieldsOf(body: string, { headers }: IncomingMessage): Map<string, string> {
	if (isJson(headers["content-type"])) return jsonFields(body);
	if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers["content-type"] ?? ""))
		return new Map(new URLSearchParams(body));
	if (body === "") return new Map();
	throw new PageError(415, "unsupported_type", "Send a form or JSON.");
}

function jsonFields(body: string): Map<string, string> {
	let read: unknown;
	try {
		read = JSON.parse(body);
	} catch {
		throw new PageError(400, "invalid_request", "The body is not JSON.");
	}
	if (typeof read !== "object" || read === null || Array.isArray(read))
		throw new PageError(400, "invalid_request", "The body is not a JSON object.");
	return new Map(
		Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
	);
}

function send(response: ServerResponse, answer: PageAnswer, head: boolean): void {
	response.writeHead(answer.status, {
		...HEADERS,
		"Cache-Control": "no-store",
		...answer.headers,
		"Content-Type": answer.type,
		"Content-Length": Buffer.byteLength(answer.body),
	});
	response.end(head ? undefined : answer.body);
}
