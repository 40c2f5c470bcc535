/**
 * Compiles a month: from parsed columns to the files of a snapshot.
 *
 * Steps: merge every column's dictionaries ▸ compute the canonical order ▸ write every column and its indexes ▸
 * write statistics and catalog. Columns are processed in parallel.
 *
 * Invariant: the output depends only on the rows' values and order.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	BUILT_IN_GROUPS,
	CATALOG_FILE,
	type Catalog,
	type ColumnName,
	countedValues,
	DICTIONARY_COLUMNS,
	encodeCatalog,
	encodeStats,
	FILE_TYPE,
	GROUP_COLUMNS,
	type GroupTable,
	MAX_ROWS,
	monthNumber,
	SECTION,
	STORED_COLUMNS,
	type StateRun,
	TEXT_COLUMNS,
	WORD_COLUMNS,
	type WrittenFile,
} from "../../formats/index.js";
import type { ParsedMonth } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";
import { countAgents } from "./agent-count.js";
import { type CanonicalOrder, canonicalOrder } from "./canonical-order.js";
import { deriveGroups } from "./derive-groups.js";
import type { MergedColumn } from "./merge-column.js";
import { monthStats } from "./month-stats.js";
import { createRowStoreFolder, finishRowStore, segmentCount } from "./row-store.js";
import type { RunCompileTask } from "./tasks.js";
import { type FileTarget, type WriteTarget, type WrittenColumn, writeFile } from "./write-column.js";
import type { WrittenText } from "./write-text.js";

export interface CompileOptions {
	/** `YYYY-MM`. */
	readonly month: string;
	/** Empty folder to write the snapshot to. */
	readonly folder: string;
	/** Groups of statuses and types. Default: the built-in table. */
	readonly groups?: GroupTable;
	/** States whose rows were carried over from a published month with their `agent_count`. Default none. */
	readonly carriedStates?: readonly string[];
	readonly run: RunCompileTask;
	/** Called when a stage begins. */
	readonly onStage?: (stage: CompileStage) => void;
	/** Called once codes and dictionaries of the parsed month are not needed any longer. */
	readonly onMerged?: () => void;
}

/** Stages of compiling, in order. */
export type CompileStage = "merge" | "order" | "write";

/** A compiled month. */
export interface CompiledMonth {
	readonly catalog: Catalog;
	/** The CSV row at each position. */
	readonly order: Uint32Array;
}

type Written = ReadonlyMap<ColumnName, WrittenColumn | WrittenText>;

/** Columns whose dictionaries take longest to sort; started first. */
const SLOWEST_FIRST: readonly ColumnName[] = [
	"member_full_name",
	"member_state_license_number",
	"office_name",
];

/**
 * Compiles `parsed` into `options.folder`, which the caller syncs. Throws {@link BuildError} and FormatError, after
 * which the caller removes the folder.
 */
export async function compileMonth(parsed: ParsedMonth, options: CompileOptions): Promise<CompiledMonth> {
	if (parsed.rows > MAX_ROWS) {
		throw new BuildError("limit_exceeded", `${parsed.rows} rows in a month, at most ${MAX_ROWS}`);
	}
	options.onStage?.("merge");
	const merged = await mergeColumns(parsed, options.run);
	options.onMerged?.();
	options.onStage?.("order");
	const file = { folder: options.folder, month: monthNumber(options.month), rows: parsed.rows };
	const unordered = writeUnordered(merged, file, options.run);
	const { order, states } = orderRows(merged);
	if (!parsed.columns.includes("agent_count")) {
		const carried = { column: need(merged, "agent_count"), states: options.carriedStates ?? [] };
		merged.set("agent_count", countAgents(need(merged, "office_name"), order, states, carried));
	}
	for (const group of GROUP_COLUMNS) {
		const source = need(merged, group.source);
		const table = options.groups ?? BUILT_IN_GROUPS;
		merged.set(group.column, deriveGroups(group, source, need(merged, "state"), table));
	}
	options.onStage?.("write");
	const target = { ...file, states };
	const [names, written, [words, numbers]] = await Promise.all([
		options.run("write-names", { fullName: need(merged, "member_full_name"), order, target }),
		writeColumns(parsed, merged, order, target, options.run),
		unordered,
	]);
	const stats = writeStats(options.month, target, written, need(merged, "member_license_expires"));
	const catalog = writeCatalog(options.month, target, written, [names, words, numbers, stats]);
	return { catalog, order };
}

/**
 * Adds a row store to the snapshot in `folder`, which has none. `written` is awaited between writing the rows and
 * the catalog that makes them visible: in a published month, it must sync the rows.
 */
