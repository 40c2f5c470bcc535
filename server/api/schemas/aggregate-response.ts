/** The body of /v1/aggregate. */

import { z } from "zod";
import { DIMENSION_NAMES } from "../../../engine/index.js";
import { bounds, hint, month, nextCursor, truncated } from "./endpoint-responses.js";

const count = z.int().min(0);

export const aggregateResponse = z.strictObject({
	data: z
		.array(
			z.strictObject({
				by: z
					.partialRecord(z.enum(DIMENSION_NAMES), z.string().nullable())
					.describe("The group's value in each dimension; null: rows without one."),
				rows: count.describe("Rows in the snapshot; 0 only with compare."),
				rows_before: count.optional().describe("With compare: rows in the older month."),
				change: z.int().optional().describe("With compare: rows less rows_before."),
			}),
		)
		.describe("In the order of sort, then by value; rows without a value last."),
	pagination: z
		.strictObject({ limit: z.int().min(1), has_next: z.boolean(), next_cursor: nextCursor })
		.optional()
		.describe("Keys with the bulk entitlement: where the groups after these are."),
	meta: z.strictObject({
		snapshot: month,
		compare: month.optional(),
		by: z.array(z.enum(DIMENSION_NAMES)),
		filters_applied: z.array(z.string()),
		rows: count.describe("Rows that match the filters."),
		rows_before: count.optional().describe("With compare: rows of the older month that match the filters."),
		groups: count.describe("Groups of at least min_count rows that sort lists."),
		other_rows: count.describe("Rows in no group of data."),
		...bounds,
		truncated: truncated.optional(),
		hints: z.array(hint).optional(),
	}),
});
