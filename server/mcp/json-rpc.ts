/** Parts of a JSON-RPC message that the server and the bridge for stdio read alike. */

import type { RequestId } from "./protocol.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isRequestId(value: unknown): value is RequestId {
	return typeof value === "string" || Number.isSafeInteger(value);
}

/** The id of a parsed message, if valid, for an error about the rest of it. */
export function idOf(parsed: unknown): RequestId | null {
	return isObject(parsed) && isRequestId(parsed.id) ? parsed.id : null;
}

/** The parameter that the `Mcp-Name` header mirrors, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
	"tools/call": "name",
	"prompts/get": "name",
	"resources/read": "uri",
};

/** The expected value of `Mcp-Name`; null: none. */
export function mirroredName(method: string, params: JsonObject): string | null {
	const value = Object.hasOwn(NAMED_BY, method) ? params[NAMED_BY[method]] : undefined;
	return typeof value === "string" ? value : null;
}
