/**
 * Random valid questions over a month's own values, for differential runs and for the search for slow
 * queries: any filters, mostly with values of one row so that some row matches, any sort, any page within
 * the depth cap, any grant, projection and format; suggestions and aggregates.
 */

import {
	DEFAULT_QUERY,
	DIMENSION_NAMES,
	type Filters,
	type Query,
	type SuggestRequest,
} from "../../engine/index.js";
import { COLUMNS, type ColumnName, FILTERS, SORTABLE_COLUMNS } from "../../formats/index.js";
import { WHOLE_ROW } from "./named-shapes.js";
import { PROJECTIONS, randomGrant } from "./projected-shapes.js";
import { type AnyQuestion, type List, lastPage, type Question } from "./question.js";
import { misspelled, randomCall, randomLicenses } from "./random-call.js";
import { officeFilters, randomFilters } from "./random-filters.js";
import type { ValueSource } from "./value-source.js";

const SORTS: readonly ColumnName[] = SORTABLE_COLUMNS.map((c) => c.name);

const SUGGESTED: readonly ColumnName[] = COLUMNS.filter((c) => c.suggest !== null).map((c) => c.name);

/** A random list question: any projection, format and grant, the default ones most often. */
export function randomQuestion(source: ValueSource): List {
	return { kind: "list", ...randomOutput(source), query: randomQuery(source) };
}

function randomOutput({ draw }: ValueSource): Pick<List, "projection" | "format"> {
	return {
		projection: draw.oneIn(2) ? draw.pick(PROJECTIONS) : WHOLE_ROW,
		format: draw.pick(["json", "json", "json", "csv", "ndjson"]),
	};
}

/** A random question that peers can answer too, mostly a list: without a name to search for, since none has the same rule. */
export function randomComparable(source: ValueSource): Question {
	const { draw } = source;
	switch (draw.below(8)) {
		case 0:
			return { kind: "suggest", request: randomSuggestion(source) };
		case 1: {
			const aggregate = randomAggregate(source);
			const request = { ...aggregate.request, minCount: 1 };
			return { ...aggregate, request, filters: withoutName(aggregate.filters) };
		}
		case 2:
			return {
				kind: "row",
				id: Number(source.snapshot.value(source.row(), "id")),
				projection: draw.pick(PROJECTIONS),
			};
		case 3:
			return { kind: "stats", geography: randomGrant(source) };
		default: {
			const list = randomQuestion(source);
			return { ...list, query: { ...list.query, filters: withoutName(list.query.filters) } };
		}
	}
}

function withoutName({ name: _, ...filters }: Filters): Filters {
	return filters;
}

/** A random question of any kind. */
export function randomOfAnyKind(source: ValueSource): AnyQuestion {
	const { draw } = source;
	switch (draw.below(20)) {
		case 0:
			return { kind: "suggest", request: randomSuggestion(source) };
		case 1:
			return randomAggregate(source);
		case 2:
			return randomCall(source);
		case 3:
			return randomWalk(source);
		case 4: {
			const list = randomQuestion(source);
			return { kind: "gzip", list: withVariants(list, source) };
		}
		case 5:
			return { kind: "stats", geography: randomGrant(source) };
		default:
			return withVariants(randomQuestion(source), source);
	}
}

/** The page after a random row, of questions that the row answers. */
function randomWalk(source: ValueSource): AnyQuestion {
	const { draw } = source;
	const after = source.row();
	const filters = draw.pick<Filters>([
		{},
		{ state: [source.value("state", after)] },
		{ country: source.value("country", after) as "US" | "CA" },
		{ license_status: source.value("member_license_status", after), state: [source.value("state", after)] },
	]);
	const hasStatus = source.snapshot.value(after, "member_license_status") !== null;
	const query: Query = {
		...randomQuery(source),
		filters: hasStatus ? filters : {},
		geography: null,
		page: 1,
	};
	return { kind: "walk", ...randomOutput(source), query, after };
}

