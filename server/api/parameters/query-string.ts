/**
 * Query strings as parameters: form-urlencoded UTF-8 (DESIGN §5). Refuses what no rule of an
 * endpoint could judge: broken percent-encoding, bytes that are not UTF-8, control characters,
 * empty, overlong and repeated values.
 */

import { ApiError, invalidParameter } from "../errors.js";
import { quoted } from "./nearest.js";
import { GivenParameters } from "./raw-parameters.js";

/** Longest query string, in characters, before decoding. */
const QUERY_LENGTH_MAX = 16_384;
/** Longest value, in characters (code points), after decoding. */
export const VALUE_LENGTH_MAX = 1_000;

/** Names under which clients send keys; a key in a query string ends up in logs. */
const KEY_NAMES = new Set(["api_key", "apikey", "api-key", "x-api-key", "key", "token", "access_token"]);

const KEY_NAME_LENGTH_MAX = Math.max(...[...KEY_NAMES].map((name) => name.length));

const CONTROL = /\p{Cc}/u;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** What transports put for bytes of the target that are not UTF-8. */
const REPLACEMENT = "\uFFFD";

/** 1 for the characters that stand for themselves and need no look: letters, digits and a few marks. */
const PLAIN = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:*") {
	PLAIN[character.charCodeAt(0)] = 1;
}

/** Decodes `query` (without `?`). Cost O(length). Throws {@link ApiError} `invalid_parameter`. */
export function decodeQuery(query: string): GivenParameters {
	const parameters = new GivenParameters();
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
function decodePair(query: string, start: number, end: number, parameters: GivenParameters): void {
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

/** Whether the query seems to carry a key. */
export function carriesKey(query: string): boolean {
	if (query === "") return false;
	return query.split("&").some((pair) => isKeyName(pair.split("=", 1)[0]));
}

function isKeyName(name: string): boolean {
	return name.length <= KEY_NAME_LENGTH_MAX && KEY_NAMES.has(name.toLowerCase());
}

/** Whether `raw` is its own decoding and breaks no rule: most names and values do neither. */
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
 * `value` where it is text that any parameter may be: without control characters, not overlong and
 * not empty. Throws {@link ApiError} `invalid_parameter` that names `name`.
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

/** Names are shown as they are unless they hold more than a name does. */
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
		// decodeURIComponent throws for both faults alike; which one it was is told from the text.
		const fault = BROKEN_ESCAPE.test(spaced)
			? "has broken percent-encoding: each % takes two hexadecimal digits"
			: "is not valid UTF-8 when percent-decoded";
		throw new ApiError("invalid_parameter", `${what} ${fault}`, param);
	}
}
