/**
 * What to make of a source's fields: the header joined with the map, as plain data that a worker
 * thread can be given.
 */

import { type ColumnName, findColumn, INPUT_COLUMNS } from "../../formats/domain/columns.js";
import { BuildError } from "../errors.js";
import type { AddressParts, CellStep } from "./cell-steps.js";
import { compileDateFormats } from "./date-format.js";
import { fewestCells } from "./fewest-cells.js";
import { comparedName } from "./header-name.js";
import { likelyName } from "./likely-names.js";
import type { CombineRule, SourceMap, SplitRule } from "./map-file.js";
import { type HeaderLocation, mappedColumns, requireColumns } from "./required-columns.js";

/** Columns that a part of a split fills only with a state or province. */
const STATE_COLUMNS: readonly ColumnName[] = ["state", "member_state_or_province"];

export interface SourcePlan {
	/** Index of the source among the month's. */
	readonly source: number;
	/** The delimiter's byte. */
	readonly delimiter: number;
	/** Whether fields may be in quotes. */
	readonly quotes: boolean;
	/** Fields of every record, and the fewest that one may have: those that it lacks at the end are null. */
	readonly fields: number;
	readonly fieldsMin: number;
	/** Their names as in the header, trimmed. */
	readonly names: readonly string[];
	/** Fields that `steps` fill, numbered after those of the file. */
	readonly virtualFields: number;
	/** What is done to cells before they are encoded, in order. */
	readonly steps: readonly CellStep[];
	/** Regular expression of lines that are left out; null: none. */
	readonly skipMatching: string | null;
	/** Which field fills which column, in output order; a field may fill several. */
	readonly targets: readonly { readonly column: ColumnName; readonly field: number }[];
	readonly constants: readonly { readonly column: ColumnName; readonly value: string }[];
	/** Trimmed texts that mean null. */
	readonly nulls: readonly string[];
	/** Date formats besides ISO. */
	readonly dateFormats: readonly string[];
	readonly invalidDates: "reject" | "null";
}

/** A header's names that fill no column. */
export interface HeaderOddities {
	readonly unknown: readonly string[];
	readonly builderMade: readonly string[];
	/** Columns without a name. */
	readonly nameless: number;
	/** Names the map fills columns from and the header does not have. */
	readonly absent: readonly string[];
	/** For names of `unknown` and `absent`: the column, or the name of the header, that it probably is. */
	readonly likely: ReadonlyMap<string, string>;
}

export interface PlannedSource {
	readonly plan: SourcePlan;
	readonly oddities: HeaderOddities;
}

/**
 * Joins header and map. Names match exactly but for white space around them and the form of accents; a name the map does not speak of means
 * our column of that name. Throws {@link BuildError} `duplicate_column` for a name that stands twice or
 * a column filled twice, `no_header` where not one name is known, `missing_column` for a required one.
 */
