/**
 * The service: from a request's head to its response, in the order of checks of docs/API.md §1.8:
 * path ▸ key ▸ status ▸ limits ▸ method ▸ parameters ▸ scope ▸ history ▸ work.
 */

import { quoted, type RawParameters } from "../../formats/index.js";
import type { Clock } from "../clock.js";
import type { Pace } from "../exports/pace.js";
import type { ConnectionLimits } from "../http/connection-limits.js";
import type { Load } from "../http/load.js";
import type { RequestHead } from "../http/request-head.js";
import type { Exchange, TransportOptions } from "../http/transport.js";
import { Attempts, RequestPending } from "../request-pending.js";
import type { Admission, AdmittedRequest } from "./admission.js";
import { PieceStream } from "./bulk/stream.js";
import type { BodyCache } from "./caches/body-cache.js";
import { ParsedRequestCache, type RequestName } from "./caches/parsed-request-cache.js";
import { countedBody } from "./counted-body.js";
import { HEALTH_PATH } from "./endpoints/health.js";
import { ApiError, errorFor, invalidParameter, LimitReached } from "./errors.js";
import type { Answer, Body, Call, Services } from "./operation.js";
import type { AnyOperation } from "./operation-table.js";
import { decodeQuery, unknownInQuery } from "./parameters/request-query.js";
import { RequestIds } from "./request-ids.js";
import { acceptsGzip, type RowCompression } from "./responses/compression.js";
import { preflightHeaders } from "./responses/cors.js";
import { matchesTag } from "./responses/entity-tag.js";
import { requireNamedFile, sendFile } from "./responses/file-body.js";
import { pageLinks } from "./responses/page-links.js";
import { Response, type ResponsePolicy } from "./responses/response.js";
import { type Match, methodsOf, type OperationMatch, type Route, Router } from "./router.js";
import type { Grant } from "./scope/grant.js";

/** Delay before a client may retry a request that was shed. */
const SHED_RETRY_S = 1;

export interface ServiceOptions {
	readonly operations: readonly AnyOperation[];
	/** Paths that are not operations. */
	readonly routes: readonly Route[];
	readonly admission: Admission;
	readonly services: Services;
	readonly clock: Clock;
	readonly load: Load;
	readonly connections: ConnectionLimits;
	readonly responses: ResponsePolicy;
	readonly answers: BodyCache;
	/** The rate of exported files. */
	readonly downloads: Pace;
	/** Called for every defect. */
	readonly onFault: (error: unknown, requestId: string, traceId: string | null) => void;
}

export class Service implements TransportOptions {
	private readonly options: ServiceOptions;
	private readonly router: Router;
	private readonly parsedRequests = new ParsedRequestCache();
	private readonly requestIds = new RequestIds();

	constructor(options: ServiceOptions) {
		this.options = options;
		this.router = new Router(options.operations, options.routes);
	}

	/** Answers a request. An arrow function, since transports call it detached. */
	readonly handle = (request: RequestHead, exchange: Exchange): void | Promise<void> => {
		this.options.services.arrivals.count++;
		return this.attempt(request, exchange, this.respondTo(request, exchange), null);
	};

	private attempt(
		request: RequestHead,
		exchange: Exchange,
		response: Response,
		before: Attempts | null,
	): void | Promise<void> {
		try {
			const later = this.dispatch(request, exchange, response);
			return later?.catch((error) => response.failed(error));
		} catch (error) {
			const attempts = before ?? new Attempts();
			if (!attempts.again(error)) return response.failed(error);
			return error
				.settledFor(() => exchange.finished)
				.then(() => {
					if (!exchange.finished) return this.attempt(request, exchange, response, attempts);
					error.countAbandoned(this.options.clock.now());
				});
		}
	}

	/** Rejects a request with invalid framing. */
	readonly refuse = (request: RequestHead, exchange: Exchange, reason: string): void => {
		this.respondTo(request, exchange).error(new ApiError("invalid_parameter", reason));
	};

	/** Responds after a failure of the transport or of {@link handle}. */
	readonly fail = (request: RequestHead, exchange: Exchange, error: unknown): void => {
		this.respondTo(request, exchange).failed(error);
	};

