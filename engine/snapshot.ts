/**
 * One open snapshot and every question it answers. A query runs in steps: plan, select, order, render.
 *
 * Invariants: a snapshot never changes; methods are synchronous and not reentrant, since they share
 * scratch memory; an id or row that does not exist is a result, not an error.
 */

import {
	type ColumnName,
	columnNamed,
	coversState,
	findJurisdiction,
	hex,
	monthNumber,
	NAME_COLUMN,
	type RowStore,
	type SnapshotFiles,
	type StateRun,
	splitRowId,
} from "../formats/index.js";
import { GroupQueries } from "./aggregate/group-queries.js";
import { prepareGrants } from "./columns/prepare-grants.js";
import { isSelected, joinRuns, selectStates } from "./columns/runs.js";
import { SnapshotColumns } from "./columns/snapshot-columns.js";
import type { SparseState } from "./columns/sparse-states.js";
import { ValueRows } from "./columns/value-rows.js";
import { analyzeQuery } from "./explain-analyze.js";
import { LicenseNumbers } from "./license-check/license-numbers.js";
import {
	type AskedLicense,
	type LicenseGrant,
	type LicenseVerification,
	verifyLicense,
} from "./license-check/verify-license.js";
import { askedName } from "./names/asked-name.js";
import { type MatchSummary, summariseMatches } from "./names/match-summary.js";
import { hasName } from "./names/name-search.js";
import { Spellings } from "./names/other-spellings.js";
import { looseValues } from "./names/value-search.js";
import { Pages } from "./pages.js";
import type { PlanningContext } from "./plan/context.js";
import type { Analysis } from "./plan/explain.js";
import { countingQuery, queryOf } from "./plan/filter-queries.js";
import type { Plan } from "./plan/plan.js";
import { planQuery } from "./plan/plan-query.js";
import type { Filters, Geography, Page, Projection, Query, RowFormat } from "./query.js";
import { cellValue } from "./render/cells.js";
import type { RowGzip } from "./render/gzip/row-gzip.js";
import type { LabelledValues } from "./render/labelled-values.js";
import { type BlockWriter, RowRenderer, type RowWriter } from "./render/rows.js";
import type { ByteSink } from "./render/sink.js";
import type { Scratch, Work } from "./scratch.js";
import { selectPage } from "./select/select-page.js";
import type { RowBitmap } from "./select/selection.js";
import { selectBitmap } from "./select/selection-bitmap.js";
import { Statistics, type Stats } from "./statistics.js";
import { Suggestions } from "./suggestions.js";

export class Snapshot {
	/** `YYYY-MM`. */
	readonly month: string;
	readonly rows: number;
	/** Identifies the snapshot's contents: snapshots with the same digest hold the same rows. */
	readonly digest: string;
	/** States in canonical order, each one run of rows. */
	readonly states: readonly StateRun[];
	/** Whether rows are rendered from a row store. */
	readonly hasRowStore: boolean;
	/** What groups rows, at once or in slices. */
	readonly groups: GroupQueries;
	/** Completes prefixes. */
	readonly suggestions: Suggestions;
	readonly spellings: Spellings;
	private readonly pages: Pages;
	private readonly columns: SnapshotColumns;
	private readonly context: PlanningContext;
	private readonly renderer: RowRenderer;
	private readonly licenses: LicenseNumbers;
	private readonly statistics: Statistics;

	constructor(
		private readonly files: SnapshotFiles,
		private readonly scratch: Scratch,
		private readonly rowGzip: RowGzip,
	) {
		const { catalog } = files;
		this.month = catalog.month;
		this.rows = catalog.rows;
		this.digest = hex(files.crc);
		this.states = catalog.states;
		this.columns = new SnapshotColumns(files);
		this.statistics = new Statistics(catalog.states, this.columns);
		this.spellings = new Spellings(this.columns);
		this.suggestions = new Suggestions(this.columns, scratch.work);
		this.licenses = new LicenseNumbers(this.columns, scratch.work);
		const states = this.columns.states.withRows();
		this.context = { rows: catalog.rows, states, runs: joinRuns(states.runs), columns: this.columns };
		this.groups = new GroupQueries(this.context, this.states, scratch);
		const rowStore = files.openRowStore();
		this.hasRowStore = rowStore !== null;
		this.renderer = new RowRenderer(this.columns, catalog.month, rowStore);
		this.pages = new Pages(this.month, files, rowStore, this.context, scratch);
		scratch.fit(catalog.rows);
	}

	/**
	 * The page that answers `query`, or as many rows from `offset` on. `page.rows` is a view that the next
	 * query overwrites.
	 */
	query(query: Query, offset = (query.page - 1) * query.limit): Page {
		return this.pages.from(query, offset);
	}

