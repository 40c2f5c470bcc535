/** Random filters over a month's own values. */

import type { Filters } from "../../engine/index.js";
import { type ColumnName, DATE_RANGES, type DateRange, FILTERS } from "../../formats/index.js";
import { OFFICE_FILTERS } from "../../server/api/schemas/offices-parameters.js";
import { ValueSource } from "./value-source.js";

/** Columns that some rows have no value in. */
const PRESENCE_COLUMNS: readonly ColumnName[] = [
	"member_license_expires",
	"office_name",
	"member_city",
	"matched_email",
	"agent_count",
];

/** Random filters, mostly with values of one row. */
export function randomFilters(source: ValueSource): Filters {
	const { draw } = source;
	const filters: Record<string, string | string[]> = {};
	const row = source.row();
	const oneIn = draw.pick([3, 6, 12]);
	for (const { param, column, kind } of FILTERS) {
		if (kind === "from" || kind === "to" || !draw.oneIn(oneIn)) continue;
		if (column === null) {
			filters[param] = [draw.pick(PRESENCE_COLUMNS)];
			continue;
		}
		const from = draw.oneIn(8) ? source.row() : row;
		if (kind === "state") {
			const others = source.states(draw.pick([0, 0, 2, 10, 30])).map((s) => s.state);
			filters[param] = [...new Set([source.value(column, from), ...others])];
		} else if (kind === "prefix") {
			filters[param] = source.prefix(column, 1 + draw.below(4), from);
		} else filters[param] = source.value(column, from);
	}
	for (const range of DATE_RANGES) {
		if (!draw.oneIn(oneIn)) continue;
		const from = draw.oneIn(8) ? source.row() : row;
		Object.assign(filters, randomRange(range, source.value(range.column, from), source));
	}
	return filters;
}

function randomRange({ from, to }: DateRange, date: string, { draw }: ValueSource): Record<string, string> {
	const days = draw.pick([0, 7, 60, 400, 4000]);
	const kind = draw.below(3);
	return {
		...(kind === 0 ? {} : { [from]: ValueSource.shift(date, -days) }),
		...(kind === 1 ? {} : { [to]: ValueSource.shift(date, days) }),
	};
}

/** Those of random filters that offices can be asked by. */
export function officeFilters(source: ValueSource): Filters {
	const taken: ReadonlySet<string> = new Set(OFFICE_FILTERS);
	return Object.fromEntries(Object.entries(randomFilters(source)).filter(([name]) => taken.has(name)));
}
