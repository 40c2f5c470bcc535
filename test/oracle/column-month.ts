/**
 * A month of hundreds of thousands of rows, made column by column, since as many row objects would take longer
 * than all that is asked of them. Skewed and correlated as real months are: a person's names are drawn together,
 * an office belongs to a city and a city to a state, dates follow one another, statuses follow from dates, types
 * from states; many rows repeat others, and many cells are empty.
 */

import {
	NULL_CODE,
	type ParsedMonth,
	type PartText,
	type WorkerDictionary,
} from "../../builder/csv/parsed-month.js";
import type { Filters, Geography, Query } from "../../engine/query.js";
import {
	BUILT_IN_GROUPS,
	COLUMNS,
	type ColumnName,
	columnNamed,
	findJurisdiction,
	GROUP_COLUMNS,
	JURISDICTIONS,
	monthNumber,
} from "../../formats/index.js";
import { compareCodePoints } from "./code-points.js";
import { Draw } from "./draw.js";
import { LARGE_STATES, makeDates, makeVocabulary, ownType, STATUSES, TYPES } from "./large-month.js";
import { type NaiveColumn, NaiveColumns, naiveColumn } from "./naive-columns.js";
import { inOrder } from "./naive-query.js";
import type { NaiveRow, RowValue } from "./naive-rows.js";

export interface ColumnMonthShape {
	readonly rows: number;
	/** `few`: eight states, one of which has most rows. `many`: every jurisdiction. */
	readonly states: "few" | "many";
}

/** A column as the drop has it: distinct values and, by row, an index into them; NULL_CODE for none. */
interface DropColumn {
	readonly values: readonly string[];
	readonly codes: Uint32Array;
}

type Drop = ReadonlyMap<ColumnName, DropColumn>;

interface KnownPlaces {
	readonly key: string;
	readonly places: Uint32Array;
}

/** A month as the naive scan reads it, and as the compiler takes it. */
export class ColumnMonth {
	readonly columns: NaiveColumns;
	readonly parsed: ParsedMonth;
	private matched: KnownPlaces | null = null;
	private ordered: KnownPlaces | null = null;

	constructor(
		seed: number,
		readonly month: string,
		{ rows, states }: ColumnMonthShape,
	) {
		const drop = drawDrop(seed, rows, states === "few" ? LARGE_STATES : JURISDICTIONS.map((j) => j.state));
		this.columns = new NaiveColumns(rows, columnsInOrder(drop, rows, month));
		this.parsed = parsedDrop(drop, rows);
	}

	get rowCount(): number {
		return this.columns.rows;
	}

	row(place: number): NaiveRow {
		return Object.fromEntries(COLUMNS.map(({ name }) => [name, this.columns.value(place, name)])) as NaiveRow;
	}

	count(filters: Filters, geography: Geography | null): number {
		return this.matching(filters, geography).length;
	}

	/** Places of every row that matches, in the query's order; those of the query before are remembered. */
	places(query: Query): Uint32Array {
		const { filters, geography, sort, order } = query;
		const key = JSON.stringify([filters, geography, sort, order]);
		if (this.ordered?.key !== key)
			this.ordered = { key, places: inOrder(this.columns, this.matching(filters, geography), query) };
		return this.ordered.places;
	}

	/** Places of the rows that match, ascending; those of the filters before are remembered. */
	matching(filters: Filters, geography: Geography | null): Uint32Array {
		const key = JSON.stringify([filters, geography]);
		if (this.matched?.key !== key) this.matched = { key, places: this.columns.matches(filters, geography) };
		return this.matched.places;
	}
}

