/** The parameters of /v1/offices (docs/API.md §11.8). */

import { z } from "zod";
import { OFFICE_SORTS, type OfficeSort } from "../../../engine/index.js";
import { DEPTH_MAX, nameRule, QUERY_RULES } from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import type { ParameterObject } from "../parameters/validation.js";
import { cursorParameter } from "./bulk-parameters.js";
import { filterShape, snapshotParameter } from "./endpoint-parameters.js";
import { documented, integer, oneOf } from "./value-types.js";

const OFFICES_DEFAULT = 20;
/** Offices of a page, at most. */
export const OFFICES_MAX = 200;

/** The filters that it takes. */
export const OFFICE_FILTERS = ["state", "city", "office_name"] as const;

export interface OfficesParameters {
	readonly snapshot?: string;
	readonly name?: string;
	readonly sort: OfficeSort;
	readonly page: number;
	readonly limit: number;
	readonly cursor?: string;
	readonly [filter: string]: unknown;
}

const filters = filterShape();

export const officesParameters = z.strictObject({
	...Object.fromEntries(OFFICE_FILTERS.map((name) => [name, filters[name]])),
	name: documented(schemaOfRule(nameRule).optional(), {
		description:
			"Words of the office's name, in any order: the same but for case, marks and punctuation; one letter " +
			"misspelled in 4 to 7, two in 8 or more; the last word also as a prefix. Without `sort`, best match first.",
		schema: { type: "string", minLength: 1, maxLength: 1000 },
		example: "remax gold",
	}),
	sort: documented(oneOf(...OFFICE_SORTS).default("rows"), {
		description: "rows: most licenses first; office_name: by name. Ties go by name, then by state.",
		schema: { type: "string", enum: [...OFFICE_SORTS], default: "rows" },
	}),
	page: documented(schemaOfRule(QUERY_RULES.page).default(1), {
		description: "Page, from 1. page × limit may not exceed 50,000.",
		schema: { type: "integer", minimum: 1, maximum: DEPTH_MAX, default: 1 },
	}),
	limit: documented(integer(1, OFFICES_MAX).default(OFFICES_DEFAULT), {
		description: "Offices per page.",
		schema: { type: "integer", minimum: 1, maximum: OFFICES_MAX, default: OFFICES_DEFAULT },
	}),
	snapshot: snapshotParameter,
	cursor: cursorParameter,
}) as unknown as ParameterObject<OfficesParameters>;
