/**
 * The HTTP response to one request: status, headers and body, sent once. Constant header blocks are
 * formatted once (transport.ts defines a block).
 *
 * Invariant: an error that is not an ApiError is a defect: it is logged with the request's id, and the
 * response says nothing about it.
 */

import { type BodyStream, withoutContent } from "../../http/body-stream.js";
import type { RequestHead } from "../../http/request-head.js";
import type { Exchange, HeaderBlock, Status } from "../../http/transport.js";
import type { LimitCode } from "../../limits/limits.js";
import { RequestPending } from "../../request-pending.js";
import type { ClientLimits } from "../client-limits.js";
import { ApiError, clientError, errorBody } from "../errors.js";
import type { Observer } from "../observer.js";
import { JSON_TYPE } from "../operation.js";
import { acceptsGzip, COMPRESSED_BYTES_MIN, type Compressor, type RowCompression } from "./compression.js";
import { type CorsPolicy, corsHeaders } from "./cors.js";
import { matchesTag } from "./entity-tag.js";
import { acceptsProblem, PROBLEM_TYPE, problemBody } from "./problem.js";
import type { StaticFile } from "./static-file.js";
import { type TraceContext, traceContextOf } from "./trace-context.js";

/** On every response. */
const SECURITY: HeaderBlock = "\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer";
/** On every response that is not a page: nothing in it may load or run. */
const NO_PAGE: HeaderBlock = "\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'";

const SECURED_NO_PAGE = SECURITY + NO_PAGE;

/** On responses that may be compressed. */
const VARIES: HeaderBlock = "\r\nVary: Accept-Encoding";
/** On responses with an entity tag: stored by the client alone, and revalidated. */
const REVALIDATED: HeaderBlock = `\r\nCache-Control: private, no-cache${VARIES}`;
const RETRY_AFTER = "\r\nRetry-After: ";
/** What a request waited for is there soon (RequestPending). */
const PENDING_RETRY_S = 1;
const NOT_STORED: HeaderBlock = "\r\nCache-Control: no-store";

/**
 * Bytes of a file that count as a request without a key: the largest file has 1.5 MB, and by requests alone one address
 * got a gigabyte a second.
 */
const FILE_BYTES_COUNTED = 64 * 1024;

/** Shared by all responses of one service. */
export interface ResponsePolicy {
	readonly cors: CorsPolicy;
	readonly compressor: Compressor;
	/** Gives the limit headers of a request without a known key. */
	readonly clientLimits: ClientLimits;
	/** Counts errors by key. */
	readonly keyErrors: (slot: number, code: string) => void;
	/** Null: no metrics and no access log. */
	readonly observer: Observer | null;
}

/** Names and values by turns, as a block. */
export function headerBlock(fields: readonly string[]): HeaderBlock {
	let block = "";
	for (let i = 0; i < fields.length; i += 2) block += `\r\n${fields[i]}: ${fields[i + 1]}`;
	return block;
}

export class Response {
	/** Limit headers of the key, once it is known; empty: those of the client's address are sent. */
	limits: HeaderBlock = "";
	/** Counter slot of the key, once it is known; -1: none. */
	keySlot = -1;
	/** What serves the request, for metrics. */
	endpoint = "other";
	private security: HeaderBlock = SECURED_NO_PAGE;
	private peer: string | null = null;
	/** Start of the request; 0 without an observer. */
	private readonly startedMs: number;
	private readonly request: RequestHead;
	private readonly exchange: Exchange;
	private readonly policy: ResponsePolicy;
	/** In the response and in the log. */
	readonly requestId: string;
	/** `WWW-Authenticate` of a 401. */
	challenge = 'Bearer realm="rollcall"';

	constructor(
		request: RequestHead,
		exchange: Exchange,
		requestId: string,
		policy: ResponsePolicy,
		/** Called for every defect. */
		private readonly onFault: (error: unknown, requestId: string, traceId: string | null) => void,
	) {
		this.request = request;
		this.exchange = exchange;
		this.requestId = requestId;
		this.policy = policy;
		this.startedMs = policy.observer === null ? 0 : performance.now();
	}

