/** The body of /v1/offices (docs/API.md §11.8). */

import { z } from "zod";
import { OFFICE_SORTS, OFFICE_VALUES_MAX } from "../../../engine/index.js";
import { bounds, count, hint, month, nextCursor, stateCode, truncated } from "./endpoint-responses.js";

const mostFirst = `most licenses first, at most ${OFFICE_VALUES_MAX}`;

export const officesResponse = z.strictObject({
	data: z
		.array(
			z.strictObject({
				office_name: z.string(),
				state: stateCode,
				cities: z.array(z.string()).optional().describe(`Cities of its licensees: ${mostFirst}.`),
				licenses: z.int().min(1).describe("Licenses that match."),
				active: count.optional().describe("Those whose license_status_group is active."),
				brokers: z.array(z.string()).optional().describe(`Its responsible brokers: ${mostFirst}.`),
			}),
		)
		.describe(
			"One entry for each office name and state. Members that the key's columns do not cover are left out.",
		),
	pagination: z.strictObject({
		page: z.int().min(1),
		limit: z.int().min(1),
		total: count.describe("Offices that match."),
		total_pages: count,
		has_next: z.boolean(),
		has_prev: z.boolean(),
		next_cursor: nextCursor,
	}),
	meta: z.strictObject({
		snapshot: month,
		sort: z.enum([...OFFICE_SORTS, "match"]),
		filters_applied: z.array(z.string()),
		matched: z
			.enum(["prefix", "name"])
			.optional()
			.describe("How names matched: where no office has the prefix of office_name, as `name` does."),
		rows: count.describe("Licenses of all offices that match."),
		...bounds,
		truncated: truncated.optional(),
		hints: z.array(hint).optional(),
	}),
});
