/**
 * The table of the sections in a column's files. The writer writes them, the reader relies on them, and
 * verification requires them.
 *
 * Clustering: rows are stored in the order of country, state, folded last name, folded first name and license
 * number. So each state is one run of rows, within which {@link CLUSTERED_WITHIN_STATE} columns ascend.
 */

import { COLUMNS, type Column, type ColumnName } from "./domain/columns.js";
import { columnsFilteredBy } from "./domain/filters.js";
import { codeWidth } from "./encode/codes.js";
import { CUMULATIVE_ROWS_MIN, HASH_INDEX_VALUES_MIN, type SectionName } from "./layout.js";

/** Columns whose ranks ascend within every state run, so that a permutation by state would be the identity. */
const CLUSTERED_WITHIN_STATE: ReadonlySet<ColumnName> = new Set(["state", "member_last_name"]);

/** Columns constant within a state run; the catalog's runs answer their filters without an index. */
const CONSTANT_WITHIN_STATE: ReadonlySet<ColumnName> = new Set(["country", "state"]);

/**
 * Columns whose rows are listed by value, because they are filtered by exact value or suggested: in posting lists
 * or, for a sortable column whose codes equal its ranks such as `state`, in the permutation.
 */
export const LISTED_BY_VALUE: ReadonlySet<ColumnName> = new Set([
	...columnsFilteredBy("exact", "group", "state"),
	...COLUMNS.flatMap(({ name, suggest }) => (suggest === null ? [] : [name])),
]);
/** Columns with a filter that looks up single values. */
const LOOKED_UP = columnsFilteredBy("exact");
const RANGE_FILTERED = columnsFilteredBy("from", "to");
const PREFIX_FILTERED = columnsFilteredBy("prefix");

/** Columns whose frequent values are counted in every sort order: they have few values, and nearly every list is filtered by one of them. */
export const COUNTED_IN_ORDER: readonly ColumnName[] = [
	"member_type",
	"member_license_status",
	"license_status_group",
	"member_type_group",
];

/** The column whose words the file `names.idx` indexes. */
export const NAME_COLUMN: ColumnName = "member_full_name";

/** The columns whose distinct values the file `words.idx` indexes by word: those that people misspell. */
export const WORD_COLUMNS: readonly ColumnName[] = [
	"member_first_name",
	"member_last_name",
	"member_city",
	"office_name",
];

/** Those of {@link WORD_COLUMNS} whose spellings are stored, and counted by their posting lists. */
export const SPELLED_COLUMNS: readonly ColumnName[] = ["member_last_name", "member_city", "office_name"];

/** The column whose spellings the file `numbers.idx` indexes, and of which nearly each value is that of one row. */
export const NUMBER_COLUMN: ColumnName = "member_state_license_number";

/** Properties of a column's contents that determine its sections. */
export interface ColumnFacts {
	/** Rows of the snapshot. */
	readonly rows: number;
	readonly distinct: number;
	/** Distinct folds, at most `distinct`. */
	readonly folds: number;
}

/** Whether two values of the column have the same fold, so that ranks differ from codes. */
function hasFoldRanks({ distinct, folds }: ColumnFacts): boolean {
	return folds < distinct;
}

/** Whether the column has posting lists. If codes equal ranks, the permutation lists the rows of each code. */
function hasPostings(column: Column, facts: ColumnFacts): boolean {
	return LISTED_BY_VALUE.has(column.name) && (!column.sortable || hasFoldRanks(facts));
}

function hasBitmaps({ name, sortable }: Column): boolean {
	if (CONSTANT_WITHIN_STATE.has(name)) return false;
	return sortable || LISTED_BY_VALUE.has(name) || RANGE_FILTERED.has(name);
}

/** Whether order buckets are stored. One-byte codes that equal ranks serve as buckets. */
function hasOrderBuckets(column: Column, facts: ColumnFacts): boolean {
	return column.sortable && (hasFoldRanks(facts) || codeWidth(facts.distinct) > 1);
}

function hasCumulativeBitmaps({ name, sortable }: Column, { rows }: ColumnFacts): boolean {
	if (CONSTANT_WITHIN_STATE.has(name) || rows < CUMULATIVE_ROWS_MIN) return false;
	return sortable || PREFIX_FILTERED.has(name);
}

/** Whether rows of {@link COUNTED_IN_ORDER} are counted in the column's order. */
function hasOrderCounts(column: Column, facts: ColumnFacts): boolean {
	return column.sortable && hasCumulativeBitmaps(column, facts);
}

/** Sections of a column's `.col` file, in file order. */
export function valueSections(column: Column, facts: ColumnFacts): readonly SectionName[] {
	if (column.kind === "string") return ["textOffsets", "textHeap"];
	const values = ["codes", "dictionaryOffsets", "dictionaryHeap"] as const;
	return hasFoldRanks(facts) ? [...values, "foldRanks"] : values;
}

/**
 * Sections of a column's `.idx` file, in file order; empty if the column has no such file. Only `hashIndex`,
 * with `hashRows`, may be absent nevertheless, if its values do not fit.
 */
export function indexSections(column: Column, facts: ColumnFacts): readonly SectionName[] {
	if (column.kind === "string") return [];
	const sections: SectionName[] = [];
	if (column.sortable) sections.push("permutation", "permutationOffsets");
	if (hasOrderBuckets(column, facts)) sections.push("orderBuckets", "orderBucketRanks");
	if (column.sortable && !CLUSTERED_WITHIN_STATE.has(column.name)) sections.push("statePermutation");
	if (hasOrderCounts(column, facts)) sections.push("orderCountValues", "orderCounts");
	if (hasPostings(column, facts)) sections.push("postingOffsets", "postings");
	if (hasCumulativeBitmaps(column, facts)) sections.push("cumulativeBounds", "cumulativeBitmaps");
	if (hasBitmaps(column)) sections.push("bitmapCodes", "bitmaps");
	if (LOOKED_UP.has(column.name) && facts.distinct >= HASH_INDEX_VALUES_MIN) {
		sections.push("hashIndex");
		if (column.name === NUMBER_COLUMN) sections.push("hashRows");
	}
	if (column.suggest !== null)
		sections.push("stateValueOffsets", "stateValueCodes", "stateValueRows", "stateValueHeads");
	return sections;
}

/**
 * Sections of the files `names.idx`, `words.idx` and `numbers.idx`, in file order, for {@link NAME_COLUMN},
 * {@link WORD_COLUMNS} and {@link NUMBER_COLUMN}; other columns have none.
 */
export function nameSections({ name }: Column): readonly SectionName[] {
	if (name === NUMBER_COLUMN) return ["numberBuckets", "numberCodes"];
	if (name !== NAME_COLUMN && !WORD_COLUMNS.includes(name)) return [];
	const spellings = ["spelledCodes", "spelledGroups", "spellingOffsets", "spellings"] as const;
	return [
		"nameWordOffsets",
		"nameWordHeap",
		"nameWordsByLength",
		"nameLengthStarts",
		"nameLetterSets",
		"namePostingOffsets",
		"namePostings",
		"nameValueOffsets",
		"nameValueWords",
		"nameWordCounts",
		...(SPELLED_COLUMNS.includes(name) ? spellings : []),
	];
}