/** Draws rows with every column of a drop but the derived ones. */
function drawDrop(seed: number, rows: number, states: readonly string[]): Drop {
	const words = new Draw(seed, 1);
	const draw = new Draw(seed, 2);
	const vocabulary = (count: number, stem: string) => [
		...new Set(makeVocabulary(count, stem, words).map((text) => text.trim())),
	];
	const [lastNames, firstNames] = [vocabulary(3000, "son"), vocabulary(400, "y")];
	const [offices, cities] = [vocabulary(5000, " Realty "), vocabulary(900, "ville")];
	const types = [...new Set([...TYPES, "Sales Agent", "Sales Associate"])];
	const postalCodes = Array.from({ length: 1500 }, (_, i) => String(10_000 + i));
	const issued = makeDates(9000, 11_000);
	const expires = makeDates(900, 20_400);
	const numbers = Array.from({ length: 150_000 }, (_, i) => `${"TCNFWOQA"[i % 8]}${i >> 1}`);
	const countries = ["CA", "US"];
	const refreshed = ["2026-11-02", "2026-11-03", "2026-10-30", "2026-09-01"];
	const skewed = (count: number, power: number) => Math.floor((draw.next() / 2 ** 32) ** power * count);
	/** An index, or none once in `oneIn`. */
	const orNull = (index: number, oneIn: number) => (draw.oneIn(oneIn) ? NULL_CODE : index);
	const people = Array.from({ length: 9000 }, () => [
		skewed(firstNames.length, 2),
		skewed(lastNames.length, 2),
	]);
	const fullNames = people.map(([first, last]) => `${firstNames[first]} ${lastNames[last]}`);
	const uniqueNames = [...new Set(fullNames)];
	const nameIndexes = new Map(uniqueNames.map((name, i) => [name, i]));
	const values: Partial<Record<ColumnName, readonly string[]>> = {
		country: countries,
		state: states,
		member_full_name: uniqueNames,
		member_first_name: firstNames,
		member_last_name: lastNames,
		member_type: types,
		member_address: ["1 Elm St"],
		member_city: cities,
		member_state_or_province: states,
		member_postal_code: postalCodes,
		office_name: offices,
		office_broker_name: lastNames,
		member_state_license_number: numbers,
		member_license_status: STATUSES,
		member_license_issued: issued,
		member_license_expires: expires,
		member_license_first_issued: issued,
		member_email: ["a@example.com"],
		member_preferred_phone: ["555-0100"],
		matched_email: ["x@mail.example.org"],
		matched_phone: ["(555) 010-0101"],
		agent_count: Array.from({ length: 50 }, (_, i) => String(i + 1)),
		last_refreshed: refreshed,
	};
	const codes = new Map(Object.keys(values).map((name) => [name as ColumnName, shared(rows)] as const));
	const set = (row: number, name: ColumnName, code: number) => {
		(codes.get(name) as Uint32Array)[row] = code;
	};
	for (let row = 0; row < rows; row++) {
		// One row in sixteen is the one before it again, but for its dates.
		if (row > 0 && draw.oneIn(16)) for (const column of codes.values()) column[row] = column[row - 1];
		else drawRow(row);
		const first = skewed(issued.length, 1.3);
		const last = Math.min(issued.length - 1, first + skewed(3000, 3));
		const lapses = skewed(expires.length, 2);
		set(row, "member_license_first_issued", orNull(first, 12));
		set(row, "member_license_issued", orNull(last, 30));
		set(row, "member_license_expires", orNull(lapses, 3));
		// A license that has lapsed is mostly of one status, the others mostly of another.
		const usual = lapses < 30 ? 3 : 0;
		set(row, "member_license_status", orNull(draw.oneIn(5) ? skewed(STATUSES.length, 2) : usual, 1000));
	}
	function drawRow(row: number): void {
		const state = skewed(states.length, states.length > 8 ? 3 : 10);
		const person = skewed(people.length, 1.5);
		const [first, last] = people[person];
		// A state's cities lie around one place of the list, a city's offices and postal codes around another.
		const city = Math.floor((state / states.length) * cities.length * 0.7 + skewed(cities.length * 0.3, 3));
		const office = Math.floor(
			(city / cities.length) * offices.length * 0.8 + skewed(offices.length * 0.2, 4),
		);
		set(row, "country", findJurisdiction(states[state])?.country === "CA" ? 0 : 1);
		set(row, "state", state);
		set(row, "member_state_or_province", orNull(state, 9));
		set(row, "member_first_name", orNull(first, 3));
		set(row, "member_last_name", orNull(last, 200));
		set(row, "member_full_name", orNull(nameIndexes.get(fullNames[person]) as number, 400));
		set(
			row,
			"member_type",
			orNull(types.indexOf(ownType(states[state], row, TYPES[skewed(TYPES.length, 2)])), 20),
		);
		set(row, "member_address", orNull(0, 4));
		set(row, "member_city", orNull(city, 10));
		set(row, "member_postal_code", orNull(Math.floor((city / cities.length) * 1400 + skewed(100, 2)), 10));
		set(row, "office_name", orNull(office, 5));
		set(row, "office_broker_name", orNull(skewed(lastNames.length, 3), 3));
		set(row, "member_state_license_number", orNull(skewed(numbers.length, 1.2), 500));
		set(row, "member_email", orNull(0, 2));
		set(row, "member_preferred_phone", orNull(0, 2));
		set(row, "matched_email", orNull(0, 4));
		set(row, "matched_phone", orNull(0, 4));
		set(row, "agent_count", orNull(skewed(50, 4), 6));
		set(row, "last_refreshed", orNull(skewed(refreshed.length, 14), 10_000));
	}
	return new Map(
		[...codes].map(([name, column]) => [name, { values: values[name] as readonly string[], codes: column }]),
	);
}

function shared(length: number): Uint32Array {
	return new Uint32Array(new SharedArrayBuffer(length * 4));
}