	/** Sheds a request under overload, uncounted. */
	readonly shed = (request: RequestHead, exchange: Exchange): void => {
		const error = new ApiError("unavailable", "the service is busy; retry in a second", null, SHED_RETRY_S);
		this.respondTo(request, exchange).failed(error);
	};

	/** Health checks are answered under any load: shedding them would have a balancer take this server out. */
	readonly urgent = (request: RequestHead): boolean => request.path === HEALTH_PATH;

	get load(): Load {
		return this.options.load;
	}

	get connections(): ConnectionLimits {
		return this.options.connections;
	}

	private respondTo(request: RequestHead, exchange: Exchange): Response {
		const { responses, onFault } = this.options;
		return new Response(request, exchange, this.requestIds.next(), responses, onFault);
	}

	private dispatch(request: RequestHead, exchange: Exchange, response: Response): void | Promise<void> {
		const match = this.router.find(request.path);
		if (match === null) return this.answerUnknownPath(request, response);
		response.endpoint = match.kind === "route" ? match.route.path : match.operation.endpoint;
		if (request.method === "OPTIONS") {
			this.options.admission.admitKeyless(request, response);
			return answerOptions(match, request, response);
		}
		if (match.kind === "route") {
			const { access, methods, serve } = match.route;
			if (access === "keyless") this.options.admission.admitKeyless(request, response);
			if (methods.includes(request.method)) return serve(request, exchange, response);
			const admitted = typeof access === "object" ? access.admitOther(request, response) : undefined;
			if (admitted !== undefined) return admitted.then(() => refuseMethod(match, request, response));
			return refuseMethod(match, request, response);
		}
		return this.answerOperation(match, request, response);
	}

	private answerUnknownPath(request: RequestHead, response: Response): void {
		const { admission, clock } = this.options;
		const keyed = request.authorization !== null || request.apiKey !== null;
		if (keyed) admission.admit(request, "other", response, clock.now());
		else admission.admitKeyless(request, response);
		const near = this.router.near(request.path);
		const suggestion = near === null ? "; " : `; did you mean ${near}? `;
		throw new ApiError(
			"not_found",
			`no path ${quoted(request.path)}${suggestion}/openapi.json lists the paths`,
		);
	}

	private answerOperation(
		match: OperationMatch,
		request: RequestHead,
		response: Response,
	): void | Promise<void> {
		const { operation } = match;
		const { admission, clock } = this.options;
		const nowMs = clock.now();
		const admitted = admission.admit(request, operation.endpoint, response, nowMs);
		try {
			return this.answerAdmitted(match, request, admitted);
		} catch (error) {
			if (isToBeRestored(error)) {
				if (error instanceof RequestPending) admission.postpone(admitted, error);
				else admission.restore(admitted);
				admission.describeLimits(admitted.key, response, nowMs);
			}
			throw errorFor(Object.keys(operation.parameters.shape), error);
		}
	}

	private answerAdmitted(
		match: OperationMatch,
		request: RequestHead,
		admitted: AdmittedRequest,
	): void | Promise<void> {
		const { operation } = match;
		const { key, response, nowMs } = admitted;
		const { admission } = this.options;
		if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod(match, request, response);
		const grant = admission.grants.of(key);
		const call: Call = { key, grant, nowMs, services: this.options.services };
		operation.authorize?.(grant, call.services.loaded);
		const { asked, again } = this.read(match, request, grant);
		const answer = operation.answer(asked, call);
		call.services.recentCalls.note({ operation, asked, grant, gzip: acceptsGzip(request.acceptEncoding) });
		requireNamedFile(request, answer);
		if (answer.tag !== null && matchesTag(request.ifNoneMatch, answer.tag)) {
			response.notModified(answer.tag);
			return;
		}
		if (answer.file !== undefined) {
			const begin = () => admission.beginStream(admitted);
			return sendFile(answer, answer.file, { request, response, begin, pace: this.options.downloads });
		}
		const { body, end } = countedBody(answer, admission, admitted, request.method === "HEAD", () =>
			this.bodyOf(answer, again ? (asked as object) : null),
		);
		const { bytes, headers, next, pageNumber } = body;
		if (next !== undefined) {
			const stream = new PieceStream(bytes as Uint8Array, next, () => {
				end?.();
				body.ended?.();
			});
			response.stream(200, answer.tag, answer.contentType, headers, stream);
			return;
		}
		const links = pageNumber === undefined ? "" : pageLinks(request.path, request.query, pageNumber);
		const rowGzip = rowGzipOf(answer, again);
		return response.body(answer.tag, answer.contentType, bytes, headers + links, rowGzip);
	}

