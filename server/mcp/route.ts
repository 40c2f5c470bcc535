/**
 * `POST /mcp`: one JSON-RPC message in, one out, nothing kept in between. In the order of checks of
 * DESIGN §5: method ▸ origin ▸ key ▸ media types ▸ message ▸ limits ▸ the call.
 *
 * What is wrong with the HTTP request or the key is answered as on every other path (401, 405, 413,
 * 429, 500, with the API's error body); what is wrong with the message, as a JSON-RPC error.
 */

import type { Admission } from "../api/admission.js";
import { ApiError } from "../api/errors.js";
import type { Call, Services } from "../api/operation.js";
import { JSON_TYPE } from "../api/operation.js";
import type { Response } from "../api/responses/response.js";
import type { Route } from "../api/router.js";
import type { Clock } from "../clock.js";
import type { BodiesInFlight, BodyPlace } from "../http/bodies-in-flight.js";
import type { RequestHead } from "../http/request-head.js";
import { BodyError, type Exchange, type Status } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import { eraOf, idOf, parseBody, type RequestMessage, readMessage } from "./message.js";
import { methodOf } from "./methods.js";
import { type Era, errorResponse, type RequestId, RpcError, resultResponse } from "./protocol.js";
import { checkMediaTypes, checkOrigin } from "./transport-rules.js";

/** Largest message: arguments are some hundred bytes. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** Answers below this many characters are sent as they are: compressing them costs more than it saves. */
const COMPRESSED_CHARACTERS_MIN = 8 * 1024;

const ENDPOINT = "/mcp";

export interface ToolServerOptions {
	readonly admission: Admission;
	readonly services: Services;
	readonly clock: Clock;
	readonly bodies: BodiesInFlight;
	/** Origins besides this machine's whose pages may call tools; `*` is not one. */
	readonly origins: readonly string[];
}

/** The route of the tool server. */
export function mcpRoute(options: ToolServerOptions): Route {
	return {
		path: ENDPOINT,
		methods: ["POST"],
		serve: (request, exchange, response) => serve(options, request, exchange, response),
	};
}

function serve(
	options: ToolServerOptions,
	request: RequestHead,
	exchange: Exchange,
	response: Response,
): void | Promise<void> {
	try {
		checkOrigin(request, options.origins);
		const key = options.admission.identify(request, response, options.clock.now());
		checkMediaTypes(request);
		const address = options.admission.clientAddress(request, response);
		const place = options.bodies.take(key.id, address, request.contentLength);
		if (typeof place === "string") {
			options.admission.tell(key, response, options.clock.now());
			response.error(new ApiError("rate_limited", place), "\r\nRetry-After: 1");
			return;
		}
		return readBody(exchange, place).then((body) => {
			if (body !== null) return answer(options, request, key, body, response);
		});
	} catch (error) {
		sendError(error, null, response);
	}
}

/** The body; null where the client has gone. Rejects with ApiError for one that is too large. */
async function readBody(exchange: Exchange, place: BodyPlace): Promise<Buffer | null> {
	try {
		return await exchange.readBody(BODY_BYTES_MAX);
	} catch (error) {
		if (!(error instanceof BodyError)) throw error;
		if (error.fault === "aborted") return null;
		throw new ApiError("payload_too_large", `a message may have ${BODY_BYTES_MAX} bytes at most`);
	} finally {
		place.release();
	}
}

function answer(
	options: ToolServerOptions,
	request: RequestHead,
	key: Key,
	body: Buffer,
	response: Response,
): void | Promise<void> {
	let id: RequestId | null = null;
	try {
		const parsed = parseBody(body);
		id = idOf(parsed);
		const message = readMessage(parsed);
		const era = eraOf(message, request);
		if (message.kind === "request") return respond(options, key, message, era, response);
		options.admission.tell(key, response, options.clock.now());
		response.send(202, "\r\nCache-Control: no-store", "");
	} catch (error) {
		if (response.limits === "") options.admission.tell(key, response, options.clock.now());
		sendError(error, id, response);
	}
}

function respond(
	{ admission, services, clock }: ToolServerOptions,
	key: Key,
	message: RequestMessage,
	era: Era,
	response: Response,
): void | Promise<void> {
	const nowMs = clock.now();
	const method = methodOf(message, era);
	if (method.metered) admission.count(key, ENDPOINT, response, nowMs);
	else admission.tell(key, response, nowMs);
	const call: Call = { key, grant: admission.grants.of(key), nowMs, services };
	const { result, cache } = method.answer(message.params, call, era);
	return sendJson(200, resultResponse(era, message.id, result, cache), response);
}

function sendError(error: unknown, id: RequestId | null, response: Response): void {
	if (!(error instanceof RpcError)) throw error;
	sendJson(error.status ?? 200, errorResponse(id, error), response);
}

function sendJson(status: Status, text: string, response: Response): void | Promise<void> {
	if (status === 200 && text.length >= COMPRESSED_CHARACTERS_MIN)
		return response.body(null, JSON_TYPE, text, "");
	response.send(status, `\r\nContent-Type: ${JSON_TYPE}\r\nCache-Control: no-store`, text);
}
