/**
 * A drop as columns of texts, read by a parser of its own: what the truths of tasks are computed from, row by
 * row, without the engine. Memory: a few hundred bytes a row.
 */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { BUILT_IN_GROUPS, UNMAPPED_GROUP } from "../../formats/index.js";

/** Columns that truths read. */
const READ = [
	"country",
	"state",
	"member_full_name",
	"member_first_name",
	"member_last_name",
	"member_type",
	"member_city",
	"member_postal_code",
	"office_name",
	"member_state_license_number",
	"member_license_status",
	"member_license_issued",
	"member_license_expires",
	"matched_email",
] as const;

export type DropColumn = (typeof READ)[number];
export type DropRow = Readonly<Record<DropColumn, string>>;

/** Columns that rows are found by without reading all of them, the most selective first. */
const INDEXED: readonly DropColumn[] = [
	"member_state_license_number",
	"member_full_name",
	"office_name",
	"member_city",
	"state",
];

export class Drop {
	/** Groups of texts, which few of are different. */
	private readonly groups = new Map<string, string>();
	private readonly indexes = new Map<DropColumn, ReadonlyMap<string, number[]>>();

	private constructor(
		readonly month: string,
		readonly rows: number,
		private readonly columns: ReadonlyMap<string, readonly string[]>,
	) {}

	/** Reads a CSV file whose values have no line breaks. */
	static async read(path: string, month: string): Promise<Drop> {
		const interned = new Map<string, string>();
		const columns = new Map<string, string[]>(READ.map((name) => [name, []]));
		let places: number[] | null = null;
		let rows = 0;
		for await (const line of createInterface({ input: createReadStream(path, "utf8") })) {
			const cells = cellsOf(line);
			if (places === null) {
				places = READ.map((name) => cells.indexOf(name));
				continue;
			}
			READ.forEach((name, i) => {
				const text = (cells[(places as number[])[i]] ?? "").trim();
				const known = interned.get(text) ?? text;
				if (known === text && interned.size < 500_000) interned.set(text, text);
				columns.get(name)?.push(known);
			});
			rows++;
		}
		return new Drop(month, rows, columns);
	}

	value(row: number, column: DropColumn): string {
		return this.columns.get(column)?.[row] ?? "";
	}

	row(row: number): DropRow {
		return Object.fromEntries(READ.map((name) => [name, this.value(row, name)])) as DropRow;
	}

	/** The rows with these values; `test` looks at the rest. */
	where(values: Partial<DropRow>, test: (row: number) => boolean = () => true): number[] {
		const wanted = Object.entries(values).map(([name, value]) => ({
			cells: this.columns.get(name) ?? [],
			value,
		}));
		const matches = (row: number) => wanted.every(({ cells, value }) => cells[row] === value) && test(row);
		const indexed = INDEXED.find((name) => values[name] !== undefined);
		if (indexed !== undefined)
			return (this.indexOf(indexed).get(values[indexed] as string) ?? []).filter(matches);
		const found: number[] = [];
		for (let row = 0; row < this.rows; row++) if (matches(row)) found.push(row);
		return found;
	}

	/** Rows by value of a column, ascending; made once, at O(rows). */
	private indexOf(column: DropColumn): ReadonlyMap<string, number[]> {
		const known = this.indexes.get(column);
		if (known !== undefined) return known;
		const index = new Map<string, number[]>();
		for (const [row, value] of (this.columns.get(column) ?? []).entries()) {
			const rows = index.get(value);
			if (rows === undefined) index.set(value, [row]);
			else rows.push(row);
		}
		this.indexes.set(column, index);
		return index;
	}

	/** Rows by the value that `of` gives; rows for which it is "" are left out. */
	count(rows: readonly number[], of: (row: number) => string): Record<string, number> {
		const counts = new Map<string, number>();
		for (const row of rows) {
			const value = of(row);
			if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
		}
		return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	isActive(row: number): boolean {
		return this.statusGroup(row) === "active";
	}

	statusGroup(row: number): string {
		return this.group("license_status_group", row, "member_license_status");
	}

	typeGroup(row: number): string {
		return this.group("member_type_group", row, "member_type");
	}

	private group(
		groups: "license_status_group" | "member_type_group",
		row: number,
		column: DropColumn,
	): string {
		const text = this.value(row, column);
		if (text === "") return "";
		const state = this.value(row, "state");
		const name = `${groups} ${state} ${text}`;
		let group = this.groups.get(name);
		if (group === undefined) {
			group = BUILT_IN_GROUPS.find(groups, state, text) ?? UNMAPPED_GROUP;
			this.groups.set(name, group);
		}
		return group;
	}
}

/** The cells of a CSV line. */
function cellsOf(line: string): string[] {
	if (!line.includes('"')) return line.split(",");
	return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
		([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
	);
}