	/**
	 * The `query.limit` rows that follow row `after`, the last of `passed`, in the order of `query`, whatever its
	 * page; null: the first. In `memory` if they and one more fit, else not a view. Cost independent of the place.
	 */
	queryAfter(query: Query, after: number | null, passed: number, memory?: Uint32Array): Page {
		return this.pages.after(query, after, passed, memory);
	}

	/** How each word of the query's filter `name` matched in the rows of its page; null where it has none. */
	nameMatches({ query, rows }: Page): MatchSummary | null {
		const { name } = query.filters;
		if (name === undefined) return null;
		const column = columnNamed(NAME_COLUMN);
		const codes = this.columns.codes.get(column);
		const names = this.columns.dictionary.get(column);
		const found = Array.from(rows, (row) => codes[row]);
		return summariseMatches(askedName(name), found, names);
	}

	/** How many rows filters and a grant leave. Cost that of selecting them. */
	count(filters: Filters, geography: Geography | null): number {
		const plan = planQuery(countingQuery(filters, geography), this.context);
		return selectPage(plan, this.columns, this.scratch).count;
	}

	/** Whether a row of the states and country of `filters` and a grant has a name like `text`; see {@link hasName}. */
	hasName(text: string, filters: Filters, geography: Geography | null): boolean {
		const runs = joinRuns(selectStates(this.columns.states, filters, geography));
		return hasName(text, runs, geography, this.columns, this.scratch);
	}

	/** The rows that filters and a grant leave; a view that the next query overwrites. */
	select(filters: Filters, geography: Geography | null): RowBitmap {
		const plan = planQuery(queryOf(filters, geography), this.context);
		return selectBitmap(plan, this.columns, this.scratch);
	}

	/** The values of a column with few distinct ones, by row. Cost O(distinct values). */
	values(column: ColumnName): (row: number) => string | null {
		const codes = this.columns.codes.get(columnNamed(column));
		const names = this.columns.dictionary.get(columnNamed(column));
		const texts = Array.from({ length: names.distinct }, (_, code) => names.value(code));
		return (row) => texts[codes[row]] ?? null;
	}

	/** Whether the words of offices, cities and names are indexed as values. */
	get indexesWords(): boolean {
		return this.columns.nameIndex.get(columnNamed("office_name")) !== null;
	}

	/**
	 * Precomputes what speeds up the first queries of their kind: states with few values of columns, counts of status with type,
	 * what aggregates and offices of states need, unless without `groups`, and geography grants. Cost O(rows × columns), a step O(rows).
	 */
	*precompute({ groups = true } = {}): Generator<void, void> {
		yield* this.columns.sparseStates.prepare();
		yield* this.columns.pairCounts.prepare(this.columns);
		if (groups) yield* this.groups.prepare();
		yield* prepareGrants(this.columns);
	}

	/** What queries of this library's snapshots have read since `work.reset()`. */
	get work(): Work {
		return this.scratch.work;
	}

	/** The plan of `query`, without executing it. */
	explain(query: Query): Plan {
		return planQuery(query, this.context);
	}

	/** Answers `query` and reports how: each step with its estimates and what it read. Cost that of {@link query}. */
	analyze(query: Query): Analysis {
		return analyzeQuery(query, this.context, this.scratch);
	}

	/** The row with the id, or -1 if this snapshot has none. Cost O(1). */
	rowOfId(id: number): number {
		const { monthNumber: month, row } = splitRowId(id);
		return month === monthNumber(this.month) && row >= 0 && row < this.rows ? row : -1;
	}

	/** Whether the grant reads the row. Cost O(states). */
	allows(row: number, geography: Geography | null): boolean {
		if (geography === null) return true;
		const state = this.states.find((s) => row >= s.first && row < s.first + s.rows);
		return state !== undefined && coversState(geography, state.state, state.country);
	}

	/** The value of a column in a row, as in JSON. Cost O(value). */
	value(row: number, column: ColumnName): string | number | null {
		const [cell] = this.renderer.openCells({ columns: [column], masked: false });
		return cellValue(cell, row);
	}

	/** The row as plain data. */
	record(row: number, projection: Projection): Record<string, string | number | null> {
		const cells = this.renderer.openCells(projection);
		return Object.fromEntries(projection.columns.map((name, i) => [name, cellValue(cells[i], row)]));
	}

	/**
	 * The rows of a license in a state that `geography` reads, ascending; several if the licensing body lists
	 * it more than once. Cost O(log rows).
	 */
	findLicense(state: string, licenseNumber: string, geography: Geography | null = null): Uint32Array {
		return this.licenses.find(state, licenseNumber, geography);
	}

	/** Verifies one license within a grant. Cost O(log rows). Throws `EngineError` `no_number_index`. */
	verifyLicense(asked: AskedLicense, { geography, reads }: LicenseGrant): LicenseVerification {
		return verifyLicense(asked, {
			rowsOf: (state, number) => this.licenses.find(state, number, geography),
			similarTo: (state, number) => this.licenses.similarNumbers(state, number, geography),
			reads: (state) => coversState(geography, state, findJurisdiction(state)?.country ?? ""),
			value: (row, column) => {
				if (!reads(column)) return null;
				const code = this.columns.codes.get(columnNamed(column))[row];
				return this.columns.dictionary.get(columnNamed(column)).value(code);
			},
		});
	}

