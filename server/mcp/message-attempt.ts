/**
 * The one message of a `POST /mcp`, answered: it is read, counted, and its method called. Where a method waits for what is
 * settled soon, such as a count in the shared store, the message is attempted again from the beginning, since its key may
 * have been revoked meanwhile.
 *
 * Invariant: every attempt is counted once: a call that is admitted against the key's limits, any other message and a
 * call that is refused as a message.
 */

import type { Admission, AdmittedRequest } from "../api/admission.js";
import { ApiError } from "../api/errors.js";
import { type Call, JSON_TYPE, type Services } from "../api/operation.js";
import type { Response } from "../api/responses/response.js";
import type { Clock } from "../clock.js";
import type { BodiesInFlight } from "../http/bodies-in-flight.js";
import type { RequestHead } from "../http/request-head.js";
import type { Status } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import type { CountedUnit } from "../limits/counted-units.js";
import type { MessageLimit } from "../limits/message-limit.js";
import { Attempts, type RequestPending } from "../request-pending.js";
import { callResponse } from "./call-response.js";
import { refusal } from "./call-tool.js";
import { idOf } from "./json-rpc.js";
import { modeOf, parseBody, type RequestMessage, readMessage } from "./message.js";
import type { Called, Listening, Methods, Result } from "./methods.js";
import type { AccessTokens } from "./oauth/access-tokens.js";
import type { Identify } from "./oauth/token-identity.js";
import type { Offering } from "./offering.js";
import { errorResponse, type ProtocolMode, type RequestId, RPC, resultResponse } from "./protocol.js";
import { RpcError } from "./rpc-error.js";
import { STREAM_ID_LENGTH_MAX, type Subscriptions } from "./subscriptions.js";
import { checkAcceptsEvents } from "./transport-rules.js";

/** Shorter results are not compressed: it would cost more than it saves. */
const COMPRESSED_LENGTH_MIN = 8 * 1024;

export const ENDPOINT = "/mcp";
const CALL = "tools/call";

export interface ToolServerOptions {
	readonly admission: Admission;
	readonly services: Services;
	readonly clock: Clock;
	readonly bodies: BodiesInFlight;
	/** Messages that do not count as requests. */
	readonly messages: MessageLimit;
	/** Access tokens that stand for keys; null: none are taken. */
	readonly tokens: AccessTokens | null;
	/** Origins besides loopback whose pages may call tools; `*` is ignored. */
	readonly origins: readonly string[];
	/** What clients may list, call and read. */
	readonly offering: Offering;
	readonly subscriptions: Subscriptions;
}

export interface ToolServer extends ToolServerOptions {
	readonly methods: Methods;
}

/** A request to the tool server, apart from its body. */
export interface ToolRequest {
	readonly request: RequestHead;
	readonly response: Response;
	/** Finds the key anew. */
	readonly identify: Identify;
}

/** Answers the message in `body`, a view that is valid until this returns. */
export function answerMessage(server: ToolServer, asked: ToolRequest, body: Buffer): void | Promise<void> {
	return new MessageAttempt(server, asked, null).answer(body);
}

class MessageAttempt {
	private readonly nowMs: number;
	/** Null until it is known. */
	private key: Key | null = null;
	private id: RequestId | null = null;
	/** The mode of a tool call, which gets a limit that is reached as its result; null: of anything else. */
	private callMode: ProtocolMode | null = null;
	private counted = false;
	/** What the call is counted as, and as how many requests. */
	private admitted: AdmittedRequest | null = null;
	private requests = 1;

	constructor(
		private readonly server: ToolServer,
		private readonly asked: ToolRequest,
		/** Those before this one; null: it is the first. */
		private readonly attempts: Attempts | null,
	) {
		this.nowMs = server.clock.now();
	}

	answer(body: Buffer): void | Promise<void> {
		try {
			// It may have been revoked while the body came.
			const key = this.asked.identify(this.nowMs);
			this.key = key;
			const parsed = parseBody(body);
			this.id = idOf(parsed);
			const message = readMessage(parsed);
			const mode = modeOf(message, this.asked.request);
			if (message.kind === "one-way") this.accept(key);
			else return this.call(message, mode, key);
		} catch (error) {
			const attempts = this.attempts ?? new Attempts();
			return attempts.again(error) ? this.attemptAgain(error, attempts, body) : this.fail(error);
		}
	}

	/** Accepts a message that has no answer. */
	private accept(key: Key): void {
		const { admission, messages } = this.server;
		const { response } = this.asked;
		admission.check(key, response, this.nowMs);
		this.counted = true;
		messages.count(key, this.nowMs);
		response.send(202, "\r\nCache-Control: no-store", "");
	}