export function planSource(
	source: number,
	header: readonly string[],
	map: SourceMap,
	dateFormat: string | null,
	place: HeaderLocation,
): PlannedSource {
	const names = header.map(comparedName);
	refuseRepeatedNames(names, map, place);
	const oddities = { unknown: [] as string[], builderMade: [] as string[], nameless: 0 };
	const filledBy = new Map<ColumnName, number>();
	const sources = sourceNames(map);
	names.forEach((name, field) => {
		const mapped = mappedColumns(name, names, map);
		if (name === "") oddities.nameless++;
		else if (sources.has(name) && !map.columns.has(name)) return;
		else if (mapped !== undefined) for (const column of mapped) fill(filledBy, column, field, names, place);
		else if (findColumn(name) === undefined) oddities.unknown.push(name);
		else if (isBuilderMade(name)) oddities.builderMade.push(name);
		else fill(filledBy, name as ColumnName, field, names, place);
	});
	const steps = new StepPlan(names, map, filledBy, place);
	const constants = constantsOf(map, filledBy, steps, names, place);
	requireColumns(filledBy, map, names, place);
	const targets = INPUT_COLUMNS.flatMap(({ name }) => {
		const field = filledBy.get(name);
		return field === undefined ? [] : [{ column: name, field }];
	});
	const dateFormats = map.dateFormats ?? (dateFormat === null ? [] : [dateFormat]);
	compileDateFormats(dateFormats);
	const plan: SourcePlan = {
		source,
		delimiter: map.delimiter.charCodeAt(0),
		quotes: map.quotes,
		fields: names.length,
		fieldsMin: map.missingCells === "null" ? fewestCells(names.length, filledBy, steps.steps) : names.length,
		names: header.map((name) => name.trim()),
		virtualFields: steps.virtualFields,
		steps: steps.steps,
		skipMatching: map.skipMatching,
		targets,
		constants,
		nulls: map.nulls.map((text) => text.trim()).filter((text) => text !== ""),
		dateFormats,
		invalidDates: map.invalidDates,
	};
	const mapped = [...map.columns].filter(([, columns]) => columns.length > 0).map(([name]) => name);
	const absent = [...new Set([...mapped, ...sources])].filter((name) => !names.includes(name));
	const unfilled = INPUT_COLUMNS.map(({ name }) => name as string).filter(
		(name) => !filledBy.has(name as ColumnName) && map.constants[name as ColumnName] === undefined,
	);
	const likely = new Map([...guesses(absent, oddities.unknown), ...guesses(oddities.unknown, unfilled)]);
	return { plan, oddities: { ...oddities, absent, likely } };
}

function guesses(names: readonly string[], candidates: readonly string[]): [string, string][] {
	return names.flatMap((name): [string, string][] => {
		const likely = likelyName(name, candidates);
		return likely === null ? [] : [[name, likely]];
	});
}

/** Header names whose cells the map splits, or combines with others. */
function sourceNames(map: SourceMap): ReadonlySet<string> {
	return new Set(
		[...map.split, ...map.combine].flatMap((rule) => ("names" in rule ? rule.names : rule.name)),
	);
}

/** The parts of a split that have a form of their own: by the columns that they fill or, if dropped, by their names. */
function addressParts(
	segments: SplitRule["segments"],
	into: SplitRule["into"],
	values: SourceMap["values"],
): AddressParts {
	const named = segments.flatMap(({ parts }) => parts);
	const dropped = (name: string) =>
		named.includes(name) && into.every(({ part }) => part !== name) ? name : null;
	const state = into.find(({ column }) => STATE_COLUMNS.includes(column));
	const postalCode = into.find(({ column }) => column === "member_postal_code");
	return {
		state: state?.part ?? dropped("STATE"),
		postalCode: postalCode?.part ?? dropped("ZIP"),
		replacedStates: state === undefined ? [] : Object.keys(values[state.column] ?? {}),
	};
}

/** The steps of a map on a file's fields. Fills columns with virtual fields. */
class StepPlan {
	readonly steps: CellStep[] = [];
	virtualFields = 0;
	/** By virtual field: the setting that fills it. */
	private readonly fillers = new Map<number, string>();

	constructor(
		private readonly names: readonly string[],
		private readonly map: SourceMap,
		private readonly filledBy: Map<ColumnName, number>,
		private readonly place: HeaderLocation,
	) {
		for (const rule of map.split) this.addSplit(rule);
		for (const rule of map.combine) this.addCombined(rule);
		for (const { name } of INPUT_COLUMNS) this.addChange(name);
	}

	private addField(): number {
		return this.names.length + this.virtualFields++;
	}

	private addSplit({ name, segments, into }: SplitRule): void {
		const field = this.names.indexOf(name);
		if (field < 0) return;
		const parts = into.map(({ part, column }) => {
			const target = this.addField();
			this.fill(column, target, `split of "${name}"`);
			return { part, field: target };
		});
		const address = addressParts(segments, into, this.map.values);
		this.steps.push({ kind: "split", field, column: into[0].column, segments, into: parts, address });
	}