/** The naive columns of a drop in canonical order. */
function columnsInOrder(drop: Drop, rows: number, month: string): (name: ColumnName) => NaiveColumn {
	const raw = new Map<ColumnName, NaiveColumn>();
	for (const [name, { values, codes }] of drop) {
		const isNumber = columnNamed(name).kind === "int";
		const texts: RowValue[] = [...values.map((value) => (isNumber ? Number(value) : value)), null];
		const valueOfRow = codes.map((code) => (code === NULL_CODE ? values.length : code));
		raw.set(name, naiveColumn(texts, Uint32Array.from(valueOfRow)));
	}
	for (const { column, source } of GROUP_COLUMNS) raw.set(column, groupColumn(column, raw, source));
	const canonical = new NaiveColumns(rows, (name) => {
		const column = raw.get(name) as NaiveColumn;
		const isFolded = name === "member_last_name" || name === "member_first_name";
		return isFolded ? column : { ...column, ranks: plainRanks(column.values) };
	});
	const drawn = Uint32Array.from({ length: rows }, (_, i) => i);
	const order = canonical.sort(
		drawn,
		["country", "state", "member_last_name", "member_first_name", "member_state_license_number"],
		false,
	);
	const columns = new Map<ColumnName, NaiveColumn>();
	for (const [name, column] of raw)
		columns.set(name, { ...column, valueOfRow: order.map((place) => column.valueOfRow[place]) });
	const firstId = monthNumber(month) * 100_000_000 + 1;
	const places = Float64Array.from(drawn);
	columns.set("id", {
		values: Array.from(drawn, (place) => firstId + place),
		folds: [],
		ranks: places,
		valueOfRow: drawn,
	});
	columns.set("snapshot", naiveColumn([month], new Uint32Array(rows)));
	return (name) => columns.get(name) as NaiveColumn;
}

/** Places of values by their code points; of null infinitely far. */
function plainRanks(values: readonly RowValue[]): Float64Array {
	const ranks = new Float64Array(values.length).fill(Number.POSITIVE_INFINITY);
	const order = [...values.keys()].filter((i) => values[i] !== null);
	order.sort((a, b) => compareCodePoints(String(values[a]), String(values[b])));
	order.forEach((value, i) => {
		ranks[value] = i;
	});
	return ranks;
}

/** The group of each row's status or type in the words of its state. */
function groupColumn(
	name: ColumnName,
	raw: ReadonlyMap<ColumnName, NaiveColumn>,
	source: ColumnName,
): NaiveColumn {
	const [states, texts] = [raw.get("state") as NaiveColumn, raw.get(source) as NaiveColumn];
	const groups: RowValue[] = [null];
	const indexes = new Map<number, number>();
	const valueOfRow = texts.valueOfRow.map((text, row) => {
		const state = states.valueOfRow[row];
		const pair = state * texts.values.length + text;
		let index = indexes.get(pair);
		if (index === undefined) {
			const value = texts.values[text];
			const group =
				value === null
					? null
					: (BUILT_IN_GROUPS.find(name, String(states.values[state]), String(value)) ?? "other");
			if (!groups.includes(group)) groups.push(group);
			index = groups.indexOf(group);
			indexes.set(pair, index);
		}
		return index;
	});
	return naiveColumn(groups, valueOfRow);
}

/** A drop as the parser passes it on: one part of one worker. */
function parsedDrop(drop: Drop, rows: number): ParsedMonth {
	const isText = (name: ColumnName) => columnNamed(name).kind === "string";
	const coded = [...drop].filter(([name]) => !isText(name));
	return {
		rows,
		columns: COLUMNS.map(({ name }) => name).filter((name) => drop.has(name)),
		dictionaries: [
			new Map(coded.map(([name, { values }]) => [name, { count: values.length, ...heapOf(values) }])),
		],
		parts: [
			{
				worker: 0,
				source: 0,
				rows,
				samples: [],
				codes: new Map(coded.map(([name, { codes }]) => [name, codes])),
				text: new Map(
					[...drop].filter(([name]) => isText(name)).map(([name, column]) => [name, textOf(column)]),
				),
			},
		],
		sources: [{ file: "drawn.csv", bytes: 0, rows, rejects: 0 }],
		plans: [],
		enrichedColumns: [],
		rejects: { rows: 0, reasons: [] },
		oddities: [],
	};
}

function heapOf(values: readonly string[]): Omit<WorkerDictionary, "count"> {
	const offsets = shared(values.length + 1);
	values.forEach((value, i) => {
		offsets[i + 1] = offsets[i] + Buffer.byteLength(value);
	});
	const heap = new Uint8Array(new SharedArrayBuffer(offsets[values.length]));
	heap.set(Buffer.from(values.join("")));
	return { offsets, heap };
}

/** A text column, which has at most one value. */
function textOf({ values: [value], codes }: DropColumn): PartText {
	const bytes = Buffer.from(value);
	const offsets = shared(codes.length + 1);
	for (let row = 0; row < codes.length; row++)
		offsets[row + 1] = offsets[row] + (codes[row] === NULL_CODE ? 0 : bytes.length);
	const heap = new Uint8Array(new SharedArrayBuffer(offsets[codes.length]));
	for (let at = 0; at < heap.length; at += bytes.length) heap.set(bytes, at);
	return { offsets, heap };
}
