/**
 * Offices: the rows of a query by office name and state, with the common properties of the rows of each office
 * on a page (docs/API.md §11.8). Offices are counted like other groups; only the rows of those on the page are
 * then read for their cities, brokers and statuses.
 *
 * Invariant: rows without an office name belong to no office.
 */

import { columnNamed } from "../../formats/index.js";
import type { SnapshotColumns } from "../columns/snapshot-columns.js";
import { EngineError } from "../errors.js";
import { matchValues } from "../names/value-search.js";
import type { Plan } from "../plan/plan.js";
import type { Filters, Geography } from "../query.js";
import type { Scratch } from "../scratch.js";
import { PendingWork } from "../sliced-work.js";
import { type GroupingContext, groupSelection } from "./aggregate.js";
import { Dimension } from "./dimensions.js";
import { GroupPage, type PageOrder } from "./group-page.js";
import { type TakeGroup, takingEach } from "./group-rows.js";
import { arePostingsFaster, countNamedOffices } from "./named-offices.js";
import { type Office, OfficeReader } from "./office-reader.js";
import type { RankedPage, RankedRequest } from "./ranked-offices.js";
import { byRows, byValue, type CountedGroup, type GroupOrder, TopGroups } from "./top-groups.js";

export const OFFICE_SORTS = ["rows", "office_name"] as const;
export type OfficeSort = (typeof OFFICE_SORTS)[number] | "match";

/** Minimum rows of offices that are looked up in the ranked ones; below this, counting their rows is cheaper. */
const RANKED_ROWS_MIN = 4_096;

export interface OfficesRequest {
	/** Texts of which the office's name must match one, by the rules of the filter `name`; null: any name. */
	readonly like: readonly string[] | null;
	/**
	 * `rows`: by descending licenses, then by name. `office_name`: by its fold. `match`: best match of `like`
	 * first, then as `rows`. Then by state.
	 */
	readonly sort: OfficeSort;
	/** Number of offices before the page. */
	readonly offset: number;
	readonly limit: number;
	/** The office before the page, of the same request to the same snapshot; absent: from the first. */
	readonly after?: CountedGroup;
}

export interface OfficesPage {
	readonly offices: readonly Office[];
	/** Number of matching offices. */
	readonly total: number;
	/** Number of rows in all of them. */
	readonly rows: number;
	/** The last office of the page, if more follow. */
	readonly next: CountedGroup | null;
}

/**
 * The offices of `plan`, whose order is by row and whose only filters are state, office and `filters.city`.
 * Cost O(rows + offices) to count, of few names as of {@link countNamedOffices}, and of whole states, once ranked
 * (ranked-offices.ts), O(offices of the prefix); plus the rows of the offices on the page that are not precomputed
 * (large-offices.ts). Throws {@link EngineError} `no_word_index`. Where `findPairs` returns work, that is the result.
 */
export function listOffices(
	request: OfficesRequest,
	filters: Filters,
	plan: Plan,
	context: GroupingContext,
): OfficesPage | PendingWork {
	const { states, columns, rankedOffices, largeOffices } = context;
	const { like, sort } = request;
	const isByRows = sort !== "office_name";
	const codes = like === null ? rankedCodes(plan) : null;
	const ranked = codes === null ? null : rankedOffices.page({ ...request, isByRows, ...codes }, plan.runs);
	const found = ranked ?? countOffices(request, plan, context);
	if (found instanceof PendingWork) return found;
	const { page, hasMore, total, rows } = found;
	const { city } = filters;
	const reader = new OfficeReader(city, states, columns);
	const read = (group: CountedGroup) =>
		(city === undefined ? largeOffices.find(group) : null) ?? reader.read(group);
	const next = hasMore ? (page[page.length - 1] ?? null) : null;
	return { offices: page.map(read), total, rows, next };
}

/** The codes of the offices that a plan selects, absent for all; null: it selects rows by other columns, or few. */
function rankedCodes({ predicates }: Plan): Pick<RankedRequest, "codes"> | null {
	if (predicates.length === 0) return {};
	const [{ column, rows, codes }] = predicates;
	return predicates.length > 1 || column !== "office_name" || rows < RANKED_ROWS_MIN ? null : { codes };
}