	private addCombined({ column, names, separator }: CombineRule): void {
		const fields = names.map((name) => this.names.indexOf(name)).filter((field) => field >= 0);
		if (fields.length === 0) return;
		const into = this.addField();
		const setting = separator === null ? "coalesce" : "join";
		this.fill(column, into, `${setting} of ${names.map((name) => `"${name}"`).join(" and ")}`);
		this.steps.push(
			separator === null
				? { kind: "coalesce", fields, column, into }
				: { kind: "join", fields, column, into, separator },
		);
	}

	/** Changes of a column's texts are made on a copy: other columns may be filled from the same field. */
	private addChange(column: ColumnName): void {
		const { values, pad } = this.map;
		const texts = Object.entries(values[column] ?? {});
		const digits = pad[column] ?? 0;
		const trimFormula = this.map.trimFormula.includes(column);
		const trimDecimal = this.map.trimDecimal.includes(column);
		const field = this.filledBy.get(column);
		if (field === undefined) return;
		if (texts.length === 0 && digits === 0 && !trimFormula && !trimDecimal) return;
		const into = this.addField();
		this.filledBy.set(column, into);
		this.steps.push({
			kind: "change",
			field,
			column,
			into,
			trimFormula,
			trimDecimal,
			pad: digits,
			values: texts,
		});
	}

	private fill(column: ColumnName, field: number, what: string): void {
		const other = this.filledBy.get(column);
		if (other !== undefined) {
			const by = this.filler(other);
			throw new BuildError("duplicate_column", `both ${by} and the ${what} fill it`, {
				...this.place,
				column,
			});
		}
		this.filledBy.set(column, field);
		this.fillers.set(field, `the ${what}`);
	}

	/** What fills `field`: a name of the header, or a setting of the map. */
	filler(field: number): string {
		return this.fillers.get(field) ?? `"${this.names[field]}"`;
	}
}

function isBuilderMade(name: string): boolean {
	const column = findColumn(name);
	return column !== undefined && !INPUT_COLUMNS.includes(column);
}

/** Refuses a name that stands twice, unless the map skips it. */
function refuseRepeatedNames(names: readonly string[], map: SourceMap, place: HeaderLocation): void {
	const seen = new Map<string, number>();
	names.forEach((name, field) => {
		if (name === "" || map.columns.get(name)?.length === 0) return;
		const first = seen.get(name);
		if (first !== undefined) {
			const where = `columns ${first + 1} and ${field + 1}`;
			const list = 'or, to read one, list other names as "header"';
			const skip = place.line === null ? "" : ` and set "skipLines" to ${place.line}`;
			const hint = `map "${name}" to null to skip both, ${list}${skip}`;
			throw new BuildError("duplicate_column", `the header names it twice (${where}); ${hint}`, {
				...place,
				column: name,
			});
		}
		seen.set(name, field);
	});
}

function fill(
	filledBy: Map<ColumnName, number>,
	column: ColumnName,
	field: number,
	names: readonly string[],
	place: HeaderLocation,
): void {
	const other = filledBy.get(column);
	if (other !== undefined && other !== field) {
		const both = `"${names[other]}" and "${names[field]}"`;
		const hint =
			'map one of them to null in "columns" of a --map file, or list both as "coalesce" instead, for the first that is not empty';
		throw new BuildError("duplicate_column", `both ${both} fill it; ${hint}`, { ...place, column });
	}
	filledBy.set(column, field);
}

function constantsOf(
	map: SourceMap,
	filledBy: ReadonlyMap<ColumnName, number>,
	steps: StepPlan,
	names: readonly string[],
	place: HeaderLocation,
): SourcePlan["constants"] {
	return INPUT_COLUMNS.flatMap(({ name }) => {
		const value = map.constants[name];
		if (value === undefined) return [];
		const field = filledBy.get(name);
		if (field !== undefined) {
			const isHeader = field < names.length;
			const both = `the constant of ${map.path} and ${isHeader ? "the header's " : ""}${steps.filler(field)}`;
			const hint = isHeader
				? `map ${steps.filler(field)} to another column or to null`
				: "leave one of them out";
			throw new BuildError("duplicate_column", `both ${both} fill it; ${hint}`, { ...place, column: name });
		}
		return [{ column: name, value }];
	});
}
