/**
 * `POST /mcp`: one JSON-RPC message in, one out or a stream of them, stateless (docs/API.md §9). Order of checks:
 * origin ▸ key ▸ limit of messages ▸ query ▸ media types ▸ body ▸ message ▸ limits of the key ▸ the call.
 *
 * Faults of the HTTP request or the key are answered as on every other path (401, 405, 413, 429, 500,
 * with the API's error body); faults of the message are JSON-RPC errors. A tool call beyond a limit is
 * answered with an error result, since clients hand results to the agent and HTTP errors to nobody.
 *
 * Invariant: every message is counted: a call that is admitted against the key's limits, any other message
 * and a call that is refused against {@link MessageLimit}, beyond which no body is read.
 */

import type { Admission, AdmittedRequest } from "../api/admission.js";
import { ApiError } from "../api/errors.js";
import type { Call, Services } from "../api/operation.js";
import { JSON_TYPE } from "../api/operation.js";
import { headerBlock, type Response } from "../api/responses/response.js";
import type { Route } from "../api/router.js";
import type { Clock } from "../clock.js";
import type { BodiesInFlight } from "../http/bodies-in-flight.js";
import type { RequestHead } from "../http/request-head.js";
import type { Exchange, Status } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import type { CountedUnit } from "../limits/counted-units.js";
import type { MessageLimit } from "../limits/message-limit.js";
import { Attempts } from "../request-pending.js";
import { BodyReceiver } from "./body-receiver.js";
import { callResponse } from "./call-response.js";
import { refusal } from "./call-tool.js";
import { idOf } from "./json-rpc.js";
import { modeOf, parseBody, readMessage } from "./message.js";
import { type Called, type Listening, Methods, type Result } from "./methods.js";
import type { AccessTokens } from "./oauth/access-tokens.js";
import { type Identify, identifyByToken, nameResource } from "./oauth/token-identity.js";
import type { Offering } from "./offering.js";
import { errorResponse, type ProtocolMode, type RequestId, RPC, resultResponse } from "./protocol.js";
import { RpcError } from "./rpc-error.js";
import { STREAM_ID_LENGTH_MAX, type Subscriptions } from "./subscriptions.js";
import { checkAcceptsEvents, checkMediaTypes, checkOrigin, checkQuery } from "./transport-rules.js";

/** Shorter results are not compressed: it would cost more than it saves. */
const COMPRESSED_LENGTH_MIN = 8 * 1024;

const ENDPOINT = "/mcp";
const CALL = "tools/call";
/** What bodies beside access tokens not seen before are counted by: their keys are not known yet. */
const TOKEN_BODIES = "access-tokens";

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

interface ToolServer extends ToolServerOptions {
	readonly methods: Methods;
}

/** The route of the tool server. */
export function mcpRoute(given: ToolServerOptions): Route {
	const options: ToolServer = { ...given, methods: new Methods(given.offering) };
	return {
		path: ENDPOINT,
		access: { admitOther: (request, response) => admitOther(options, request, response) },
		methods: ["POST"],
		serve: (request, exchange, response) => serve(options, request, exchange, response),
	};
}

function serve(
	options: ToolServer,
	request: RequestHead,
	exchange: Exchange,
	response: Response,
): void | Promise<void> {
	const { admission, tokens } = options;
	const nowMs = options.clock.now();
	let key: Key | null = null;
	nameResource(tokens, response);
	try {
		checkOrigin(request, options.origins);
		const token = tokens?.tokenOf(request.authorization) ?? null;
		if (tokens !== null && token !== null)
			return serveToken(options, tokens, token, request, exchange, response);
		key = admission.identifyEarly(request, response, nowMs);
		checkMessages(options, key, response, nowMs);
		checkQuery(request);
		checkMediaTypes(request);
		const identify: Identify = (atMs) => admission.identify(request, response, atMs);
		const known = key;
		const refuse = (error: unknown) => sendFailure(options, error, known, null, response);
		return new BodyReceiver(options, request, exchange, response, refuse).receive(known.id, (body) =>
			answer(options, identify, request, body, response),
		);
	} catch (error) {
		sendFailure(options, error, key, null, response);
	}
}

/**
 * Admits a request of another method, which counts as a message: clients ask for a stream by GET whenever they
 * connect. Throws or rejects with ApiError.
 */
function admitOther(options: ToolServer, request: RequestHead, response: Response): void | Promise<void> {
	const { admission, clock, messages, tokens } = options;
	nameResource(tokens, response);
	const admit = (identify: Identify) => {
		const nowMs = clock.now();
		const key = identify(nowMs);
		checkMessages(options, key, response, nowMs);
		messages.count(key, nowMs);
		admission.check(key, response, nowMs);
	};
	const token = tokens?.tokenOf(request.authorization) ?? null;
	if (tokens === null || token === null) return admit((atMs) => admission.identify(request, response, atMs));
	return identifyByToken(options.admission, tokens, token, request, response).then(({ identifyEarly }) =>
		admit(identifyEarly),
	);
}

/**
 * Serves a request with an access token. The body is received while the token is verified, since a transport
 * gives it at once or not at all.
 *
 * Tokens that were not seen before may be those of strangers: their bodies are counted apart from those of known
 * ones, until the token is verified or refused. An address that has sent too many invalid ones takes no more
 * verifications.
 */
