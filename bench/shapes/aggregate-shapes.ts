/** Shapes of /v1/aggregate: every number of groups from a dozen to several hundred thousand, over random filters. */

import { DIMENSION_NAMES, type DimensionName } from "../../engine/index.js";
import type { Shape } from "./question.js";
import { randomFilters } from "./random-filters.js";
import { ValueSource } from "./value-source.js";

/** Groups listed. */
const TOP = 20;

const PAIRS: readonly (readonly DimensionName[])[] = [
	["member_city", "office_name"],
	["office_name", "state"],
	["member_postal_code", "license_status"],
	["state", "status_group"],
	["expires_month", "type_group"],
];

export function aggregateShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [...DIMENSION_NAMES.map((name) => [name]), ...PAIRS].flatMap((by) => [
		{
			name: `aggregate by ${by.join(" and ")}`,
			about: "any filters",
			draw: () => {
				const { name: _, ...filters } = randomFilters(source);
				return { kind: "aggregate", request: { by, top: TOP, minCount: 1 }, filters };
			},
		},
		{
			name: `aggregate by ${by.join(" and ")}, weak filter`,
			about: "one status, one country, rows issued after a date, or all rows",
			draw: () => {
				const filters = draw.pick([
					{},
					{ country: "US" as const },
					{ status_group: "active" },
					{ license_status: source.value("member_license_status") },
					{ issued_after: ValueSource.shift("1960-01-01", draw.below(14_600)) },
				]);
				return { kind: "aggregate", request: { by, top: TOP, minCount: 1 }, filters };
			},
		},
	]);
}