/** A page of the offices that a plan's rows are counted by, as of {@link listOffices}. */
function countOffices(
	request: OfficesRequest,
	plan: Plan,
	context: GroupingContext,
): RankedPage | PendingWork {
	const { states, columns, scratch } = context;
	const { like, sort } = request;
	const named = like === null ? null : matchNames(like, plan.geography, columns, scratch);
	const costs = named?.costs ?? null;
	const isByRows = sort !== "office_name";
	const wanted = new PageOfOffices(request, { costs: sort === "match" ? costs : null, isByRows });
	const offices = new Dimension("office_name", columns);
	const nameless = offices.codeCount - 1;
	let total = 0;
	let rows = 0;
	const take: TakeGroup = (office, state, count) => {
		if (office === nameless || (costs !== null && costs[office] === NO_MATCH)) return;
		total++;
		rows += count;
		wanted.offer(office, state, count);
	};
	if (named !== null && arePostingsFaster(named.codes.length, plan, columns))
		countNamedOffices(named.codes, plan.runs, states, columns, take);
	else {
		const dimensions = [offices, new Dimension("state", columns)];
		const grouped = groupSelection(dimensions, plan, takingEach(take), context);
		if (grouped instanceof PendingWork) return grouped;
	}
	return { page: wanted.inOrder(), hasMore: wanted.hasMore, total, rows };
}

/** The offices of a page: the first, those after one, or those at a position. */
class PageOfOffices {
	private readonly first: TopGroups | null;
	private readonly all: GroupPage;

	constructor(
		private readonly request: OfficesRequest,
		sort: PageOrder,
	) {
		const { offset, limit, after } = request;
		const isNext = offset === 0 || after !== undefined;
		this.first = isNext ? new TopGroups(offset + limit, orderOf(sort), after) : null;
		this.all = new GroupPage(sort);
	}

	offer(office: number, state: number, rows: number): void {
		if (this.first === null) this.all.take(office, state, rows);
		else this.first.offer(office, state, rows);
	}

	/** Whether offices come after the page. */
	get hasMore(): boolean {
		const { offset, limit } = this.request;
		return this.first === null ? this.all.count > offset + limit : this.first.hasMore;
	}

	inOrder(): readonly CountedGroup[] {
		const { offset, limit } = this.request;
		return this.first === null
			? this.all.inOrder(offset, offset + limit)
			: this.first.inOrder().slice(offset);
	}
}

/** Cost of an office whose name does not match; more than any that does. */
const NO_MATCH = 0xffff;

/** Offices whose names match. */
interface NamedOffices {
	/** Their codes, each once. */
	readonly codes: readonly number[];
	/** By code of an office, the least cost of its matches; or {@link NO_MATCH}. */
	readonly costs: Uint16Array;
}

/** The offices whose names match one of `texts`. */
function matchNames(
	texts: readonly string[],
	geography: Geography | null,
	columns: SnapshotColumns,
	scratch: Scratch,
): NamedOffices {
	const column = columnNamed("office_name");
	if (columns.nameIndex.get(column) === null)
		throw new EngineError("no_word_index", "this month was built before the words of offices were indexed");
	const costs = new Uint16Array(columns.dictionary.get(column).distinct + 1).fill(NO_MATCH);
	const codes: number[] = [];
	for (const text of texts) {
		const matched = matchValues(column, text, geography, columns, scratch);
		if (matched === null) continue;
		for (const code of matched.codes) {
			if (costs[code] === NO_MATCH) codes.push(code);
			costs[code] = Math.min(costs[code], matched.costs[code]);
		}
	}
	return { codes, costs };
}

function orderOf({ costs, isByRows }: PageOrder): GroupOrder {
	if (costs === null) return isByRows ? byRows : byValue;
	return (a, b) => costs[a.first] - costs[b.first] || byRows(a, b);
}
