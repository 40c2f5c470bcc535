/**
 * Decodes query strings as form-urlencoded UTF-8. Rejects what is invalid for any parameter: broken
 * percent-encoding, invalid UTF-8, control characters, and empty, overlong or repeated values.
 */

import { ApiError, invalidParameter } from "../errors.js";
import { quoted } from "./nearest.js";
import { RawParameters } from "./raw-parameters.js";

/** Longest query string, in characters, before decoding. */
const QUERY_LENGTH_MAX = 16_384;
/** Longest value, in characters (code points), after decoding. */
export const VALUE_LENGTH_MAX = 1_000;

/** Names that clients use for API keys. Keys are rejected in query strings, which end up in logs. */
const KEY_NAMES = new Set(["api_key", "apikey", "api-key", "x-api-key", "key", "token", "access_token"]);

const KEY_NAME_LENGTH_MAX = Math.max(...[...KEY_NAMES].map((name) => name.length));

const CONTROL = /\p{Cc}/u;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Transports substitute this for invalid UTF-8 in the target. */
const REPLACEMENT = "\uFFFD";

/** 1 for characters that decode to themselves and break no rule. */
const PLAIN = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:*") {
	PLAIN[character.charCodeAt(0)] = 1;
}

/** Decodes `query` (without `?`). Cost O(length). Throws {@link ApiError} `invalid_parameter`. */
export function decodeQuery(query: string): RawParameters {
	const parameters = new RawParameters();
	if (query === "") return parameters;
	if (query.length > QUERY_LENGTH_MAX) {
		throw new ApiError("invalid_parameter", `the query string is longer than ${QUERY_LENGTH_MAX} characters`);
	}
	for (let start = 0; start <= query.length; ) {
		const and = query.indexOf("&", start);
		const end = and < 0 ? query.length : and;
		if (end > start) decodePair(query, start, end, parameters);
		start = end + 1;
	}
	return parameters;
}

/** Decodes query[start, end): a name, and a value after the first `=` where there is one. */
function decodePair(query: string, start: number, end: number, parameters: RawParameters): void {
	const mark = query.indexOf("=", start);
	const nameEnd = mark < 0 || mark > end ? end : mark;
	const name = decodeName(query.slice(start, nameEnd));
	if (isKeyName(name)) throw new ApiError("invalid_parameter", KEY_IN_QUERY_MESSAGE, name);
	const value = decodeValue(name, nameEnd === end ? "" : query.slice(nameEnd + 1, end));
	if (parameters.has(name)) throw invalidParameter(name, `${name} is given more than once; give it once`);
	parameters.add(name, value);
}

export const KEY_IN_QUERY_MESSAGE =
	"keys are not read from the query string; send the header Authorization: Bearer <API_KEY>";

/** Whether a parameter's name suggests an API key. */
export function carriesKey(query: string): boolean {
	if (query === "") return false;
	return query.split("&").some((pair) => isKeyName(pair.split("=", 1)[0]));
}

function isKeyName(name: string): boolean {
	return name.length <= KEY_NAME_LENGTH_MAX && KEY_NAMES.has(name.toLowerCase());
}

/** Fast path: whether `raw` decodes to itself and breaks no rule. */
function isPlain(raw: string): boolean {
	if (raw.length === 0 || raw.length > VALUE_LENGTH_MAX) return false;
	for (let i = 0; i < raw.length; i++) {
		const code = raw.charCodeAt(i);
		if (code >= 128 || PLAIN[code] === 0) return false;
	}
	return true;
}

function decodeName(raw: string): string {
	if (isPlain(raw)) return raw;
	const name = decode(raw, "a parameter's name");
	if (CONTROL.test(name))
		throw new ApiError("invalid_parameter", "a parameter's name has control characters");
	if (name.length > VALUE_LENGTH_MAX)
		throw new ApiError(
			"invalid_parameter",
			`a parameter's name is longer than ${VALUE_LENGTH_MAX} characters`,
		);
	return name;
}

function decodeValue(name: string, raw: string): string {
	if (isPlain(raw)) return raw;
	return checkedText(name, decode(raw, quotedName(name), name));
}

/**
 * Returns `value` if it has no control characters and is neither overlong nor empty; otherwise throws
 * {@link ApiError} `invalid_parameter` naming `name`.
 */
export function checkedText(name: string, value: string): string {
	if (CONTROL.test(value)) throw invalidParameter(name, `${quotedName(name)} has control characters`);
	if (value.length > VALUE_LENGTH_MAX && [...value].length > VALUE_LENGTH_MAX) {
		throw invalidParameter(
			name,
			`${quotedName(name)} is longer than ${VALUE_LENGTH_MAX.toLocaleString("en-US")} characters`,
		);
	}
	if (value.trim() === "")
		throw invalidParameter(name, `${quotedName(name)} is empty; leave it out or give it a value`);
	return value;
}

/** Quotes a name that is not a plain identifier. */
function quotedName(name: string): string {
	return /^\w{1,60}$/.test(name) ? name : quoted(name);
}

function decode(raw: string, what: string, param: string | null = null): string {
	if (raw.includes(REPLACEMENT)) throw new ApiError("invalid_parameter", `${what} is not valid UTF-8`, param);
	const spaced = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
	if (!spaced.includes("%")) return spaced;
	try {
		return decodeURIComponent(spaced);
	} catch {
		// decodeURIComponent throws the same error for both faults.
		const fault = BROKEN_ESCAPE.test(spaced)
			? "has broken percent-encoding: each % takes two hexadecimal digits"
			: "is not valid UTF-8 when percent-decoded";
		throw new ApiError("invalid_parameter", `${what} ${fault}`, param);
	}
}