function serveToken(
	options: ToolServer,
	tokens: AccessTokens,
	token: string,
	request: RequestHead,
	exchange: Exchange,
	response: Response,
): void | Promise<void> {
	const identified = identifyByToken(options.admission, tokens, token, request, response);
	const admitted = identified.then(({ identify, identifyEarly }) => {
		const nowMs = options.clock.now();
		const key = identifyEarly(nowMs);
		checkMessages(options, key, response, nowMs);
		return { key, identify };
	});
	// The receiver answers it; a refusal before that must not count as unhandled.
	admitted.catch(() => undefined);
	checkQuery(request);
	checkMediaTypes(request);
	const owner = tokens.known(token)?.keyId ?? TOKEN_BODIES;
	const take = async (view: Buffer) => {
		const body = Buffer.from(view);
		const found = await admitted.catch(() => null);
		if (found === null) return;
		try {
			await answer(options, found.identify, request, body, response);
		} catch (error) {
			sendFailure(options, error, found.key, null, response);
		}
	};
	const refuse = (error: unknown) => sendFailure(options, error, null, null, response);
	return new BodyReceiver(options, request, exchange, response, refuse).receiveFor(owner, admitted, take);
}

/** Throws `rate_limited` for a key that has sent its share of messages that do not count as requests. */
function checkMessages(
	{ admission, messages }: ToolServer,
	key: Key,
	response: Response,
	nowMs: number,
): void {
	const seconds = messages.wait(key, nowMs);
	if (seconds === 0) return;
	admission.describeLimits(key, response, nowMs);
	response.limits += headerBlock(["Retry-After", String(seconds)]);
	throw new ApiError("rate_limited", `Too many messages came from this key; retry in ${seconds} s.`);
}

/** Answers the message in `body`, a view that is valid until this returns. */
function answer(
	options: ToolServer,
	identify: Identify,
	request: RequestHead,
	body: Buffer,
	response: Response,
	before: Attempts | null = null,
): void | Promise<void> {
	const { admission, messages, services } = options;
	const nowMs = options.clock.now();
	let id: RequestId | null = null;
	/** The mode of a tool call, which gets a limit that is reached as its result; null: of anything else. */
	let callMode: ProtocolMode | null = null;
	let counted = false;
	/** What the call is counted as, and as how many requests. */
	let admitted: AdmittedRequest | null = null;
	let requests = 1;
	let key: Key | null = null;
	try {
		// It may have been revoked while the body came.
		key = identify(nowMs);
		const parsed = parseBody(body);
		id = idOf(parsed);
		const message = readMessage(parsed);
		const mode = modeOf(message, request);
		if (message.kind === "one-way") {
			admission.check(key, response, nowMs);
			counted = true;
			messages.count(key, nowMs);
			response.send(202, "\r\nCache-Control: no-store", "");
			return;
		}
		const method = options.methods.of(message, mode);
		if (message.method === CALL) callMode = mode;
		const asked: AdmittedRequest = { key, endpoint: ENDPOINT, response, nowMs };
		if (method.metered) {
			admission.count(asked);
			admitted = asked;
		} else admission.check(key, response, nowMs);
		counted = true;
		if (!method.metered) messages.count(key, nowMs);
		const known = key;
		const recount = (wanted: number, unit: CountedUnit | null = null) => {
			const earlier = requests;
			requests = 0;
			try {
				admission.recount(asked, wanted, unit, earlier);
			} catch (error) {
				if (error instanceof ApiError) messages.count(known, nowMs);
				throw error;
			}
			requests = wanted;
		};
		const call: Call = { key, grant: admission.grants.of(key), nowMs, services, recount };
		const answered = method.answer(message.params, call, mode);
		if ("uris" in answered) return listen(options, identify, key, message.id, answered, request, response);
		return sendJson(200, responseOf(mode, message.id, answered), response);
	} catch (error) {
		const attempts = before ?? new Attempts();
		if (attempts.again(error)) {
			if (admitted !== null && error.counted) admission.postpone(admitted, error, requests);
			const kept = Buffer.from(body);
			return error
				.settledFor(() => response.isGone)
				.then(() => {
					if (!response.isGone) return answer(options, identify, request, kept, response, attempts);
					error.countAbandoned(options.clock.now());
				});
		}
		if (!counted && key !== null) messages.count(key, nowMs);
		if (callMode !== null && id !== null && error instanceof ApiError && error.retryAfterS !== null)
			return sendJson(200, resultResponse(callMode, id, refusal(error), null), response);
		sendFailure(options, error, key, id, response);
	}
}

function responseOf(mode: ProtocolMode, id: RequestId, answered: Result | Called): string | Uint8Array {
	if ("called" in answered) return callResponse(mode, id, answered.called);
	return resultResponse(mode, id, answered.result, answered.cache);
}

/** Answers with a stream of notifications. */
function listen(
	{ clock, subscriptions }: ToolServer,
	identify: Identify,
	key: Key,
	id: RequestId,
	{ uris }: Listening,
	request: RequestHead,
	response: Response,
): void {
	checkAcceptsEvents(request);
	if (typeof id === "string" && id.length > STREAM_ID_LENGTH_MAX)
		throw new RpcError(
			RPC.invalidRequest,
			`the id of a stream may have ${STREAM_ID_LENGTH_MAX} characters at most`,
		);
	const body = subscriptions.open({ id, uris, keyId: key.id, nowMs: clock.now(), check: identify });
	// Proxies that buffer answers would hold notifications up.
	response.stream(200, null, "text/event-stream", "\r\nX-Accel-Buffering: no", body);
}

/** Answers a request that failed; `key`: null if it is not known. */
function sendFailure(
	{ admission, clock }: ToolServer,
	error: unknown,
	key: Key | null,
	id: RequestId | null,
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
