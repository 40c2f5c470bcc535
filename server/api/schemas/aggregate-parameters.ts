/** The parameters of /v1/aggregate, which also takes every filter of /v1/licenses. */

import { z } from "zod";
import {
	DIMENSION_NAMES,
	type DimensionName,
	dimensionColumn,
	GROUP_SORTS,
	type GroupSort,
} from "../../../engine/index.js";
import { dimensionListRule, integerRule } from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import type { ParameterObject } from "../parameters/validation.js";
import { cursorParameter } from "./bulk-parameters.js";
import { filterShape, snapshotParameter } from "./endpoint-parameters.js";
import { documented, monthParameter, oneOf } from "./value-types.js";

const GROUPS_DEFAULT = 20;
export const GROUPS_MAX = 1_000;
const DIMENSIONS_MAX = 2;

export interface AggregateParameters {
	readonly snapshot?: string;
	/** Absent beside a cursor alone. */
	readonly by?: DimensionName[];
	readonly compare?: string;
	readonly sort: GroupSort;
	readonly top: number;
	readonly min_count: number;
	readonly cursor?: string;
	readonly [filter: string]: unknown;
}

const dimensions = {
	type: "array",
	items: { type: "string", enum: DIMENSION_NAMES },
	minItems: 1,
	maxItems: DIMENSIONS_MAX,
} as const;

const shape = {
	by: documented(schemaOfRule(dimensionListRule(DIMENSION_NAMES, DIMENSIONS_MAX, dimensionColumn), true), {
		description: "One or two dimensions to group by, comma-separated.",
		schema: { type: "string" },
		json: dimensions,
		example: "office_name",
	}),
	compare: monthParameter(
		"An older month to compare with, YYYY-MM: groups get rows_before and change. Takes one dimension, no cursor, and a history entitlement over both months.",
	),
	sort: documented(oneOf(...GROUP_SORTS).default("rows"), {
		description:
			"rows: most rows first. With compare also growth: only groups with more rows than before, the largest change first; decline: only those with fewer, the largest loss first. Ties go by value.",
		schema: { type: "string", enum: [...GROUP_SORTS], default: "rows" },
	}),
	top: documented(schemaOfRule(integerRule(1, GROUPS_MAX)).default(GROUPS_DEFAULT), {
		description: "Maximum groups to return; the rest is counted in meta.other_rows.",
		schema: { type: "integer", minimum: 1, maximum: GROUPS_MAX, default: GROUPS_DEFAULT },
	}),
	min_count: documented(schemaOfRule(integerRule(1, Number.MAX_SAFE_INTEGER)).default(1), {
		description:
			"Leaves out groups with fewer rows, with compare in both months; these too are counted in meta.other_rows.",
		schema: { type: "integer", minimum: 1, default: 1 },
	}),
	snapshot: snapshotParameter,
	...filterShape(),
	cursor: cursorParameter,
};

export const aggregateParameters = z.strictObject(shape) as unknown as ParameterObject<AggregateParameters>;

/** Beside a cursor, which carries the dimensions. */
export const continuedAggregateParameters = z.strictObject({
	...shape,
	by: schemaOfRule(dimensionListRule(DIMENSION_NAMES, DIMENSIONS_MAX, dimensionColumn), true).optional(),
}) as unknown as ParameterObject<AggregateParameters>;
