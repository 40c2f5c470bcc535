/** Harder variants of the named shapes: valid questions that an indexed store answers slowly. */

import { DEFAULT_QUERY, type Query, type Snapshot } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import { list } from "./named-shapes.js";
import { lastPage, type Question, type Shape } from "./question.js";
import { ValueSource } from "./value-source.js";

/** Deepest page of 100 rows. */
const LAST_PAGE = lastPage(100);

const SORTED_BY: readonly ColumnName[] = [
	"member_full_name",
	"member_license_expires",
	"member_license_issued",
	"office_name",
];

/** The nasty shapes over `source`. */
export function nastyShapes(source: ValueSource): Shape[] {
	return [...sortedShapes(source), ...combinedShapes(source)];
}

function sortedShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	const unrelated: readonly ColumnName[] = ["office_name", "member_full_name", "member_license_issued"];
	return [
		{
			name: "two letters by another column",
			about: "2 letters of a last name, sorted by an unrelated column",
			draw: () =>
				list({
					filters: { last_name: source.prefix("member_last_name", 2) },
					sort: [draw.pick(unrelated)],
					page: 1 + draw.below(20),
				}),
		},
		{
			name: "thirty states, rare status",
			about: "30 states with a rare status, sorted by office",
			draw: () =>
				list({
					filters: {
						state: source.states(30).map((s) => s.state),
						license_status: source.rare("member_license_status"),
					},
					sort: ["office_name"],
				}),
		},
		{
			name: "weak filter, deep, other sort",
			about: "a country and an early date, sorted by full name at page 500",
			draw: () =>
				list({
					filters: { country: "US", issued_after: ValueSource.shift("1960-01-01", draw.below(14_600)) },
					sort: ["member_full_name"],
					page: LAST_PAGE,
				}),
		},
		{
			name: "one status by full name, deep",
			about: "a status sorted by full name, pages 451 to 500",
			draw: () =>
				list({
					filters: { license_status: source.value("member_license_status") },
					sort: ["member_full_name"],
					page: LAST_PAGE - draw.below(50),
				}),
		},
		{
			name: "descending with many nulls",
			about: "all rows by first issue date, descending, any page",
			draw: () =>
				list({ sort: ["member_license_first_issued"], order: "desc", page: 1 + draw.below(LAST_PAGE) }),
		},
		{
			name: "three sort columns, deep",
			about: "all rows by refresh date, office and first name, descending, pages 301 to 500",
			draw: () =>
				list({
					sort: ["last_refreshed", "office_name", "member_first_name"],
					order: "desc",
					page: LAST_PAGE - draw.below(200),
				}),
		},
		{
			name: "office letter by expiry, deep",
			about: "1 letter of an office name, sorted by expiry, deep",
			draw: () =>
				list({
					filters: { office_name: source.prefix("office_name", 1) },
					sort: ["member_license_expires"],
					page: 1 + draw.below(LAST_PAGE),
				}),
		},
	];
}

function combinedShapes(source: ValueSource): Shape[] {
	return [
		{
			name: "no hits",
			about: "a prefix that no last name has",
			draw: () =>
				list({
					filters: { last_name: `qx${source.prefix("member_last_name", 3)}q`, country: "US" },
					sort: ["office_name"],
				}),
		},
		{
			name: "everything combined",
			about: "states, prefixes, status, type, dates, two sort columns, descending",
			draw: () => {
				const state = source.state();
				const row = source.rowOf(state);
				return list({
					filters: {
						state: [state.state, ...source.states(10).map((s) => s.state)],
						country: state.country === "US" ? "US" : "CA",
						last_name: source.prefix("member_last_name", 1, row),
						license_status: source.value("member_license_status", row),
						member_type: source.value("member_type", row),
						issued_after: "1980-01-01",
						expires_after: ValueSource.shift(source.value("member_license_expires", row), -400),
						expires_before: ValueSource.shift(source.value("member_license_expires", row), 400),
					},
					sort: ["member_license_status", "member_license_expires"],
					order: "desc",
				});
			},
		},
		{
			name: "type and city, desc",
			about: "a city and a type, sorted by status then issue date, descending",
			draw: () => {
				const row = source.row();
				return list({
					filters: {
						city: source.value("member_city", row),
						member_type: source.value("member_type", row),
					},
					sort: ["member_license_status", "member_license_issued"],
					order: "desc",
				});
			},
		},
		{
			name: "a status in a state, sorted, deep",
			about: "one status of one state, sorted by one of four columns, pages 20 to 120",
			draw: () => list(severalValues(source, 1, 1)),
		},
		{
			name: "five statuses in three states, sorted, deep",
			about: "five statuses of three states, sorted by one of four columns, pages 20 to 120",
			draw: () => list(severalValues(source, 3, 5)),
		},
		{
			name: "one status of as many rows, sorted, deep",
			about:
				"one status, of the state or of all states where nearest as many rows have it as the five in three states",
			draw: () => oneOfAsManyRows(source, severalValues(source, 3, 5)),
		},
	];
}

type AskedStatuses = Pick<Query, "filters" | "sort" | "page">;

/** Statuses that rows of the states have, sorted by a column, some pages in. */
function severalValues(source: ValueSource, stateCount: number, statusCount: number): AskedStatuses {
	const { draw } = source;
	const states = source.states(stateCount);
	const statuses = new Set<string>();
	for (let tries = 0; statuses.size < statusCount && tries < 50 * statusCount; tries++)
		statuses.add(source.value("member_license_status", source.rowOf(states[tries % states.length])));
	return {
		filters: { state: states.map(({ state }) => state), license_status: [...statuses] },
		sort: [draw.pick(SORTED_BY)],
		page: 20 + draw.below(100),
	};
}

/** A status of a state, or of all, and its rows. */
interface StatusRows {
	readonly state: string | null;
	readonly status: string;
	readonly rows: number;
}

/** By snapshot: every status of every state. */
const knownStatuses = new WeakMap<Snapshot, readonly StatusRows[]>();

function statusesOf(snapshot: Snapshot): readonly StatusRows[] {
	const known = knownStatuses.get(snapshot);
	if (known !== undefined) return known;
	const found = (["state", null] as const).flatMap((state) => {
		const by = state === null ? (["license_status"] as const) : (["state", "license_status"] as const);
		const { groups } = snapshot.groups.aggregate({ by, top: 10_000, minCount: 1 }, {}, null);
		return groups.flatMap((group): StatusRows[] =>
			group.by.license_status === null
				? []
				: [{ state: group.by.state ?? null, status: group.by.license_status, rows: group.rows }],
		);
	});
	knownStatuses.set(snapshot, found);
	return found;
}

/** What is asked with one status instead of several, and about as many rows. */
function oneOfAsManyRows({ snapshot }: ValueSource, asked: AskedStatuses): Question {
	const { sort, page } = asked;
	const wanted = snapshot.query({ ...DEFAULT_QUERY, ...asked, page: 1 }).total as number;
	const distance = ({ rows }: StatusRows) => Math.abs(rows - wanted);
	const nearest = statusesOf(snapshot).reduce((a, b) => (distance(b) < distance(a) ? b : a));
	const state = nearest.state === null ? {} : { state: [nearest.state] };
	return list({ filters: { ...state, license_status: [nearest.status] }, sort, page });
}