	/**
	 * Up to `limit` values of one of `WORD_COLUMNS` that match `text` as names do, best match first, then most rows, among the
	 * rows of the states and country of `filters` and a grant. Cost O(words + rows); empty for months without an index of words.
	 */
	looseValues(
		column: ColumnName,
		text: string,
		filters: Filters,
		geography: Geography | null,
		limit: number,
	): string[] {
		const runs = joinRuns(selectStates(this.columns.states, filters, geography));
		return looseValues(columnNamed(column), text, runs, geography, limit, this.columns, this.scratch);
	}

	/** License numbers that are other spellings of one, as {@link looseValues}; empty for months without an index of spellings. */
	similarNumbers(licenseNumber: string, filters: Filters, geography: Geography | null): string[] {
		if (!this.licenses.isIndexed) return [];
		const states = selectStates(this.columns.states, filters, geography);
		const found = this.licenses.similarWithin(licenseNumber, joinRuns(states), geography);
		return found.map(({ number }) => number);
	}

	/** Counts of a column with postings by value, among the rows of the states and country of `filters` and a grant. */
	valueRows(column: ColumnName, filters: Filters, geography: Geography | null): ValueRows {
		const runs = joinRuns(selectStates(this.columns.states, filters, geography));
		return new ValueRows(columnNamed(column), runs, this.columns);
	}

	/** The states of `filters` and a grant with rows, none of which has a value of a column. Cost O(states that have none at all). */
	statesWithout(column: ColumnName, filters: Filters, geography: Geography | null): readonly StateRun[] {
		const valueless = this.columns.stateSets.valueless(columnNamed(column));
		if (valueless.length === 0) return valueless;
		return valueless.filter((state) => isSelected(state, filters, geography));
	}

	/** Those of which most rows, but not all, have none. Cost O(rows) once, one to three milliseconds of 2.5 million. */
	sparseStates(column: ColumnName, filters: Filters, geography: Geography | null): readonly SparseState[] {
		const sparse = this.columns.sparseStates.get(columnNamed(column));
		return sparse.length === 0 ? sparse : sparse.filter(({ run }) => isSelected(run, filters, geography));
	}

	/** Statistics of the rows that the grant reads. */
	stats(geography: Geography | null): Stats {
		return this.statistics.of(geography);
	}

	/** Appends {@link stats} as JSON. */
	renderStats(geography: Geography | null, sink: ByteSink): void {
		this.statistics.write(geography, sink);
	}

	/** Appends rows in `format`: JSON objects with commas between, or whole NDJSON or CSV lines. */
	renderRows(
		rows: Uint32Array,
		projection: Projection,
		format: RowFormat,
		sink: ByteSink,
		withHeader = true,
	): void {
		this.renderer.rows(rows, projection, format, sink, withHeader);
	}

	/** A function that appends rows one at a time, for callers that embed them in something else. */
	rowWriter(projection: Projection): RowWriter {
		return this.renderer.rowWriter(projection);
	}

	/** Writes blocks of rows: objects, arrays of values, or the cells of CSV lines. */
	blockWriter(projection: Projection, format: RowFormat | "array"): BlockWriter {
		return this.renderer.blockWriter(projection, format);
	}

	/** Copies stored rows, or rows in `store`; null without any, and for a projection that is not of whole, unmasked rows. */
	rowSource(projection: Projection, store?: RowStore) {
		return this.renderer.rowSource(projection, store);
	}

	/** Writes single values of columns as JSON, each after its label, any text. */
	labelledValues(labels: readonly (readonly [column: ColumnName, label: string])[]): LabelledValues {
		return this.renderer.labelledValues(labels);
	}

	/** The parts of this snapshot that comparing months reads. */
	get comparable() {
		return { rows: this.rows, columns: this.columns, files: this.files };
	}

	/** Appends the JSON envelope of a page (docs/API.md §7.8.5); `moreMeta` as in {@link RowRenderer.list}. */
	renderList(page: Page, projection: Projection, sink: ByteSink, moreMeta = ""): void {
		this.renderer.list(page, projection, moreMeta, sink);
	}

	/**
	 * A rendered list or rows in `format` as gzip, far faster than zlib does it. `body`: at most
	 * `GZIP_BODY_BYTES_MAX`. Returns a view that the next call on this library overwrites. Cost
	 * O(bytes); some milliseconds more when a format is compressed for the first time.
	 */
	gzip(body: Uint8Array, format: RowFormat): Uint8Array {
		return this.rowGzip.compress(body, format);
	}

	/** Reads every byte and compares every checksum. Throws FormatError. Cost O(bytes). */
	verify(): void {
		this.files.verify();
	}
}
