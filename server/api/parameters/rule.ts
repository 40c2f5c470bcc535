/**
 * A parameter's rule as a plain function, and the zod schema around it. Requests are read by the
 * function alone (parse-parameters.ts); schemas, documentation and tools are made of the zod schema,
 * which asks the same function, so that the two cannot differ.
 */

import { z } from "zod";

/** What a rule says of a value that breaks it; reads on from the parameter's name: `must be …`. */
export class Broken {
	readonly message: string;

	constructor(message: string) {
		this.message = message;
	}
}

/** The typed value of what a query string (text) or JSON arguments give. Pure. */
export type Rule<T> = (given: unknown) => T | Broken;

interface Ruled {
	readonly rule: Rule<unknown>;
	/** Whether the same few texts come again and again and are dear to read. */
	readonly remembered: boolean;
}

const rules = new WeakMap<object, Ruled>();

/** A schema of `rule`. `remembered`: what it made of a text is kept for the next time. */
export function ruled<T>(rule: Rule<T>, remembered = false) {
	const schema = z.unknown().transform((given, context): T => {
		const read = rule(given);
		if (!(read instanceof Broken)) return read;
		context.addIssue({ code: "custom", message: read.message });
		return z.NEVER;
	});
	rules.set(schema, { rule, remembered });
	return schema;
}

/** The rule of `schema`, which is optional or has a default, or neither. */
export function ruleOf(schema: z.ZodType): Ruled {
	const rule = rules.get(schema);
	if (rule !== undefined) return rule;
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
		return ruleOf(schema.unwrap() as z.ZodType);
	throw new TypeError("a parameter's schema has no rule");
}
