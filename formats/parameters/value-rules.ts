/**
 * Rules of single parameters, for the API, the tools and the command line. A rule accepts text from a query
 * string and values from JSON arguments (numbers, booleans, arrays of text), and returns the typed value. Its
 * message continues the parameter's name: `must be a whole number …`.
 */

import { COLUMNS, type ColumnName } from "../domain/columns.js";
import { isIsoDate } from "../domain/dates.js";
import { FILTER_VALUES_MAX, type Filter, type FilterKind, severalAdvice } from "../domain/filters.js";
import { BUILT_IN_GROUPS, GROUP_COLUMNS } from "../domain/groups.js";
import { type CountryCode, findJurisdiction, JURISDICTIONS } from "../domain/jurisdictions.js";
import { isCalendarMonth } from "../domain/row-id.js";
import { stateNamed } from "../domain/state-names.js";
import { invariant } from "../errors.js";
import { groupDigits } from "../group-digits.js";
import { askedNameFault, nameCompounds } from "../names/name-words.js";
import { didYouMean, didYouMeanName, quoted, suggested } from "./nearest.js";
import { countriesMeant, didYouMeanOther, isCountryName } from "./other-names.js";
import { type ListKind, type Rule, RuleViolation } from "./rule.js";

/**
 * A whole number; as text, in decimal digits. `exception`: a greater maximum under a condition, which the message
 * names. Numbers up to it are accepted, and left to the caller to allow or refuse.
 */
export function integerRule(
	minimum: number,
	maximum: number,
	exception: { readonly maximum: number; readonly condition: string } | null = null,
): Rule<number> {
	const rule = `must be a whole number from ${groupDigits(minimum)} to ${groupDigits(maximum)}`;
	const more = exception === null ? "" : `, or to ${groupDigits(exception.maximum)} ${exception.condition}`;
	const acceptedMax = exception?.maximum ?? maximum;
	return (given) => {
		if (typeof given !== "string" && typeof given !== "number") return new RuleViolation(rule);
		const value = typeof given === "number" ? given : wholeNumber(given);
		if (Number.isSafeInteger(value) && value >= minimum && value <= acceptedMax) return value;
		return new RuleViolation(`${rule}${value > maximum ? more : ""}; got ${quoted(String(given))}`);
	};
}

/** The id of a row: any integer, since an id without a row is not found rather than invalid. */
export const rowIdRule: Rule<number> = (given) => {
	const rule = "must be an integer";
	if (typeof given === "number" && Number.isInteger(given)) return given;
	if (typeof given === "string" && /^-?\d{1,300}$/.test(given)) return Number(given);
	if (typeof given !== "string" && typeof given !== "number") return new RuleViolation(rule);
	return new RuleViolation(`${rule}; got ${quoted(String(given))}`);
};

