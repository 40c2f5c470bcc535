/** What is wrong in a JSON file of an operator, in words of JSON: the text of an issue that zod found in it. */

import type { z } from "zod";

/** Kinds of values as zod names what it expected. */
const KINDS: Readonly<Record<string, string>> = {
	array: "a list",
	boolean: "true or false",
	int: "a whole number",
	number: "a number",
	object: "an object",
	record: "an object",
	string: "a text",
};

/** `place: rule` for `issue`, found in `json`; only the rule if the issue is of the whole file. */
export function issueText(issue: z.core.$ZodIssue, json: unknown): string {
	const isKey = issue.code === "invalid_key";
	const place = (isKey ? issue.path.slice(0, -1) : issue.path).join(".");
	return place === "" ? ruleText(issue, json) : `${place}: ${ruleText(issue, json)}`;
}

/** The rule that was broken. */
function ruleText(issue: z.core.$ZodIssue, json: unknown): string {
	if (issue.code === "invalid_type") {
		const expected = KINDS[issue.expected] ?? issue.expected;
		const given = kindOf(valueAt(json, issue.path));
		return given === null ? `is missing; expected ${expected}` : `expected ${expected}, not ${given}`;
	}
	if (issue.code === "too_small") return `expected at least ${amount(issue.minimum, issue.origin)}`;
	if (issue.code === "too_big") return `expected at most ${amount(issue.maximum, issue.origin)}`;
	if (issue.code === "invalid_value")
		return `expected ${issue.values
			.map((value) => JSON.stringify(value))
			.join(", ")
			.replace(/, (?=[^,]*$)/, " or ")}`;
	// The only rule of names is that they are not empty.
	return issue.code === "invalid_key" ? "a name in it is empty" : issue.message;
}

/** A bound of `origin`: of a list or text, how many members; of a number, the number. */
function amount(bound: number | bigint, origin: string): string {
	const unit = origin === "array" ? "value" : origin === "string" ? "character" : null;
	if (unit === null) return String(bound);
	return `${bound} ${unit}${Number(bound) === 1 ? "" : "s"}`;
}

/** The kind of a JSON value; null for none. */
function kindOf(value: unknown): string | null {
	if (value === undefined) return null;
	if (value === null) return "null";
	if (Array.isArray(value)) return "a list";
	if (typeof value === "boolean") return String(value);
	if (typeof value === "number") return `the number ${value}`;
	return KINDS[typeof value];
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
	let value = json;
	for (const key of path) {
		if (typeof value !== "object" || value === null) return undefined;
		value = (value as Record<PropertyKey, unknown>)[key];
	}
	return value;
}
