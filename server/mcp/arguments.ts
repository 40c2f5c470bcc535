/**
 * Arguments of a tool as the raw parameters of its operation. JSON can say more than a query string,
 * so what a query string could not have carried is refused here; all else is the operation's to
 * judge, by the rules and in the words that HTTP clients get.
 */

import { invalidParameter } from "../api/errors.js";
import { checkedText } from "../api/parameters/query-string.js";
import { unknownParameter } from "../api/parameters/validation.js";
import type { JsonObject } from "./message.js";

const SURROGATE = /\p{Surrogate}/u;
/** Of a name that is none, so much is told back. */
const NAME_SHOWN_MAX = 100;

/**
 * `given` with the `defaults` of what it leaves out. A null is as good as left out: agents fill
 * optional arguments with it. Throws ApiError `invalid_parameter`.
 */
export function readArguments(
	given: JsonObject,
	allowed: readonly string[],
	defaults: JsonObject,
): Record<string, unknown> {
	const read: Record<string, unknown> = { ...defaults };
	for (const name of Object.keys(given)) {
		if (!allowed.includes(name)) throw unknownParameter(name.slice(0, NAME_SHOWN_MAX), allowed);
		const value = given[name];
		if (value !== null) read[name] = checkedValue(name, value);
	}
	return read;
}

function checkedValue(name: string, value: unknown): unknown {
	if (typeof value === "string") return checkedString(name, value);
	if (Array.isArray(value)) {
		for (const item of value) if (typeof item === "string") checkedString(name, item);
	}
	return value;
}

function checkedString(name: string, value: string): string {
	if (SURROGATE.test(value)) throw invalidParameter(name, `${name} is not valid Unicode`);
	return checkedText(name, value);
}