	/** The answer's body, reported to the observer. `asked`: the request if it was seen before, else null. */
	private bodyOf(answer: Answer, asked: object | null): Body {
		const { observer } = this.options.responses;
		if (observer === null) return this.cachedBody(answer, asked);
		const startedMs = performance.now();
		const body = this.cachedBody(answer, asked);
		observer.worked(performance.now() - startedMs, body.rows ?? 0);
		return body;
	}

	/** The answer's body, cached or computed; bodies of repeated requests are cached. */
	private cachedBody(answer: Answer, asked: object | null): Body {
		const { snapshot } = answer;
		if (asked === null || snapshot === null) return answer.body();
		const { answers } = this.options;
		const cached = answers.find(asked, snapshot);
		if (cached !== undefined) return cached;
		const body = answer.body();
		answers.put(asked, snapshot, body);
		return body;
	}

	/** The parsed request, from the cache or anew; `again`: it was seen before. */
	private read(
		{ operation, pathValue }: OperationMatch,
		{ query }: RequestHead,
		grant: Grant,
	): { asked: unknown; again: boolean } {
		// Parsing a lone path parameter is faster than a cache lookup.
		if (query === "" && pathValue !== null)
			return { asked: operation.read(rawParametersOf(operation, pathValue, query), grant), again: false };
		const name: RequestName = { operation, grant, pathValue, query };
		const known = this.parsedRequests.find(name);
		if (known !== undefined) return { asked: known, again: true };
		const made = operation.read(rawParametersOf(operation, pathValue, query), grant);
		this.parsedRequests.offer(name, made);
		return { asked: made, again: false };
	}
}

/** Whether a counted request that ended with `error` counts toward nothing, and is still counted (docs/API.md §5.4). */
function isToBeRestored(error: unknown): boolean {
	if (error instanceof RequestPending) return error.counted;
	return error instanceof ApiError && error.code === "unavailable" && !(error instanceof LimitReached);
}

/**
 * How the body of an answer is compressed where it is rows, and whether that is cached, as where the request was seen before,
 * `again`; null: by zlib.
 */
function rowGzipOf({ snapshot, rowFormat }: Answer, again: boolean): RowCompression | null {
	if (snapshot === null || rowFormat === undefined) return null;
	return { compress: (body) => snapshot.gzip(body, rowFormat), isCached: again };
}

/** Answers OPTIONS and CORS preflights. Needs no key. */
function answerOptions(match: Match, request: RequestHead, response: Response): void {
	const methods = methodsOf(match);
	const allow = `\r\nAllow: ${methods.join(", ")}`;
	const preflight = request.origin !== null && request.requestedMethod !== null;
	response.send(204, preflight ? allow + preflightHeaders(methods) : allow, "");
}

function refuseMethod(match: Match, request: RequestHead, response: Response): void {
	const methods = methodsOf(match);
	const message = `${quoted(request.method)} is not allowed here; the methods are ${methods.join(", ")}`;
	response.error(new ApiError("method_not_allowed", message), `\r\nAllow: ${methods.join(", ")}`);
}

/** The parameters of the query, and those of the path. */
function rawParametersOf(operation: AnyOperation, pathValue: string | null, query: string): RawParameters {
	const { pathParameter, parameters, repeatable } = operation;
	if (pathParameter === null || pathValue === null) return decodeQuery(query, repeatable, parameters);
	const inPath = pathParameter.split("/");
	const given = decodeQuery(query, repeatable, parameters, inPath);
	for (const name of given.names) {
		if (!Object.hasOwn(parameters.shape, name)) throw unknownInQuery(name, parameters, inPath);
		if (!inPath.includes(name)) continue;
		throw invalidParameter(name, `${name} is given in the path; leave it out of the query`);
	}
	const values = pathValue.split("/");
	for (const [i, name] of inPath.entries()) given.add(name, values[i]);
	return given;
}
