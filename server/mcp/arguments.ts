/**
 * Converts a tool's arguments to the raw parameters of its operation. Text that a query string could not
 * carry is rejected here; the operation validates everything else, with the messages of HTTP.
 */

import { RawParameters, textFault } from "../../formats/index.js";
import { invalidParameter } from "../api/errors.js";
import { unknownParameters } from "../api/parameters/validation.js";
import { isObject, type JsonObject } from "./json-rpc.js";

const SURROGATE = /\p{Surrogate}/u;
const SURROGATES = /\p{Surrogate}/gu;
/** In defaults and arguments: whether the default `fields` lack columns, since the grant does. */
export const NARROWED = Symbol("narrowed");
/** Characters of an unknown argument's name that the error repeats. */
const NAME_SHOWN_MAX = 100;

/**
 * `given`, completed by `defaults`. A null counts as absent: agents fill optional arguments with it. A list
 * of one state is that state, so that `state` has one form in all tools. Throws ApiError `invalid_parameter`.
 */
export function readArguments(
	given: JsonObject,
	allowed: readonly string[],
	defaults: JsonObject,
): Readonly<Record<string, unknown>> {
	// Without a prototype, so that no name reaches an inherited member.
	const raw: Record<string | symbol, unknown> = Object.assign(Object.create(null), defaults);
	const unknown = Object.keys(given).filter((name) => !allowed.includes(name));
	if (unknown.length > 0) {
		const shown = unknown.map((name) => wellFormed(name.slice(0, NAME_SHOWN_MAX)));
		throw unknownParameters(shown, allowed, true);
	}
	for (const name of Object.keys(given)) {
		const value = given[name];
		if (value === null) continue;
		const checked = checkedValue(name, value);
		raw[name] = name === "state" && Array.isArray(checked) && checked.length === 1 ? checked[0] : checked;
	}
	if (given.fields !== undefined && given.fields !== null) raw[NARROWED] = false;
	return raw;
}

/** Arguments that were read, as an operation takes them. */
export function parametersOf(read: Readonly<Record<string | symbol, unknown>>): RawParameters {
	const parameters = RawParameters.of(read);
	parameters.isNarrowed = read[NARROWED] === true;
	return parameters;
}

/** Text without lone surrogates, which not every reader of JSON takes. */
export function wellFormed(text: string): string {
	return text.replace(SURROGATES, "\ufffd");
}

function checkedValue(name: string, value: unknown): unknown {
	if (typeof value === "string" && isListAsText(value))
		throw invalidParameter(
			name,
			`${name} is a list written as text; give the list itself, not its JSON in quotes`,
		);
	const items = Array.isArray(value) ? value : [value];
	// An empty list is as an empty text is, which agents fill optional arguments with, too.
	if (items.length === 0) requireText(name, name, "", "");
	for (const [i, item] of items.entries())
		checkItem(name, item, items.length === 1 ? name : `${name} number ${i + 1}`);
	return value;
}

/** Whether the text is the JSON of a list of texts or objects, or of an object, as some clients pass lists. */
function isListAsText(text: string): boolean {
	if (!/^\s*[[{]/.test(text)) return false;
	try {
		const items: unknown[] = [JSON.parse(text)].flat();
		return items.length > 0 && items.every((item) => typeof item === "string" || isObject(item));
	} catch {
		return false;
	}
}

/** An item that is an object is named in errors by `label`, and its member beside it. */
function checkItem(name: string, item: unknown, label: string): void {
	if (typeof item === "string") requireText(name, name, item, "");
	if (typeof item !== "object" || item === null) return;
	for (const [member, each] of Object.entries(item)) {
		requireText(name, name, member, "");
		if (typeof each === "string") requireText(name, member, each, `${label}: `);
		else checkedValue(name, each);
	}
}

function requireText(param: string, name: string, value: string, where: string): void {
	const fault = SURROGATE.test(value) ? `${name} is not valid Unicode` : textFault(name, value);
	if (fault !== null) throw invalidParameter(param, `${where}${fault}`);
}
