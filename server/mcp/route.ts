/**
 * `POST /mcp`: one JSON-RPC message in, one out or a stream of them, stateless (docs/API.md §9). Order of checks:
 * origin ▸ key ▸ limit of messages ▸ query ▸ media types ▸ body ▸ message ▸ limits of the key ▸ the call.
 *
 * Faults of the HTTP request or the key are answered as on every other path (401, 405, 413, 429, 500,
 * with the API's error body); faults of the message are JSON-RPC errors. A tool call beyond a limit is
 * answered with an error result, since clients hand results to the agent and HTTP errors to nobody.
 *
 * Invariant: every message is counted: a call that is admitted against the key's limits, any other message
 * and a call that is refused against the limit of messages (message-limit.ts), beyond which no body is read.
 */

import { ApiError } from "../api/errors.js";
import { headerBlock, type Response } from "../api/responses/response.js";
import type { Route } from "../api/router.js";
import type { RequestHead } from "../http/request-head.js";
import type { Exchange } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import { BodyReceiver } from "./body-receiver.js";
import {
	answerMessage,
	ENDPOINT,
	sendFailure,
	type ToolServer,
	type ToolServerOptions,
} from "./message-attempt.js";
import { Methods } from "./methods.js";
import type { AccessTokens } from "./oauth/access-tokens.js";
import { type Identify, identifyByToken, nameResource } from "./oauth/token-identity.js";
import { checkMediaTypes, checkOrigin, checkQuery } from "./transport-rules.js";

/** What bodies beside access tokens not seen before are counted by: their keys are not known yet. */
const TOKEN_BODIES = "access-tokens";

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
		const refuse = (error: unknown) => sendFailure(options, error, { key: known, id: null }, response);
		return new BodyReceiver(options, request, exchange, response, refuse).receive(known.id, (body) =>
			answerMessage(options, { request, response, identify }, body),
		);
	} catch (error) {
		sendFailure(options, error, { key, id: null }, response);
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
			await answerMessage(options, { request, response, identify: found.identify }, body);
		} catch (error) {
			sendFailure(options, error, { key: found.key, id: null }, response);
		}
	};
	const refuse = (error: unknown) => sendFailure(options, error, { key: null, id: null }, response);
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
