/**
 * Shapes of keys and clients that do not get the default row: masked contacts, grants of some states or columns, few
 * fields, and the other formats. Their rows are put together from the columns or edited, where default rows are copied.
 */

import type { Projection } from "../../engine/index.js";
import { COLUMNS, type ColumnName, type Geography } from "../../formats/index.js";
import { list, WHOLE_ROW } from "./named-shapes.js";
import { lastPage, type Shape } from "./question.js";
import type { ValueSource } from "./value-source.js";

/** Every column, contacts masked, as trial keys get it. */
const MASKED_ROW: Projection = { ...WHOLE_ROW, masked: true };

/** What a key without addresses and contacts gets. */
const NARROWED_ROW: Projection = {
	columns: COLUMNS.filter((column) => !column.contact && column.name !== "member_address").map((c) => c.name),
	masked: false,
};

/** Fields of an application's list, in the order of the table. */
const LIST_FIELDS: readonly ColumnName[] = [
	"id",
	"member_full_name",
	"member_city",
	"office_name",
	"member_license_status",
	"member_license_expires",
	"member_email",
];

const SPARSE_ROW: Projection = { columns: LIST_FIELDS, masked: false };
const SPARSE_MASKED_ROW: Projection = { columns: LIST_FIELDS, masked: true };

/** Projections by turns, for questions drawn at random. */
export const PROJECTIONS: readonly Projection[] = [
	WHOLE_ROW,
	MASKED_ROW,
	NARROWED_ROW,
	SPARSE_ROW,
	SPARSE_MASKED_ROW,
];

/** The grant of a few states, or of a country and a few states of any. */
export function randomGrant(source: ValueSource): Geography {
	const states = source.states(1 + source.draw.below(8)).map(({ state }) => state);
	return { countries: source.draw.oneIn(4) ? [source.draw.pick(["US", "CA"])] : [], states };
}

/** The projected shapes over `source`. */
export function projectedShapes(source: ValueSource): Shape[] {
	return [...rowShapes(source), ...grantShapes(source), ...formatShapes(source)];
}

function rowShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	const anyPage = () => 1 + draw.below(lastPage(100));
	return [
		{
			name: "masked page",
			about: "any page of all rows, contacts masked",
			draw: () => list({ page: anyPage() }, MASKED_ROW),
		},
		{
			name: "masked, state by last name",
			about: "a state sorted by last name, contacts masked",
			draw: () =>
				list(
					{
						filters: { state: [source.state().state] },
						sort: ["member_last_name"],
						page: 1 + draw.below(10),
					},
					MASKED_ROW,
				),
		},
		{
			name: "masked row by id",
			about: "one row, contacts masked",
			draw: () => ({
				kind: "row",
				id: Number(source.snapshot.value(source.row(), "id")),
				projection: MASKED_ROW,
			}),
		},
		{
			name: "narrowed page",
			about: "any page of all rows, without address and contacts",
			draw: () => list({ page: anyPage() }, NARROWED_ROW),
		},
		{
			name: "sparse fields by last name",
			about: "seven fields of a last-name prefix, sorted by last name",
			draw: () =>
				list(
					{
						filters: { last_name: source.prefix("member_last_name", 3) },
						sort: ["member_last_name"],
						page: 1 + draw.below(3),
					},
					SPARSE_ROW,
				),
		},
		{
			name: "sparse masked fields of a city",
			about: "seven fields of a city, the e-mail address masked",
			draw: () => list({ filters: { city: source.value("member_city") } }, SPARSE_MASKED_ROW),
		},
	];
}

function grantShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "granted states, any page",
			about: "a grant of some states, all its rows by id",
			draw: () => list({ geography: randomGrant(source), page: 1 + draw.below(50) }),
		},
		{
			name: "granted states by last name",
			about: "a grant of some states, a last-name prefix, sorted by last name",
			draw: () =>
				list({
					geography: randomGrant(source),
					filters: { last_name: source.prefix("member_last_name", 1 + draw.below(3)) },
					sort: ["member_last_name"],
				}),
		},
		{
			name: "granted states, city and type group",
			about: "a grant of some states, a city of any state and a type group",
			draw: () =>
				list({
					geography: randomGrant(source),
					filters: {
						city: source.value("member_city"),
						type_group: source.value("member_type_group"),
					},
				}),
		},
		{
			name: "granted states, rows with an e-mail address",
			about: "a grant of some states, a postal code of any state, rows with an e-mail address",
			draw: () =>
				list({
					geography: randomGrant(source),
					filters: { postal_code: source.value("member_postal_code"), present: ["member_email"] },
				}),
		},
		{
			name: "granted states, status by expiry, masked",
			about: "a grant of some states and a status, sorted by expiry, contacts masked",
			draw: () =>
				list(
					{
						geography: randomGrant(source),
						filters: { license_status: source.value("member_license_status") },
						sort: ["member_license_expires"],
						page: 1 + draw.below(5),
					},
					MASKED_ROW,
				),
		},
	];
}

function formatShapes(source: ValueSource): Shape[] {
	const stateOfLimit = (limit: number) => ({
		filters: { state: [source.state().state], last_name: source.prefix("member_last_name", 1) },
		limit,
	});
	return [
		{
			name: "masked CSV, 1,000 rows",
			about: "a state and a letter of a last name as CSV, contacts masked",
			draw: () => list(stateOfLimit(1000), MASKED_ROW, "csv"),
		},
		{
			name: "sparse CSV, 1,000 rows",
			about: "seven fields of a state and a letter of a last name as CSV",
			draw: () => list(stateOfLimit(1000), SPARSE_ROW, "csv"),
		},
		{
			name: "NDJSON, 1,000 rows",
			about: "a state and a letter of a last name as NDJSON",
			draw: () => list(stateOfLimit(1000), WHOLE_ROW, "ndjson"),
		},
	];
}