function randomAggregate(source: ValueSource): Extract<Question, { kind: "aggregate" }> {
	const { draw } = source;
	const by = [draw.pick(DIMENSION_NAMES), ...(draw.oneIn(2) ? [draw.pick(DIMENSION_NAMES)] : [])];
	const request = {
		by: [...new Set(by)],
		top: draw.pick([1, 20, 100, 1000]),
		minCount: draw.pick([1, 1, 5]),
	};
	const geography = draw.oneIn(4) ? randomGrant(source) : null;
	return { kind: "aggregate", request, filters: randomFilters(source), geography };
}

/** The list with several values where it may have them, now and then, and a name misspelled. */
function withVariants(question: List, source: ValueSource): List {
	const { draw } = source;
	if (!draw.oneIn(4)) return question;
	const filters: Record<string, unknown> = { ...question.query.filters };
	if (typeof filters.name === "string") filters.name = misspelled(filters.name, source);
	for (const { param, column, kind, repeatable } of FILTERS) {
		if (repeatable !== true || column === null || typeof filters[param] !== "string") continue;
		const others = Array.from({ length: 1 + draw.below(5) }, () =>
			kind === "prefix" ? source.prefix(column, 1 + draw.below(4)) : source.value(column),
		);
		filters[param] = [...new Set([filters[param], ...others])];
	}
	return { ...question, query: { ...question.query, filters: filters as Filters } };
}

function randomSuggestion(source: ValueSource): SuggestRequest {
	const { draw } = source;
	const field = draw.pick(SUGGESTED);
	return {
		field,
		prefix: source.prefix(field, 1 + draw.below(5)),
		state: draw.oneIn(2) ? source.state().state : null,
		limit: draw.pick([1, 20, 50]),
		geography: draw.oneIn(2) ? randomGrant(source) : null,
	};
}

function randomQuery(source: ValueSource): Query {
	const { draw } = source;
	return {
		...DEFAULT_QUERY,
		filters: randomFilters(source),
		sort: randomSort(source),
		order: draw.pick(["asc", "desc"]),
		...randomPage(source),
		count: !draw.oneIn(8),
		geography: draw.oneIn(4) ? randomGrant(source) : null,
	};
}

/** The question with one member drawn anew; one of another kind than a list is drawn anew altogether. */
export function mutate(question: AnyQuestion, source: ValueSource): AnyQuestion {
	switch (question.kind) {
		case "offices":
			return { ...question, filters: officeFilters(source) };
		case "suggest":
			return { kind: "suggest", request: randomSuggestion(source) };
		case "aggregate":
			return { ...question, filters: randomFilters(source) };
		case "gzip":
			return { kind: "gzip", list: mutateList(question.list, source) };
		case "list":
			return mutateList(question, source);
		case "walk":
			return { ...question, ...randomOutput(source), query: { ...question.query, sort: randomSort(source) } };
		case "verify":
		case "history":
			return { ...question, ...randomLicenses(question, source) };
		default:
			return { kind: "stats", geography: randomGrant(source) };
	}
}

function mutateList(question: List, source: ValueSource): List {
	const { draw } = source;
	const fresh = randomQuery(source);
	const { query } = question;
	if (draw.oneIn(6)) return { ...question, ...randomOutput(source) };
	const change = draw.pick<Partial<Query>>([
		{ sort: fresh.sort },
		{ sort: [...query.sort, ...fresh.sort].slice(0, 4) },
		{ order: fresh.order },
		{ page: fresh.page, limit: fresh.limit },
		{ filters: { ...query.filters, ...randomFilters(source) } },
		{ filters: withoutOne(query.filters, source) },
		{ geography: fresh.geography },
	]);
	return { ...question, query: { ...query, ...change } };
}

function withoutOne(filters: Filters, { draw }: ValueSource): Filters {
	const names = Object.keys(filters);
	if (names.length === 0) return filters;
	const dropped = draw.pick(names);
	return Object.fromEntries(Object.entries(filters).filter(([name]) => name !== dropped));
}

function randomSort({ draw }: ValueSource): ColumnName[] {
	if (draw.oneIn(5)) return ["id"];
	return Array.from({ length: 1 + draw.below(3) }, () => draw.pick(SORTS));
}

function randomPage({ draw }: ValueSource): { page: number; limit: number } {
	const limit = draw.pick([1, 10, 100, 100, 100, 1000]);
	const last = lastPage(limit);
	return { limit, page: draw.pick([1, 1, 2, 1 + draw.below(last), last]) };
}
