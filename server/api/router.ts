/** Maps a path to its operation or route. Paths are compared as sent: no decoding, no trailing slash. */

import { textDistance } from "../../formats/index.js";
import type { RequestHead } from "../http/request-head.js";
import type { Exchange } from "../http/transport.js";
import type { AnyOperation } from "./operation-table.js";
import type { Response } from "./responses/response.js";

/**
 * Who may use a route:
 * - `open`: any client, at any rate (health);
 * - `keyless`: any client, within the limit of its address (documentation);
 * - an object: a key; the route itself admits its requests, and by `admitOther`, which throws or rejects with ApiError,
 *   those of a method that it does not serve.
 */
export type RouteAccess =
	| "open"
	| "keyless"
	| { admitOther(request: RequestHead, response: Response): void | Promise<void> };

/** A path that is not an operation: health, documentation, the tool server. */
export interface Route {
	readonly path: string;
	readonly access: RouteAccess;
	/** Methods it serves; the service answers OPTIONS. */
	readonly methods: readonly string[];
	serve(request: RequestHead, exchange: Exchange, response: Response): void | Promise<void>;
}

export interface OperationMatch {
	readonly kind: "operation";
	readonly operation: AnyOperation;
	/** The path parameter as sent; null for an operation without one. */
	readonly pathValue: string | null;
}

export type Match = OperationMatch | { readonly kind: "route"; readonly route: Route };

/** Methods of every operation. */
export const OPERATION_METHODS = ["GET", "HEAD"] as const;

export class Router {
	private readonly exact = new Map<string, Match>();
	private readonly prefixes: { readonly prefix: string; readonly operation: AnyOperation }[] = [];

	constructor(operations: readonly AnyOperation[], routes: readonly Route[]) {
		for (const operation of operations) {
			const { endpoint, pathParameter } = operation;
			if (pathParameter === null) this.exact.set(endpoint, { kind: "operation", operation, pathValue: null });
			else this.prefixes.push({ prefix: endpoint.slice(0, endpoint.indexOf("{")), operation });
		}
		for (const route of routes) this.exact.set(route.path, { kind: "route", route });
	}

	/** The operation or route of `path`; null: none. Each path parameter is one non-empty segment. */
	find(path: string): Match | null {
		const exact = this.exact.get(path);
		if (exact !== undefined) return exact;
		for (const { prefix, operation } of this.prefixes) {
			if (path.length <= prefix.length || !path.startsWith(prefix)) continue;
			const pathValue = path.slice(prefix.length);
			if (fits(operation, pathValue)) return { kind: "operation", operation, pathValue };
		}
		return null;
	}

	/**
	 * The path that one which is none most likely means, null if there is none: the same in other case or with a
	 * slash at its end, one within two edits of it, or one that ends as it does.
	 */
	near(path: string): string | null {
		if (path.length > PATH_COMPARED_MAX) return null;
		const wanted = path.toLowerCase().replace(/\/+$/, "");
		const paths = [...this.exact.keys()].sort();
		const end = wanted.slice(wanted.lastIndexOf("/"));
		const editsMax = Math.min(PATH_EDITS_MAX, Math.floor(end.length / 3));
		return (
			paths.find((each) => each.startsWith(wanted) && each.length <= wanted.length + editsMax) ??
			paths.find((each) => textDistance(each, wanted) <= editsMax) ??
			paths.find((each) => end.length >= PATH_END_MIN && each.endsWith(end)) ??
			null
		);
	}
}

/** Longest path that is compared: the cost is quadratic in the length. */
const PATH_COMPARED_MAX = 64;
/** Fewest characters of a path's last segment, with its slash, that say which is meant. */
const PATH_END_MIN = 5;
const PATH_EDITS_MAX = 2;

/** Whether a path has as many segments as the operation has path parameters, none of them empty. */
function fits({ pathParameter }: AnyOperation, pathValue: string): boolean {
	if (!pathValue.includes("/")) return pathParameter?.includes("/") === false;
	const segments = pathValue.split("/");
	return segments.length === pathParameter?.split("/").length && !segments.includes("");
}

/** Methods of the match, for `Allow`. */
export function methodsOf(match: Match): readonly string[] {
	const methods = match.kind === "operation" ? OPERATION_METHODS : match.route.methods;
	return [...methods, "OPTIONS"];
}
