/**
 * Decodes query strings as form-urlencoded UTF-8. Rejects what is invalid for any parameter: broken
 * percent-encoding, invalid UTF-8, control characters, and empty or overlong values. Only repeatable filters may
 * be repeated.
 */

import { COLUMNS } from "../domain/columns.js";
import { FILTERS, FILTERS_BY_NAME, filtersOn, REPEATABLE_FILTERS, severalAdvice } from "../domain/filters.js";
import { groupDigits } from "../group-digits.js";
import { UntracedError } from "../untraced-error.js";
import { didYouMeanName, quoted } from "./nearest.js";
import { didYouMeanOther, monthAdvice, offsetAdvice, unfilteredColumns } from "./other-names.js";
import { RawParameters } from "./raw-parameters.js";

/** A query string or parameter that violates a rule. `param` is null if no parameter can be named. */
export class ParameterError extends UntracedError {
	readonly param: string | null;

	constructor(param: string | null, message: string) {
		super(message);
		this.name = "ParameterError";
		this.param = param;
	}
}

/** Longest query string, in characters, before decoding. */
const QUERY_LENGTH_MAX = 16_384;
/** Longest value, in characters (code points), after decoding. */
export const VALUE_LENGTH_MAX = 1_000;

const CONTROL = /\p{Cc}/u;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Transports substitute this for invalid UTF-8 in the target. */
const REPLACEMENT = "\uFFFD";

/** 1 for characters that decode to themselves and violate no rule. */
const PLAIN = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~,:*") {
	PLAIN[character.charCodeAt(0)] = 1;
}

/**
 * Decodes `query` (without `?`). `refuse` returns why a parameter name is refused, or null. Names in
 * `repeatable` may occur several times; their values are then an array. `isList`: whether a parameter's value is a
 * comma-separated list, for the advice where it is repeated nevertheless. Cost O(length). Throws
 * {@link ParameterError}.
 */
export function decodeQuery(
	query: string,
	refuse: (name: string) => string | null = () => null,
	repeatable: ReadonlySet<string> = REPEATABLE_FILTERS,
	isList: (name: string) => boolean = () => false,
): RawParameters {
	const parameters = new RawParameters();
	if (query === "") return parameters;
	if (query.length > QUERY_LENGTH_MAX) {
		throw new ParameterError(null, `the query string is longer than ${QUERY_LENGTH_MAX} characters`);
	}
	for (let start = 0; start <= query.length; ) {
		const and = query.indexOf("&", start);
		const end = and < 0 ? query.length : and;
		if (end > start) decodePair(query, start, end, parameters, refuse, repeatable, isList);
		start = end + 1;
	}
	return parameters;
}

/** Decodes query[start, end): a name and, after the first `=` if there is one, a value. */
function decodePair(
	query: string,
	start: number,
	end: number,
	parameters: RawParameters,
	refuse: (name: string) => string | null,
	repeatable: ReadonlySet<string>,
	isList: (name: string) => boolean,
): void {
	const mark = query.indexOf("=", start);
	const nameEnd = mark < 0 || mark > end ? end : mark;
	const name = decodeName(query.slice(start, nameEnd));
	const refusal = refuse(name);
	if (refusal !== null) throw new ParameterError(name, refusal);
	const value = decodeValue(name, nameEnd === end ? "" : query.slice(nameEnd + 1, end));
	if (!parameters.has(name)) parameters.add(name, value);
	else if (repeatable.has(name)) parameters.append(name, value);
	else {
		const advice = isList(name) ? ", with commas between its values" : severalAdvice(name);
		throw new ParameterError(name, `${name} is given more than once; give it once${advice}`);
	}
}

/** Fast path: whether `raw` decodes to itself and violates no rule. */
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
	const name = decode(raw, "a parameter's name", null);
	if (CONTROL.test(name)) throw new ParameterError(null, "a parameter's name has control characters");
	if (name.length > VALUE_LENGTH_MAX) {
		throw new ParameterError(null, `a parameter's name is longer than ${VALUE_LENGTH_MAX} characters`);
	}
	return name;
}

function decodeValue(name: string, raw: string): string {
	if (isPlain(raw)) return raw;
	const value = decode(raw, quotedName(name), name);
	const fault = textFault(name, value);
	if (fault !== null) throw new ParameterError(name, fault);
	return value;
}

/**
 * Why `value` is invalid for any parameter, or null: control characters, a length over {@link VALUE_LENGTH_MAX},
 * or only white space. The message names `name`.
 */
export function textFault(name: string, value: string): string | null {
	if (CONTROL.test(value)) return `${quotedName(name)} has control characters`;
	if (value.length > VALUE_LENGTH_MAX && [...value].length > VALUE_LENGTH_MAX) {
		return `${quotedName(name)} is longer than ${groupDigits(VALUE_LENGTH_MAX)} characters`;
	}
	if (value.trim() === "")
		return `${quotedName(name)} is empty; leave it out where it is optional, or give it a value`;
	return null;
}