	private call(message: RequestMessage, mode: ProtocolMode, key: Key): void | Promise<void> {
		const { admission, messages, methods, services } = this.server;
		const { response } = this.asked;
		const { nowMs } = this;
		const method = methods.of(message, mode);
		if (message.method === CALL) this.callMode = mode;
		const counting: AdmittedRequest = { key, endpoint: ENDPOINT, response, nowMs };
		if (method.metered) {
			admission.count(counting);
			this.admitted = counting;
		} else admission.check(key, response, nowMs);
		this.counted = true;
		if (!method.metered) messages.count(key, nowMs);
		const recount: Call["recount"] = (requests, unit) => this.recount(counting, requests, unit ?? null);
		const call: Call = { key, grant: admission.grants.of(key), nowMs, services, recount };
		const answered = method.answer(message.params, call, mode);
		if ("uris" in answered) return this.listen(answered, message.id, key);
		return sendJson(200, responseOf(mode, message.id, answered), response);
	}

	/** Counts the call as `requests`, in place of those that it counted as before. */
	private recount(counting: AdmittedRequest, requests: number, unit: CountedUnit | null): void {
		const { admission, messages } = this.server;
		const earlier = this.requests;
		this.requests = 0;
		try {
			admission.recount(counting, requests, unit, earlier);
		} catch (error) {
			if (error instanceof ApiError) messages.count(counting.key, this.nowMs);
			throw error;
		}
		this.requests = requests;
	}

	/** Answers with a stream of notifications. */
	private listen({ uris }: Listening, id: RequestId, key: Key): void {
		const { subscriptions } = this.server;
		const { request, response, identify } = this.asked;
		checkAcceptsEvents(request);
		if (typeof id === "string" && id.length > STREAM_ID_LENGTH_MAX)
			throw new RpcError(
				RPC.invalidRequest,
				`the id of a stream may have ${STREAM_ID_LENGTH_MAX} characters at most`,
			);
		const body = subscriptions.open({
			id,
			uris,
			keyId: key.id,
			nowMs: this.server.clock.now(),
			check: identify,
		});
		// Proxies that buffer answers would hold notifications up.
		response.stream(200, null, "text/event-stream", "\r\nX-Accel-Buffering: no", body);
	}

	/** Attempts the message anew once what it waits for is settled, unless its client has disconnected. */
	private attemptAgain(pending: RequestPending, attempts: Attempts, body: Buffer): Promise<void> {
		const { server, asked } = this;
		const { response } = asked;
		if (this.admitted !== null && pending.counted)
			server.admission.postpone(this.admitted, pending, this.requests);
		const kept = Buffer.from(body);
		return pending
			.settledFor(() => response.isGone)
			.then(() => {
				if (!response.isGone) return new MessageAttempt(server, asked, attempts).answer(kept);
				pending.countAbandoned(server.clock.now());
			});
	}

	private fail(error: unknown): void | Promise<void> {
		const { key, id, callMode } = this;
		const { response } = this.asked;
		if (!this.counted && key !== null) this.server.messages.count(key, this.nowMs);
		if (callMode !== null && id !== null && error instanceof ApiError && error.retryAfterS !== null)
			return sendJson(200, resultResponse(callMode, id, refusal(error), null), response);
		sendFailure(this.server, error, { key, id }, response);
	}
}

function responseOf(mode: ProtocolMode, id: RequestId, answered: Result | Called): string | Uint8Array {
	if ("called" in answered) return callResponse(mode, id, answered.called);
	return resultResponse(mode, id, answered.result, answered.cache);
}

/** Answers a request that failed; null: its key or its id is not known. */
export function sendFailure(
	{ admission, clock }: ToolServerOptions,
	error: unknown,
	{ key, id }: { readonly key: Key | null; readonly id: RequestId | null },
	response: Response,
): void {
	if (key !== null && response.limits === "") admission.describeLimits(key, response, clock.now());
	if (error instanceof RpcError) sendJson(error.status ?? 200, errorResponse(id, error), response);
	else response.failed(error);
}

function sendJson(status: Status, json: string | Uint8Array, response: Response): void | Promise<void> {
	if (status === 200 && json.length >= COMPRESSED_LENGTH_MIN) return response.body(null, JSON_TYPE, json, "");
	response.send(status, `\r\nContent-Type: ${JSON_TYPE}\r\nCache-Control: no-store`, json);
}
