/** From raw parameters to typed ones: unknown names and broken rules become one precise 400. */

import type { z } from "zod";
import { type ApiError, invalidParameter } from "../errors.js";
import { didYouMean, quoted } from "./nearest.js";
import type { GivenParameters } from "./raw-parameters.js";
import { Broken, type Rule, ruleOf } from "./rule.js";

/** A schema of parameters: a strict object of them. */
export interface ParameterObject<T> {
	readonly shape: Readonly<Record<string, z.ZodType>>;
	safeParse(given: unknown): z.ZodSafeParseResult<T>;
}

/** Texts remembered of one parameter with what it makes of them: states, sorts, fields come again and again. */
const REMEMBERED_MAX = 256;
const REMEMBERED_LENGTH_MAX = 64;

/** A schema's parameters as tables, made once. */
interface Reader {
	/** Every parameter's value where it is not given: what results inherit from. */
	readonly defaults: object;
	readonly required: readonly string[];
	readonly parameters: ReadonlyMap<string, Parameter>;
}

interface Parameter {
	/** The parameter's own name: a key that objects are found by faster than by a text just cut out. */
	readonly name: string;
	readonly rule: Rule<unknown>;
	/** What the rule made of texts; null: it is as fast as remembering. */
	readonly remembered: Map<string, unknown> | null;
}

const readers = new WeakMap<object, Reader>();

/**
 * `given` as `schema` reads it. Throws ApiError `invalid_parameter` for the first parameter that is
 * unknown, missing or breaks its rule. Values are shared between results and not to be changed.
 *
 * Rules are asked one by one and the schema as a whole only for what is wrong: it is an object of
 * independent parameters, so both say the same. What is not given is inherited, so that a result costs
 * what is given alone: some tens of nanoseconds a parameter.
 */
export function parseParameters<T>(schema: ParameterObject<T>, given: GivenParameters): T {
	const { defaults, required, parameters } = readerOf(schema);
	const read: Record<string, unknown> = Object.create(defaults);
	const { names, values } = given;
	let sound = true;
	for (let i = 0; i < names.length; i++) {
		const parameter = parameters.get(names[i]);
		if (parameter === undefined) throw unknownParameter(names[i], Object.keys(schema.shape));
		if (values[i] === undefined) continue;
		const value = readValue(parameter, values[i]);
		if (value instanceof Broken) sound = false;
		else read[parameter.name] = value;
	}
	for (let i = 0; i < required.length; i++) if (read[required[i]] === undefined) sound = false;
	return sound ? (read as T) : parseWhole(schema, given.record());
}

function readValue({ rule, remembered }: Parameter, value: unknown): unknown {
	if (remembered === null || typeof value !== "string" || value.length > REMEMBERED_LENGTH_MAX)
		return rule(value);
	const known = remembered.get(value);
	if (known !== undefined) return known;
	const read = rule(value);
	// A full memory stays as it is: clearing one over and over leaves a chain of tables to the collector.
	if (!(read instanceof Broken) && remembered.size < REMEMBERED_MAX) remembered.set(value, read);
	return read;
}

function readerOf(schema: ParameterObject<unknown>): Reader {
	const known = readers.get(schema);
	if (known !== undefined) return known;
	const defaults: Record<string, unknown> = {};
	const required: string[] = [];
	const parameters = new Map<string, Parameter>();
	for (const [name, parameter] of Object.entries(schema.shape)) {
		const { rule, remembered } = ruleOf(parameter);
		parameters.set(name, { name, rule, remembered: remembered ? new Map() : null });
		const absent = parameter.safeParse(undefined);
		if (!absent.success) required.push(name);
		defaults[name] = absent.data;
	}
	const reader = { defaults, required, parameters };
	readers.set(schema, reader);
	return reader;
}

/** The slow way, which finds the fault to tell: the first in the schema's order. */
function parseWhole<T>(schema: ParameterObject<T>, given: Readonly<Record<string, unknown>>): T {
	const parsed = schema.safeParse(given);
	if (parsed.success) return parsed.data;
	const issue = parsed.error.issues[0];
	const name = String(issue.path[0] ?? "");
	if (given[name] === undefined) throw invalidParameter(name, `${name} is required`);
	throw invalidParameter(name, `${name} ${issue.message}`);
}

/** A 400 for a parameter that is none of those `allowed`. */
export function unknownParameter(name: string, allowed: readonly string[]): ApiError {
	if (allowed.length === 0)
		return invalidParameter(name, `no parameter ${quoted(name)}: this endpoint takes none`);
	const suggestion = didYouMean(name, allowed) || ".";
	return invalidParameter(
		name,
		`no parameter ${quoted(name)}${suggestion} The parameters are ${allowed.join(", ")}`,
	);
}