	/** The trace that the client says the request belongs to; null: none. */
	get trace(): TraceContext | null {
		return traceContextOf(this.request.traceparent);
	}

	/** The client has disconnected, or the response is complete. */
	get isGone(): boolean {
		return this.exchange.finished;
	}

	/** Address of the connection, kept once it was asked for; empty where the connection was gone by then. */
	get peerAddress(): string {
		this.peer ??= this.exchange.finished ? "" : this.exchange.peerAddress();
		return this.peer;
	}

	/** Sends the body of an operation; compressed where that is accepted and worth it. */
	body(
		tag: string | null,
		contentType: string,
		bytes: Uint8Array | string,
		headers: HeaderBlock,
		rowGzip: RowCompression | null = null,
	): void | Promise<void> {
		const block = this.representation(tag, contentType) + headers;
		if (bytes.length < COMPRESSED_BYTES_MIN || !acceptsGzip(this.request.acceptEncoding)) {
			this.send(200, block, bytes);
			return;
		}
		const { compressor } = this.policy;
		// A tag is a fingerprint, which a client could forge a twin of; the target makes the name exact.
		const name = tag === null ? null : `${tag} ${this.request.path}?${this.request.query}`;
		const cached = compressor.find(name);
		const encoded = `${block}\r\nContent-Encoding: gzip`;
		if (cached === undefined && this.request.method === "HEAD") {
			this.sendHead(encoded);
			return;
		}
		const compressed = cached ?? compressor.compress(bytes, name, rowGzip);
		if (compressed === null) {
			this.send(200, block, bytes);
			return;
		}
		if (compressed instanceof Promise) {
			return compressed.then((body) => this.send(200, encoded, body));
		}
		this.send(200, encoded, compressed);
	}

	/**
	 * Sends a 200 or 206 whose body is produced as the client takes it, as it is: compressing it would hold up
	 * others. A body that fails is reported, and its connection closed.
	 */
	stream(
		status: Status,
		tag: string | null,
		contentType: string,
		headers: HeaderBlock,
		body: BodyStream,
	): void {
		const block = this.complete(this.representation(tag, contentType) + headers);
		let bytes = 0;
		this.exchange.stream(status, block, {
			bytes: body.bytes,
			immediate: body.immediate,
			next: async () => {
				try {
					const piece = await body.next();
					bytes += piece?.length ?? 0;
					return piece;
				} catch (error) {
					this.onFault(error, this.requestId, this.trace?.traceId ?? null);
					throw error;
				}
			},
			close: (complete) => {
				body.close(complete);
				this.observe(status, bytes);
			},
		});
	}

	/** Sends a file of a page under the content security policy `contentSecurity`; 304 if the client has it. */
	page(tag: string, contentType: string, file: StaticFile, contentSecurity: string): void | Promise<void> {
		this.security = `${SECURITY}\r\nContent-Security-Policy: ${contentSecurity}`;
		const { ifNoneMatch, acceptEncoding, method } = this.request;
		if (matchesTag(ifNoneMatch, tag)) {
			this.notModified(tag);
			return;
		}
		const block = this.representation(tag, contentType);
		const found = method === "HEAD" ? file.ready(acceptEncoding) : file.get(acceptEncoding);
		if (found instanceof Promise) return found.then((sent) => this.sendRepresentation(block, sent));
		this.sendRepresentation(block, found);
	}

	private sendRepresentation(block: HeaderBlock, found: ReturnType<StaticFile["ready"]>): void {
		const encoded = found.coding === null ? block : `${block}\r\nContent-Encoding: ${found.coding}`;
		if (!("bytes" in found)) {
			this.sendHead(encoded);
			return;
		}
		this.chargeFile(found.bytes.length);
		this.send(200, encoded, found.bytes);
	}

