/** The shapes that published figures are given for: common questions of clients. */

import { DEFAULT_QUERY, type Projection, type Query, type RowFormat } from "../../engine/index.js";
import { COLUMNS } from "../../formats/index.js";
import type { Question, Shape } from "./question.js";
import { ValueSource } from "./value-source.js";

/** Every column, unmasked. */
export const WHOLE_ROW: Projection = { columns: COLUMNS.map((c) => c.name), masked: false };

const THREE_COLUMNS: Projection = {
	columns: ["id", "member_full_name", "member_state_license_number"],
	masked: false,
};

/** A list question that differs from the default one in the members given. */
export function list(
	asked: Partial<Query>,
	projection: Projection = WHOLE_ROW,
	format: RowFormat = "json",
): Question {
	return { kind: "list", query: { ...DEFAULT_QUERY, ...asked }, projection, format };
}

/** The named shapes over `source`. */
export function namedShapes(source: ValueSource): Shape[] {
	return [...pageShapes(source), ...windowShapes(source), ...outputShapes(source), ...suggestShapes(source)];
}

function pageShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "first page",
			about: "60 to 140 rows of all, by id, pages 1 to 3",
			draw: () => list({ page: 1 + draw.below(3), limit: 60 + draw.below(81) }),
		},
		{
			name: "state by last name",
			about: "a state sorted by last name",
			draw: () =>
				list({
					filters: { state: [source.state().state] },
					sort: ["member_last_name"],
					page: 1 + draw.below(10),
				}),
		},
		{
			name: "last-name prefix",
			about: "3 or 4 letters of a last name over all states",
			draw: () => list({ filters: { last_name: source.prefix("member_last_name", 3 + draw.below(2)) } }),
		},
		{
			name: "state, name and status",
			about: "a state, 1 to 3 letters of a last name, a status of that state",
			draw: () => {
				const state = source.state();
				const row = source.rowOf(state);
				return list({
					filters: {
						state: [state.state],
						last_name: source.prefix("member_last_name", 1 + draw.below(3), row),
						license_status: source.value("member_license_status", row),
					},
				});
			},
		},
		{
			name: "license number",
			about: "one license by its number",
			draw: () => list({ filters: { license_number: source.value("member_state_license_number") } }),
		},
		{
			name: "office prefix by expiry",
			about: "2 or 3 letters of an office name, sorted by expiry",
			draw: () =>
				list({
					filters: { office_name: source.prefix("office_name", 2 + draw.below(2)) },
					sort: ["member_license_expires"],
				}),
		},
		{
			name: "city",
			about: "one city",
			draw: () => list({ filters: { city: source.value("member_city") } }),
		},
		{
			name: "postal code",
			about: "one postal code",
			draw: () => list({ filters: { postal_code: source.value("member_postal_code") } }),
		},
	];
}

function windowShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "expiry window, three states",
			about: "60 days of expiry in three states, sorted by expiry",
			draw: () => {
				const after = source.value("member_license_expires");
				return list({
					filters: {
						state: source.states(3).map((s) => s.state),
						expires_after: after,
						expires_before: ValueSource.shift(after, 60),
					},
					sort: ["member_license_expires"],
				});
			},
		},
		{
			name: "status and type, deep",
			about: "a status and a type, pages 100 to 300",
			draw: () => {
				const row = source.row();
				const filters = {
					license_status: source.value("member_license_status", row),
					member_type: source.value("member_type", row),
				};
				return list({ filters, page: 100 + draw.below(200) });
			},
		},
		{
			name: "country and issued by office, last name",
			about: "a country, issued after a date, sorted by two columns",
			draw: () =>
				list({
					filters: { country: "US", issued_after: source.value("member_license_issued") },
					sort: ["office_name", "member_last_name"],
					page: 1 + draw.below(20),
				}),
		},
		{
			name: "deep page by full name",
			about: "90 to 110 rows of all by full name, pages 350 to 450",
			draw: () =>
				list({ sort: ["member_full_name"], page: 350 + draw.below(101), limit: 90 + draw.below(21) }),
		},
		{
			name: "three date bounds",
			about: "issued, expires and first issued, over all rows",
			draw: () =>
				list({
					filters: {
						issued_after: source.value("member_license_issued"),
						expires_before: ValueSource.shift(source.value("member_license_expires"), draw.below(700)),
						first_issued_after: ValueSource.shift(source.value("member_license_first_issued"), -2000),
					},
					sort: ["member_license_expires"],
				}),
		},
	];
}

function outputShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	return [
		{
			name: "row by id",
			about: "one row",
			draw: () => ({
				kind: "row",
				id: Number(source.snapshot.value(source.row(), "id")),
				projection: WHOLE_ROW,
			}),
		},
		{
			name: "stats",
			about: "the statistics of a grant of one country and three states",
			draw: () => {
				const states = source.states(3).map((s) => s.state);
				return { kind: "stats", geography: { countries: [draw.pick(["US", "CA"])], states } };
			},
		},
		{
			name: "count only",
			about: "the total of a city, one row of it",
			draw: () => list({ filters: { city: source.value("member_city") }, limit: 1 }),
		},
		{
			name: "three fields",
			about: "90 to 110 rows of all by id, 3 columns",
			draw: () => list({ page: 1 + draw.below(500), limit: 90 + draw.below(21) }, THREE_COLUMNS),
		},
		{
			name: "CSV of 1,000 rows",
			about: "a state as CSV, pages 1 to 20",
			draw: () =>
				list(
					{ filters: { state: [source.state().state] }, limit: 1000, page: 1 + draw.below(20) },
					WHOLE_ROW,
					"csv",
				),
		},
	];
}

function suggestShapes(source: ValueSource): Shape[] {
	const { draw } = source;
	const fields = ["member_city", "office_name", "member_last_name"] as const;
	return [2, 3, 5].flatMap((letters) =>
		[false, true].map((within): Shape => {
			const where = within ? "in a state" : "everywhere";
			return {
				name: `suggest ${letters} letters, ${where}`,
				about: "type-ahead of city, office or last name",
				draw: () => {
					const field = draw.pick(fields);
					const state = within ? source.state() : null;
					const row = state === null ? source.row() : source.rowOf(state);
					const prefix = source.prefix(field, letters, row);
					const request = { field, prefix, state: state?.state ?? null, limit: 20, geography: null };
					return { kind: "suggest", request };
				},
			};
		}),
	);
}