export async function writeRowStore(
	folder: string,
	rows: number,
	run: RunCompileTask,
	written: () => Promise<void> = async () => undefined,
): Promise<void> {
	const target = createRowStoreFolder(folder);
	const segments = await Promise.all(
		Array.from({ length: segmentCount(rows) }, (_, segment) =>
			run("write-rows", { folder, target, segment }),
		),
	);
	await written();
	finishRowStore(folder, target, segments);
}

async function mergeColumns(
	parsed: ParsedMonth,
	run: RunCompileTask,
): Promise<Map<ColumnName, MergedColumn>> {
	const names = DICTIONARY_COLUMNS.filter((column) => !column.derived).map((column) => column.name);
	const ordered = [...SLOWEST_FIRST, ...names.filter((name) => !SLOWEST_FIRST.includes(name))];
	const merged = await Promise.all(
		ordered.map((column) =>
			run("merge-column", {
				column,
				rows: parsed.rows,
				dictionaries: parsed.dictionaries.map((d) => d.get(column) ?? null),
				parts: parsed.parts.map(({ worker, rows, codes }) => ({
					worker,
					rows,
					codes: codes.get(column) ?? null,
				})),
			}),
		),
	);
	return new Map(merged.map((column) => [column.column, column]));
}

/** Writes the indexes that do not depend on the order of rows, which this thread computes meanwhile. */
function writeUnordered(
	merged: ReadonlyMap<ColumnName, MergedColumn>,
	target: FileTarget,
	run: RunCompileTask,
): Promise<WrittenFile[]> {
	const written = Promise.all([
		run("write-numbers", { numbers: need(merged, "member_state_license_number"), target }),
		run("write-words", { columns: WORD_COLUMNS.map((name) => need(merged, name)), target }),
	]).then(([numbers, words]) => [words, numbers]);
	// Awaited by the caller, unless the order cannot be computed.
	written.catch(() => undefined);
	return written;
}

function need(merged: ReadonlyMap<ColumnName, MergedColumn>, name: ColumnName): MergedColumn {
	return merged.get(name) as MergedColumn;
}

function orderRows(merged: ReadonlyMap<ColumnName, MergedColumn>): CanonicalOrder {
	return canonicalOrder({
		country: need(merged, "country"),
		state: need(merged, "state"),
		lastName: need(merged, "member_last_name"),
		firstName: need(merged, "member_first_name"),
		licenseNumber: need(merged, "member_state_license_number"),
	});
}

async function writeColumns(
	parsed: ParsedMonth,
	merged: ReadonlyMap<ColumnName, MergedColumn>,
	order: Uint32Array,
	target: WriteTarget,
	run: RunCompileTask,
): Promise<Written> {
	const texts = TEXT_COLUMNS.map(({ name }) => {
		const parts = parsed.parts.map(({ rows, text }) => ({ rows, text: text.get(name) ?? null }));
		return run("write-text", { text: { column: name, parts }, order, target });
	});
	// Found in this thread, while others write texts.
	const counted = countedValues(({ name }) => need(merged, name as ColumnName), target.rows, order);
	const dictionaries = [...merged.values()].map((column) =>
		run("write-column", { merged: column, order, target: { ...target, counted } }),
	);
	const written = await Promise.all([...texts, ...dictionaries]);
	return new Map(written.map((column) => [column.column.name as ColumnName, column]));
}

function writeStats(
	month: string,
	target: WriteTarget,
	written: Written,
	expires: MergedColumn,
): WrittenFile {
	const stats = encodeStats(monthStats(month, target.states, written, expires));
	return writeFile(join(target.folder, "stats.msgpack"), FILE_TYPE.stats, target, (writer) => {
		writer.write(SECTION.stats, 0, stats);
	});
}

/** Writes the catalog, last, since a folder without one is not a snapshot. */
function writeCatalog(
	month: string,
	target: WriteTarget,
	written: Written,
	others: readonly WrittenFile[],
): Catalog {
	const columns = STORED_COLUMNS.map(({ name }) => written.get(name) as WrittenColumn);
	const files = [...columns.flatMap((column) => column.files), ...others];
	const catalog: Catalog = {
		month,
		rows: target.rows,
		columns: columns.map((column) => column.column),
		files: files.map((written) => written.file),
		sections: files.flatMap((written, file) => written.sections.map((section) => ({ ...section, file }))),
		states: target.states as readonly StateRun[],
		parentCrc: 0,
	};
	const path = join(target.folder, CATALOG_FILE);
	writeFileSync(path, encodeCatalog(catalog), { flag: "wx" });
	return catalog;
}
