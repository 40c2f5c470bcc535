/** Parameters that walks by cursor add to a list. */

import { integerRule, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, textRule } from "../../../formats/index.js";
import { CURSOR_LENGTH_MAX } from "../bulk/cursor.js";
import { STREAM_LIMIT_CONDITION, STREAM_LIMIT_MAX } from "../bulk/walk.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import { documented } from "./value-types.js";

/** The place that a walk goes on from. */
export const cursorParameter = documented(schemaOfRule(textRule()).optional(), {
	description:
		"Keys with the bulk entitlement: pagination.next_cursor of the page before, or * for the first page. " +
		"It carries the query; beside it only limit and format are needed.",
	schema: { type: "string", minLength: 1, maxLength: CURSOR_LENGTH_MAX },
});

const limitRule = integerRule(1, PAGE_LIMIT_MAX, {
	maximum: STREAM_LIMIT_MAX,
	condition: STREAM_LIMIT_CONDITION,
});

/**
 * Entries or rows a page; more by a cursor in CSV and NDJSON. The documented maximum is the larger one, since clients
 * validate by it before they send.
 */
export const bulkLimitParameter = documented(schemaOfRule(limitRule).default(PAGE_LIMIT_DEFAULT), {
	description:
		"Rows per page: at most 1,000; up to 100,000 with a cursor and format=csv or ndjson, every 1,000 begun counting as a request.",
	schema: { type: "integer", minimum: 1, maximum: STREAM_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT },
});
