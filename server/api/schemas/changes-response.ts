/** The body of /v1/changes. */

import { z } from "zod";
import { CHANGE_KINDS } from "../../../engine/index.js";
import { TRACKED_COLUMNS } from "../../../formats/index.js";
import { bounds, count, hint, license, month, nextCursor, stateCode } from "./endpoint-responses.js";

const tracked = z.enum(TRACKED_COLUMNS.map(({ name }) => name));

export const changesResponse = z.strictObject({
	data: z.array(
		z.strictObject({
			kind: z.enum(CHANGE_KINDS),
			state: stateCode,
			license_number: z.string(),
			row: license.nullable().describe("The row in the newer month; null where the license is gone."),
			previous: license.nullable().describe("The row in the older month; null where the license is new."),
			changes: z
				.array(z.strictObject({ field: tracked, from: z.string().nullable(), to: z.string().nullable() }))
				.describe("Tracked columns whose values differ."),
		}),
	),
	pagination: z.strictObject({ limit: z.int().min(1), has_next: z.boolean(), next_cursor: nextCursor }),
	meta: z.strictObject({
		from: month,
		to: month,
		totals: z.strictObject({ new: count, gone: count, changed: count }).describe("Entries on all pages."),
		...bounds,
		truncated: z.literal(true).optional(),
		hints: z.array(hint).optional(),
	}),
});
