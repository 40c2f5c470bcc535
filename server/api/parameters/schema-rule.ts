/**
 * The zod schema that wraps a parameter's rule. Requests are validated by
 * the rule alone (validation.ts); OpenAPI and the tool schemas are generated from the zod schema,
 * which calls the same rule, so the two cannot disagree.
 */

import { z } from "zod";
import { type Rule, RuleViolation } from "../../../formats/index.js";

interface RegisteredRule {
	readonly rule: Rule<unknown>;
	/** Whether results are worth caching by text: few distinct texts, expensive to parse. */
	readonly memoized: boolean;
}

const rules = new WeakMap<object, RegisteredRule>();

/** The zod schema of `rule`. With `memoized`, validation.ts caches results by text. */
export function schemaOfRule<T>(rule: Rule<T>, memoized = false) {
	const schema = z.unknown().transform((given, context): T => {
		const value = rule(given);
		if (!(value instanceof RuleViolation)) return value;
		context.addIssue({ code: "custom", message: value.message });
		return z.NEVER;
	});
	rules.set(schema, { rule, memoized });
	return schema;
}

/** The rule of `schema`, looking through optional and default wrappers. */
export function ruleOf(schema: z.ZodType): RegisteredRule {
	const rule = rules.get(schema);
	if (rule !== undefined) return rule;
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
		return ruleOf(schema.unwrap() as z.ZodType);
	throw new TypeError("a parameter's schema has no rule");
}
