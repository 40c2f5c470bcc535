/** Query strings of requests: the shared decoding, and the refusal of keys in a query string. */

import { decodeQuery as decode, ParameterError, type RawParameters } from "../../../formats/index.js";
import { ApiError } from "../errors.js";
import { listKindOf, type ParameterObject, unknownParameters } from "./validation.js";

/** Names that clients use for API keys. Keys are rejected in query strings, which end up in logs. */
const KEY_NAMES = new Set(["api_key", "apikey", "api-key", "x-api-key", "key", "token", "access_token"]);

const KEY_NAME_LENGTH_MAX = Math.max(...[...KEY_NAMES].map((name) => name.length));

export const KEY_IN_QUERY_MESSAGE =
	"keys are not read from the query string; send the header Authorization: Bearer <API_KEY>";

const NOT_REPEATABLE: ReadonlySet<string> = new Set();

/**
 * Decodes `query` (without `?`), in which names in `repeatable` may occur several times. `schema`, where given, says which
 * parameters are comma-separated lists, and which exist: whatever is wrong with the value of one that does not, its name
 * is what is refused. `inPath`: those of them that the path gives. Cost O(length). Throws {@link ApiError}
 * `invalid_parameter`.
 */
export function decodeQuery(
	query: string,
	repeatable: ReadonlySet<string> = NOT_REPEATABLE,
	schema?: ParameterObject<unknown>,
	inPath: readonly string[] = [],
): RawParameters {
	const isList = schema && ((name: string) => listKindOf(schema, name) !== undefined);
	try {
		return decode(query, refuseKey, repeatable, isList);
	} catch (error) {
		throw error instanceof ParameterError ? refusal(error, schema, inPath) : error;
	}
}

function refusal(
	{ param, message }: ParameterError,
	schema: ParameterObject<unknown> | undefined,
	inPath: readonly string[],
): ApiError {
	const isUnknown = schema !== undefined && param !== null && !Object.hasOwn(schema.shape, param);
	return isUnknown && !isKeyName(param)
		? unknownInQuery(param, schema, inPath)
		: new ApiError("invalid_parameter", message, param);
}

/** The 400 for a name that `schema` does not have, which names the parameters that a query takes beside those in the path. */
export function unknownInQuery(
	name: string,
	schema: ParameterObject<unknown>,
	inPath: readonly string[],
): ApiError {
	const allowed = Object.keys(schema.shape).filter((each) => !inPath.includes(each));
	return unknownParameters([name], allowed);
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