function wholeNumber(text: string): number {
	return /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** One of a few words, case-sensitive. */
export function oneOfRule<const T extends string>(...words: readonly T[]): Rule<T> {
	return ruleOfNames(words, (given) => didYouMeanOther(given, words) || didYouMean(given, words));
}

/** {@link oneOfRule} of names, of which only a misspelled one is taken for another (didYouMeanName). */
export function oneOfNamesRule<const T extends string>(...names: readonly T[]): Rule<T> {
	return ruleOfNames(names, (given) => didYouMeanName(given, names) || didYouMeanOther(given, names));
}

function ruleOfNames<T extends string>(names: readonly T[], suggestion: (given: string) => string): Rule<T> {
	const rule = `must be one of ${names.join(", ")}`;
	return (given) => {
		if (typeof given !== "string") return new RuleViolation(rule);
		if ((names as readonly string[]).includes(given)) return given as T;
		return new RuleViolation(`${rule}; got ${quoted(given)}${suggestion(given)}`);
	};
}

/** A group of statuses or types. A wording of any state is answered by its group. */
function groupRule(column: ColumnName, groups: readonly string[]): Rule<string> {
	return ruleOfNames(groups, (given) => {
		const values = listItems(given);
		if (values.length > 1 && values.every((value) => groups.includes(value)))
			return "; several are given one by one, not between commas";
		const wordings = [given, given.replace(/s$/i, "")];
		const group = wordings.map((wording) => BUILT_IN_GROUPS.find(column, "*", wording)).find(Boolean);
		if (typeof group === "string") return suggested([group]);
		return didYouMeanName(given, groups) || didYouMeanOther(given, groups);
	});
}

/** `true` or `false`. */
export const trueOrFalseRule: Rule<boolean> = (given) => {
	const rule = "must be true or false";
	if (typeof given === "boolean") return given;
	if (typeof given !== "string") return new RuleViolation(rule);
	if (given === "true" || given === "false") return given === "true";
	return new RuleViolation(`${rule}; got ${quoted(given)}`);
};

/** Any text of at least `minimum` characters (code points). */
export function textRule(minimum = 0): Rule<string> {
	return (given) => {
		if (typeof given === "number") return new RuleViolation(`must be text: ${JSON.stringify(String(given))}`);
		if (typeof given !== "string") return new RuleViolation("must be text, given once");
		if (minimum === 0 || [...given].length >= minimum) return given;
		return new RuleViolation(`must have at least ${minimum} characters`);
	};
}

/** An ISO date that exists in the calendar. */
const isoDateRule: Rule<string> = (given) => {
	const rule = "must be a calendar date written YYYY-MM-DD";
	if (typeof given !== "string") return new RuleViolation(rule);
	return isIsoDate(given) ? given : new RuleViolation(`${rule}; got ${quoted(given)}`);
};

/** A month as snapshots are named. Also one before the first that a snapshot can be of: it is just not loaded. */
export const monthRule: Rule<string> = (given) => {
	const rule = "must be a month written YYYY-MM";
	if (typeof given !== "string") return new RuleViolation(rule);
	return isCalendarMonth(given) ? given : new RuleViolation(`${rule}; got ${quoted(given)}`);
};

const COUNTRIES = ["US", "CA"] as const;
const STATES = JURISDICTIONS.map((j) => j.state);

/** A country code, in either case. */
export const countryRule: Rule<CountryCode> = (given) => {
	const rule = "must be US or CA";
	if (typeof given !== "string") return new RuleViolation(`${rule}, given once; without it both are asked`);
	const code = COUNTRIES.find((c) => c === given.toUpperCase());
	return code ?? new RuleViolation(`${rule}; got ${quoted(given)}${suggested(countriesMeant(given))}`);
};

/** A state or province code, in either case. */
export const stateRule: Rule<string> = (given) =>
	typeof given === "string"
		? knownState(given)
		: new RuleViolation("must be a state or province code, given once");

/** State or province codes, in either case. */
export const stateListRule = listRule("set", "must be a list of state or province codes", knownState);

function knownState(given: string): string | RuleViolation {
	const code = given.toUpperCase();
	if (findJurisdiction(code) !== undefined) return code;
	return new RuleViolation(
		`has no state or province ${quoted(given)}${suggestState(given)} The codes are ${STATES.join(", ")}`,
	);
}

function suggestState(given: string): string {
	const code = stateNamed(given);
	if (code !== null) return suggested([code]);
	return isCountryName(given) ? ": it is a country." : ".";
}

/** For a column's name with a direction, as other APIs take it: how it is given here. */
function directionAdvice(item: string, allowed: readonly ColumnName[]): string {
	const [, minus, name, word] = /^(-?)(\w+?)(?:[\s:]+(asc|desc))?$/i.exec(item) ?? [];
	if (name === item || !allowed.includes(name as ColumnName)) return "";
	const order = minus === "-" || word?.toLowerCase() === "desc" ? "desc" : "asc";
	return `; the direction is the parameter order: ${name} with order ${order}.`;
}

/** Names of columns among `allowed`. `noun`: what messages call them ("column", "sort column"). */
export function columnListRule(
	noun: string,
	allowed: readonly ColumnName[],
	kind: ListKind = "set",
): Rule<ColumnName[]> {
	const known = (item: string): ColumnName | RuleViolation => {
		if ((allowed as readonly string[]).includes(item)) return item as ColumnName;
		const direction = noun === "sort column" ? directionAdvice(item, allowed) : "";
		const suggestion = direction || didYouMeanName(item, allowed) || didYouMeanOther(item, allowed) || ".";
		return new RuleViolation(
			`has no ${noun} ${quoted(item)}${suggestion} The ${noun}s are ${allowed.join(", ")}`,
		);
	};
	return listRule(kind, `must be a list of ${noun}s`, known);
}

/** One to `most` names among `allowed`, each once. `columnOf`: the column of a dimension, whose name is answered by it. */
export function dimensionListRule<T extends string>(
	allowed: readonly T[],
	most: number,
	columnOf: (name: T) => ColumnName,
): Rule<T[]> {
	const known = (item: string): T | RuleViolation => {
		if ((allowed as readonly string[]).includes(item)) return item as T;
		const own = allowed.find((name) => columnOf(name) === item);
		const meant = didYouMeanName(item, allowed) || didYouMeanOther(item, allowed) || ".";
		const suggestion = own === undefined ? meant : suggested([own]);
		return new RuleViolation(
			`has no dimension ${quoted(item)}${suggestion} The dimensions are ${allowed.join(", ")}`,
		);
	};
	const rule = listRule("sequence", "must be a list of dimensions", known);
	return refined(rule, (names) => {
		if (names.length <= most) return names;
		return new RuleViolation(`takes at most ${most} dimensions; got ${names.length}`);
	});
}

/** {@link columnListRule} in which a repeated column is an error, since a row has each column once. */
export function distinctColumnListRule(noun: string, allowed: readonly ColumnName[]): Rule<ColumnName[]> {
	return refined(columnListRule(noun, allowed, "sequence"), (columns, given) => {
		const items = listItems(given as string | readonly string[]);
		const repeated = items.find((item, i) => items.indexOf(item) !== i);
		if (repeated === undefined) return columns;
		return new RuleViolation(`names ${repeated} more than once; name each ${noun} once`);
	});
}

/** Words among `allowed`. `noun`: what messages call them. */
export function wordListRule<const T extends string>(noun: string, allowed: readonly T[]): Rule<T[]> {
	const known = (item: string): T | RuleViolation => {
		const word = allowed.find((each) => each === item);
		if (word !== undefined) return word;
		const suggestion = didYouMeanName(item, allowed) || didYouMeanOther(item, allowed) || ".";
		return new RuleViolation(
			`has no ${noun} ${quoted(item)}${suggestion} The ${noun}s are ${allowed.join(", ")}`,
		);
	};
	return listRule("set", `must be a list of ${noun}s`, known);
}

/** Comma-separated text, or an array of such texts. Items are trimmed; an empty one is an error; a repeated one counts once. */
function listRule<T>(kind: ListKind, rule: string, read: (item: string) => T | RuleViolation): Rule<T[]> {
	return Object.assign((given: unknown) => list(rule, given, read), { list: kind });
}

/** A list's rule whose values `check` may refuse. */
function refined<T>(rule: Rule<T[]>, check: (values: T[], given: unknown) => T[] | RuleViolation): Rule<T[]> {
	const whole = (given: unknown) => {
		const values = rule(given);
		return values instanceof RuleViolation ? values : check(values, given);
	};
	return Object.assign(whole, { list: rule.list });
}

function list<T>(
	rule: string,
	given: unknown,
	read: (item: string) => T | RuleViolation,
): T[] | RuleViolation {
	if (typeof given !== "string" && !isTexts(given)) return new RuleViolation(rule);
	const items = listItems(given);
	if (items.includes("")) return new RuleViolation(`${rule}; an item of the list is empty`);
	// As many values at most as there are words to choose from.
	const values: T[] = [];
	for (const item of items) {
		const value = read(item);
		if (value instanceof RuleViolation) return value;
		if (!values.includes(value)) values.push(value);
	}
	return values;
}

function listItems(given: string | readonly string[]): string[] {
	const items = typeof given === "string" ? given.split(",") : given.flatMap((part) => part.split(","));
	for (let i = 0; i < items.length; i++) items[i] = items[i].trim();
	return items;
}

/** Whether `given` is a non-empty array of text. */
function isTexts(given: unknown): given is string[] {
	return Array.isArray(given) && given.length > 0 && given.every((item) => typeof item === "string");
}

const columnsRule = columnListRule(
	"column",
	COLUMNS.map((c) => c.name),
);

/** A person's name or some of its words. */
export function nameRule(given: unknown): string | RuleViolation {
	if (typeof given !== "string") return new RuleViolation("must be text, given once");
	const fault = askedNameFault(nameCompounds(given));
	return fault === null ? given : new RuleViolation(fault);
}

/** Rules by kind of filter. */
const FILTER_RULES = {
	state: stateListRule,
	country: countryRule,
	exact: textRule(),
	prefix: textRule(),
	fold: textRule(),
	name: nameRule,
	not: textRule(),
	present: columnsRule,
	missing: columnsRule,
	from: isoDateRule,
	to: isoDateRule,
} as const satisfies Record<Exclude<FilterKind, "group">, Rule<unknown>>;

/** Kinds whose values are always lists. */
const LIST_KINDS: readonly FilterKind[] = ["state", "present", "missing"];

const GROUP_RULES: ReadonlyMap<ColumnName, Rule<string>> = new Map(
	GROUP_COLUMNS.map(({ column, groups }) => [column, groupRule(column, groups)]),
);

type FilterOfRule = Pick<Filter, "param" | "kind" | "column" | "repeatable">;

/** A rule of one text that answers several with `advice`. */
function givenOnce(rule: Rule<string>, advice: string): Rule<string> {
	return (given) =>
		Array.isArray(given) ? new RuleViolation(`must be text, given once${advice}`) : rule(given);
}

/** The rule of a filter's value. */
export function filterRule({ param, kind, column, repeatable }: FilterOfRule) {
	const own = kind === "group" ? GROUP_RULES.get(column as ColumnName) : FILTER_RULES[kind];
	const several = severalAdvice(param);
	const rule = several === "" ? own : givenOnce(own as Rule<string>, several);
	invariant(rule !== undefined, `${column} has groups`);
	return repeatable && !LIST_KINDS.includes(kind) ? severalOf(rule as Rule<string>) : rule;
}

/**
 * One value, or an array of up to {@link FILTER_VALUES_MAX} values, each checked by `rule`. Duplicates are removed;
 * a single remaining value is not wrapped in an array.
 */
function severalOf(rule: Rule<string>): Rule<string | string[]> {
	return (given) => {
		if (!isTexts(given))
			return Array.isArray(given) ? new RuleViolation("must be text, or a list of texts") : rule(given);
		if (given.length > FILTER_VALUES_MAX) {
			return new RuleViolation(`takes at most ${FILTER_VALUES_MAX} values; got ${given.length}`);
		}
		const values = new Set<string>();
		for (const each of given) {
			const value = rule(each);
			if (value instanceof RuleViolation) return value;
			if (value.trim() === "") return new RuleViolation("has an empty value");
			values.add(value);
		}
		return values.size === 1 ? [...values][0] : [...values];
	};
}
