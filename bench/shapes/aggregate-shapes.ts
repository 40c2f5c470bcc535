/** Shapes of /v1/aggregate: every number of groups from a dozen to several hundred thousand, over random filters. */

import { type Aggregate, DIMENSION_NAMES, type DimensionName } from "../../engine/index.js";
import { type Answer, KEY_SEPARATOR, type Shape } from "./question.js";
import { randomFilters } from "./random-filters.js";
import type { ValueSource } from "./value-source.js";

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
			about: "one status, one country, or all rows",
			draw: () => {
				const filters = draw.pick([
					{},
					{ country: "US" as const },
					{ status_group: "active" },
					{ license_status: source.value("member_license_status") },
				]);
				return { kind: "aggregate", request: { by, top: TOP, minCount: 1 }, filters };
			},
		},
	]);
}

/**
 * The answer with its groups: rows, groups, and the groups listed but for those with as few rows as the last,
 * which are in no order that SQL and the engine share.
 */
export function aggregateAnswer({
	groups,
	rows,
	groupCount,
}: Pick<Aggregate, "groups" | "rows" | "groupCount">): Answer {
	const least = groups.length < groupCount ? (groups.at(-1)?.rows ?? 0) : 0;
	const keys = groups
		.filter((group) => group.rows > least)
		.map((group) => [...Object.values(group.by), group.rows].join(KEY_SEPARATOR));
	return { total: rows, keys: [groupCount, ...keys.sort()] };
}
