/**
 * A tool server on standard streams that hands every message to a tool server over HTTP, for clients
 * that speak only stdio. It understands no more of a message than the headers that must mirror it,
 * so it serves every version that the server does.
 *
 * It is also what the bundle for desktop clients holds (scripts/mcp-bundle.js), so it imports nothing but
 * Node's modules and the files that are bundled with it.
 *
 * Invariant: what it writes is JSON-RPC messages, one a line, and every request is answered once,
 * whatever happens to the connection.
 */

import { Readable, type Writable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { idOf, isObject, type JsonObject, mirroredName } from "./json-rpc.js";
import { linesOf } from "./lines.js";
import { errorResponse, META_VERSION, type RequestId, RPC, type RpcFault } from "./protocol.js";

/** Longest wait for an answer. */
const ANSWER_TIMEOUT_MS = 60_000;

/** The method whose answer is a stream of messages. */
const LISTEN = "subscriptions/listen";
/** What a line of an event begins with that holds a message, which this server writes on one line. */
const EVENT_DATA = "data: ";

export interface BridgeOptions {
	/** Address of the tool server, its path included. */
	readonly url: URL;
	readonly key: string;
	readonly input: Readable;
	readonly output: Writable;
}

export class StdioBridge {
	private readonly options: BridgeOptions;
	/** The version agreed on by `initialize`, which later requests of that mode name. */
	private agreedVersion: string | null = null;
	/** What ends the streams that are open, by the id of their request. */
	private readonly streams = new Map<RequestId, AbortController>();

	constructor(options: BridgeOptions) {
		this.options = options;
	}

	/** Hands on messages until the input ends and every answer is written. */
	async run(): Promise<void> {
		const pending = new Set<Promise<void>>();
		for await (const line of linesOf(this.options.input)) {
			if (line.trim() === "") continue;
			const handed = this.handOn(line).finally(() => pending.delete(handed));
			pending.add(handed);
		}
		for (const stream of this.streams.values()) stream.abort();
		await Promise.all(pending);
	}

	private async handOn(line: string): Promise<void> {
		const message = parsed(line);
		const id = idOf(message);
		try {
			if (id !== null && isObject(message) && message.method === LISTEN)
				return await this.listen(line, message, id);
			if (isObject(message)) this.endCancelled(message);
			const answer = await this.exchange(line, isObject(message) ? message : {}, id);
			if (answer !== null) this.options.output.write(`${answer}\n`);
		} catch (error) {
			// The connection failed or timed out: the client gets an error in place of the answer.
			if (id === null) return;
			const reason = error instanceof Error ? (error.cause ?? error) : error;
			const message = `${this.options.url.origin} does not answer: ${reason}`;
			this.options.output.write(`${errorResponse(id, { code: RPC.internalError, message })}\n`);
		}
	}

	/** Writes the messages of a stream as they come, until it ends or the client cancels it. */
	private async listen(line: string, message: JsonObject, id: RequestId): Promise<void> {
		const stream = new AbortController();
		this.streams.set(id, stream);
		try {
			const response = await this.post(line, message, stream.signal);
			if (response.body === null || !isEvents(response)) {
				const text = await response.text();
				const answer = parsed(text);
				const isMessage = isObject(answer) && answer.jsonrpc === "2.0";
				this.options.output.write(`${isMessage ? text : errorResponse(id, refusal(response, answer))}\n`);
				return;
			}
			for await (const event of linesOf(Readable.fromWeb(response.body as WebStream)))
				if (event.startsWith(EVENT_DATA)) this.options.output.write(`${event.slice(EVENT_DATA.length)}\n`);
		} catch (error) {
			if (!stream.signal.aborted) throw error;
		} finally {
			this.streams.delete(id);
		}
	}

	/** Ends the stream that a client cancels. */
	private endCancelled({ method, params }: JsonObject): void {
		if (method !== "notifications/cancelled" || !isObject(params)) return;
		this.streams.get(params.requestId as RequestId)?.abort();
	}

	private post(line: string, message: JsonObject, signal: AbortSignal): Promise<Response> {
		return fetch(this.options.url, {
			method: "POST",
			headers: this.headersOf(message),
			body: line,
			// A redirect would carry the key to wherever it points.
			redirect: "error",
			signal,
		});
	}

	/** The line to answer with; null: none. */
	private async exchange(line: string, message: JsonObject, id: RequestId | null): Promise<string | null> {
		const response = await this.post(line, message, AbortSignal.timeout(ANSWER_TIMEOUT_MS));
		const text = await response.text();
		const answer = parsed(text);
		if (isObject(answer) && answer.jsonrpc === "2.0") {
			this.noteVersion(message, answer);
			return text;
		}
		return id === null ? null : errorResponse(id, refusal(response, answer));
	}

	private headersOf(message: JsonObject): Record<string, string> {
		const headers: Record<string, string> = {
			"content-type": "application/json",
			accept: "application/json, text/event-stream",
			authorization: `Bearer ${this.options.key}`,
		};
		const params = isObject(message.params) ? message.params : {};
		const claim = isObject(params._meta) ? params._meta[META_VERSION] : undefined;
		if (typeof claim !== "string") {
			if (this.agreedVersion !== null && message.method !== "initialize")
				headers["mcp-protocol-version"] = this.agreedVersion;
			return headers;
		}
		headers["mcp-protocol-version"] = headerValue(claim);
		if (typeof message.method !== "string") return headers;
		headers["mcp-method"] = headerValue(message.method);
		const name = mirroredName(message.method, params);
		if (name !== null) headers["mcp-name"] = headerValue(name);
		return headers;
	}

	private noteVersion(message: JsonObject, answer: JsonObject): void {
		if (message.method !== "initialize" || !isObject(answer.result)) return;
		const { protocolVersion } = answer.result;
		if (typeof protocolVersion === "string") this.agreedVersion = protocolVersion;
	}
}

function isEvents(response: Response): boolean {
	return response.ok && (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
}

/** What is not JSON is handed on all the same: the server says what is wrong with it. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** An HTTP error as the answer to a request: its status as the code, with what the API says of it. */
function refusal(response: Response, body: unknown): RpcFault {
	const { code, message } = isObject(body) && isObject(body.error) ? body.error : {};
	if (typeof code !== "string" || typeof message !== "string")
		return { code: response.status, message: `the server answered with HTTP ${response.status}` };
	const retryAfter = response.headers.get("retry-after");
	const data = retryAfter === null ? { code } : { code, retry_after_s: Number(retryAfter) };
	return { code: response.status, message: `${code}: ${message}`, data };
}

const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Text as a header may carry it: wrapped as Base64 where it is not plain. */
function headerValue(text: string): string {
	if (PLAIN.test(text) && !text.startsWith("=?base64?")) return text;
	return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
