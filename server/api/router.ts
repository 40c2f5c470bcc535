/** From a path to what serves it. Paths are compared as sent: no decoding, no trailing slash. */

import type { RequestHead } from "../http/request-head.js";
import type { Exchange } from "../http/transport.js";
import type { AnyOperation } from "./operation-table.js";
import type { Response } from "./responses/response.js";

/** A path that serves itself: without a key (health, documentation) or by its own rules (tools). */
export interface Route {
	readonly path: string;
	/** Methods it serves; OPTIONS is answered for it. */
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
			else this.prefixes.push({ prefix: endpoint.replace(`{${pathParameter}}`, ""), operation });
		}
		for (const route of routes) this.exact.set(route.path, { kind: "route", route });
	}

	/** What serves `path`; null: nothing. A path parameter is one segment, not empty. */
	find(path: string): Match | null {
		const exact = this.exact.get(path);
		if (exact !== undefined) return exact;
		for (const { prefix, operation } of this.prefixes) {
			if (path.length <= prefix.length || !path.startsWith(prefix)) continue;
			const pathValue = path.slice(prefix.length);
			if (!pathValue.includes("/")) return { kind: "operation", operation, pathValue };
		}
		return null;
	}
}

/** Methods that the match serves, for `Allow`. */
export function methodsOf(match: Match): readonly string[] {
	const methods = match.kind === "operation" ? OPERATION_METHODS : match.route.methods;
	return [...methods, "OPTIONS"];
}