/**
 * The message for parameters that are not among `allowed`, of which the first few are named. `isByCursor`: rows are
 * paged by cursor rather than by page.
 */
export function unknownParametersText(
	names: readonly string[],
	allowed: readonly string[],
	isByCursor = false,
): string {
	if (allowed.length === 0) return `no parameter ${quoted(names[0])}; none is taken here`;
	const faults = names.slice(0, UNKNOWN_SHOWN_MAX).map((name) => {
		const advice =
			offsetAdvice(name, allowed, isByCursor) ??
			monthAdvice(name, allowed) ??
			searchAdvice(name) ??
			columnAdvice(name, allowed) ??
			countyAdvice(name, allowed);
		const otherwise = didYouMeanOther(name, allowed) || (advice ?? nameAdvice(name, allowed));
		return `no parameter ${quoted(name)}${(filterAdvice(name, allowed) ?? otherwise) || "."}`;
	});
	return `${faults.join(" And ")} The parameters are ${allowed.join(", ")}`;
}

/** Unknown parameters that one message names. */
const UNKNOWN_SHOWN_MAX = 5;

/** For a name like one of `allowed`: that; for one of an exclusion that is not among these, those that are; else "". */
function nameAdvice(name: string, allowed: readonly string[]): string {
	const similar = didYouMeanName(name, allowed);
	const exclusions = FILTERS.filter(({ kind, param }) => kind === "not" && allowed.includes(param));
	if (similar !== "" || exclusions.length === 0 || !EXCLUDING.test(name)) return similar;
	const params = exclusions.map(({ param }) => param).join(", ");
	return `: only ${params} leave values out; ask without it, and leave rows out of the answer.`;
}

/** Names of parameters that leave a value out. */
const EXCLUDING = /^(?:exclude|excluding|except|not|without)_|_(?:not|not_in|not_is|is_not|ne|neq|exclude)$/i;

/** Parameters that take names of columns. */
const COLUMN_PARAMETERS = ["fields", "present", "missing"];

/** For the name of a column that parameters filter: those; null for any other name. */
function filterAdvice(name: string, allowed: readonly string[]): string | null {
	const filters = COLUMNS.filter((column) => column.name === name)
		.flatMap((column) => filtersOn(column.name).map(({ param }) => param as string))
		.filter((param) => allowed.includes(param));
	return filters.length === 0 ? null : `: the column ${name} is filtered by ${filters.join(", ")}.`;
}

/** For a filter, which is taken where licenses are searched; null for any other name. */
function searchAdvice(name: string): string | null {
	if (!FILTERS_BY_NAME.has(name)) return null;
	return `: ${name} filters licenses where they are searched, by search_licenses or GET /v1/licenses.`;
}

/** For the name of a column that nothing filters, or a usual name of such: the parameters that take it; null for any other name. */
function columnAdvice(name: string, allowed: readonly string[]): string | null {
	const columns = COLUMNS.some((column) => column.name === name) ? [name] : unfilteredColumns(name);
	if (columns.length === 0) return null;
	const [are, its] = columns.length === 1 ? ["is a column", "its name"] : ["are columns", "their names"];
	const takers = COLUMN_PARAMETERS.filter((param) => allowed.includes(param));
	if (takers.length === 0) return `: ${columns.join(", ")} ${are}, which nothing here filters.`;
	const take = takers.length === 1 ? "takes" : "take";
	return `: ${columns.join(", ")} ${are} without a filter here; ${takers.join(", ")} ${take} ${its}.`;
}

/** For counties, which other APIs filter by: what tells places here; null for any other name. */
function countyAdvice(name: string, allowed: readonly string[]): string | null {
	if (!/^(member_|office_)?count(y|ies)(_name)?$/i.test(name) || !allowed.includes("postal_prefix"))
		return null;
	return ": rows have no county; city, postal_code and postal_prefix filter by place.";
}

/** Quotes a name that is not a plain identifier. */
function quotedName(name: string): string {
	return /^\w{1,60}$/.test(name) ? name : quoted(name);
}

function decode(raw: string, what: string, param: string | null): string {
	if (raw.includes(REPLACEMENT)) throw new ParameterError(param, `${what} is not valid UTF-8`);
	const spaced = raw.includes("+") ? raw.replaceAll("+", " ") : raw;
	if (!spaced.includes("%")) return spaced;
	try {
		return decodeURIComponent(spaced);
	} catch {
		// decodeURIComponent throws the same error for both faults; the text distinguishes them.
		const fault = BROKEN_ESCAPE.test(spaced)
			? "has broken percent-encoding: each % takes two hexadecimal digits"
			: "is not valid UTF-8 when percent-decoded";
		throw new ParameterError(param, `${what} ${fault}`);
	}
}