	/** Counts a file that is sent as one request for every {@link FILE_BYTES_COUNTED} begun; it is counted as one. */
	private chargeFile(bytes: number): void {
		const more = this.request.method === "HEAD" ? 0 : Math.ceil(bytes / FILE_BYTES_COUNTED) - 1;
		if (more <= 0 || this.exchange.finished) return;
		this.policy.clientLimits.charge("keyless", this.peerAddress, this.request, more);
	}

	/**
	 * Answers HEAD where GET would compress the body, which is not worth doing to tell its length: any other
	 * Content-Length would be wrong (RFC 9110 §8.6), so there is none.
	 */
	private sendHead(headers: HeaderBlock): void {
		this.exchange.stream(200, this.complete(headers), withoutContent(null));
		this.observe(200, 0);
	}

	/** Sends 304: the client's copy is current. */
	notModified(tag: string): void {
		this.send(304, `\r\nETag: ${tag}${REVALIDATED}`, "");
	}

	/** Sends an error with the headers its code requires. */
	error(error: ApiError, headers: HeaderBlock = ""): void {
		const isChallenge = error.status === 401 || error.challenge !== null;
		const challenge = isChallenge ? `\r\nWWW-Authenticate: ${this.challenge}${error.challenge ?? ""}` : "";
		if (error.status === 429) this.policy.observer?.limited(error.code as LimitCode);
		if (this.keySlot >= 0) this.policy.keyErrors(this.keySlot, error.code);
		const traceId = this.trace?.traceId ?? null;
		const isProblem = acceptsProblem(this.request.accept);
		const type = isProblem ? PROBLEM_TYPE : JSON_TYPE;
		this.send(
			error.status,
			`\r\nContent-Type: ${type}${NOT_STORED}${challenge}${headers}`,
			isProblem ? problemBody(error, this.requestId, traceId) : errorBody(error, traceId),
		);
	}

	/** Sends the error that `error` is to the client, and reports a defect. */
	failed(error: unknown): void {
		const reported =
			error instanceof RequestPending
				? new ApiError("unavailable", error.message, null, PENDING_RETRY_S)
				: clientError(error);
		if (reported !== null) {
			this.error(reported, this.retryHeader(reported));
			return;
		}
		this.onFault(error, this.requestId, this.trace?.traceId ?? null);
		this.error(
			new ApiError("internal_error", `the service failed; its log knows the request as ${this.requestId}`),
		);
	}

	/** When to retry, unless the limit that refused the request says so. */
	private retryHeader({ retryAfterS }: ApiError): HeaderBlock {
		if (retryAfterS === null || this.limits.includes(RETRY_AFTER)) return "";
		return RETRY_AFTER + retryAfterS;
	}

	/** Sends any other response; `headers` besides those that every response has. */
	send(status: Status, headers: HeaderBlock, bytes: Uint8Array | string): void {
		this.exchange.send(status, this.complete(headers), bytes);
		this.observe(status, bytes.length);
	}

	/** `headers` with those that every response has. */
	private complete(headers: HeaderBlock): HeaderBlock {
		const cors = corsHeaders(this.policy.cors, this.request.origin);
		const limits =
			this.limits === ""
				? this.policy.clientLimits.headers("keyless", this.peerAddress, this.request)
				: this.limits;
		return `${headers}\r\nX-Request-Id: ${this.requestId}${limits}${cors}${this.security}`;
	}

	private observe(status: Status, bytes: number): void {
		this.policy.observer?.answered({
			endpoint: this.endpoint,
			method: this.request.method,
			status,
			ms: performance.now() - this.startedMs,
			bytes,
			requestId: this.requestId,
			trace: this.request.traceparent === null ? null : this.trace,
		});
	}

	private representation(tag: string | null, contentType: string): HeaderBlock {
		if (tag === null) return `\r\nContent-Type: ${contentType}${NOT_STORED}${VARIES}`;
		return `\r\nContent-Type: ${contentType}\r\nETag: ${tag}${REVALIDATED}`;
	}
}
