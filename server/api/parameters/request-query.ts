/** Query strings of requests: the shared decoding, and the refusal of keys in a query string. */

import { decodeQuery as decode, ParameterError, type RawParameters } from "../../../formats/index.js";
import { ApiError } from "../errors.js";

/** Names that clients use for API keys. Keys are rejected in query strings, which end up in logs. */
const KEY_NAMES = new Set(["api_key", "apikey", "api-key", "x-api-key", "key", "token", "access_token"]);

const KEY_NAME_LENGTH_MAX = Math.max(...[...KEY_NAMES].map((name) => name.length));

export const KEY_IN_QUERY_MESSAGE =
	"keys are not read from the query string; send the header Authorization: Bearer <API_KEY>";

const NOT_REPEATABLE: ReadonlySet<string> = new Set();

/**
 * Decodes `query` (without `?`), in which names in `repeatable` may occur several times. `isList`: whether a parameter is
 * a comma-separated list. Cost O(length). Throws {@link ApiError} `invalid_parameter`.
 */
export function decodeQuery(
	query: string,
	repeatable: ReadonlySet<string> = NOT_REPEATABLE,
	isList?: (name: string) => boolean,
): RawParameters {
	try {
		return decode(query, refuseKey, repeatable, isList);
	} catch (error) {
		if (error instanceof ParameterError) throw new ApiError("invalid_parameter", error.message, error.param);
		throw error;
	}
}

/** Whether a parameter's name suggests an API key. */
export function carriesKey(query: string): boolean {
	if (query === "") return false;
	return query.split("&").some((pair) => isKeyName(pair.split("=", 1)[0]));
}

function refuseKey(name: string): string | null {
	return isKeyName(name) ? KEY_IN_QUERY_MESSAGE : null;
}

function isKeyName(name: string): boolean {
	return name.length <= KEY_NAME_LENGTH_MAX && KEY_NAMES.has(name.toLowerCase());
}
