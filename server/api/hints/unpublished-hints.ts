/**
 * Hints for what is made from the values of a column, such as groups, suggestions and vocabularies: the states that do not publish
 * the column, whose rows are left out of it or in a group without a value.
 */

import type { Filters } from "../../../engine/index.js";
import type { ColumnName } from "../../../formats/index.js";
import { type Hint, type HintSource, mayMention, ofMonth } from "./hint.js";
import { publishedColumn } from "./value-notes.js";
import { rowsText, statesText } from "./wording.js";

/** To which parameter the hint belongs, and what becomes of rows without a value: continues `no row of TX has an office_name:`. */
interface Use {
	readonly param: string;
	readonly value: string;
	readonly effect: (rows: string) => string;
	/** Of rows without a value, those that match these filters: continues the message; "": nothing. */
	readonly remedy?: (filters: Filters) => string;
}

/**
 * The states asked for of which no row has a value in `column`, and those of which most have none, with how many rows without one
 * match there. None where no such row matches, or these rows are asked for. Cost O(states named), of
 * `Snapshot.sparseStates`, and where there are such states of a count.
 */
export function unpublishedHints(column: ColumnName, filters: Filters, source: HintSource, use: Use): Hint[] {
	const { snapshot, geography } = source;
	if (!mayMention(source, "state") || asksForNone(column, filters)) return [];
	const { none, few } = statesLacking(column, filters, source);
	if (none.length === 0 && few.length === 0) return [];
	const missing = [...(filters.missing ?? []), column];
	const without = { ...filters, state: [...none, ...few], missing };
	const rows = snapshot.count(without, geography);
	if (rows === 0) return [];
	const effect = `${use.effect(`${rowsText(rows)} there`)}${use.remedy?.(without) ?? ""}`;
	const message = `${statesWithout(none, few, column)}: ${effect}`;
	return [{ param: use.param, value: use.value, message, nearest: [] }];
}

/** The states asked for of which no row has a value in `column`, and those of which most have none. */
function statesLacking(column: ColumnName, filters: Filters, { snapshot, geography }: HintSource) {
	return {
		none: snapshot.statesWithout(column, filters, geography).map(({ state }) => state),
		few: snapshot.sparseStates(column, filters, geography).map(({ run }) => run.state),
	};
}

/**
 * What `hintsOf` tells of the states without values in `column`. Of two months in which these are other states, what it tells
 * of each, after the month: a state that publishes the column in one month alone would pass for growth or decline.
 */
export function ofBothMonths(
	column: ColumnName,
	filters: Filters,
	source: HintSource,
	older: HintSource | undefined,
	hintsOf: (source: HintSource) => readonly Hint[],
): readonly Hint[] {
	if (older === undefined) return hintsOf(source);
	const [now, before] = [source, older].map((each) => JSON.stringify(statesLacking(column, filters, each)));
	if (now === before) return hintsOf(source);
	return [source, older].flatMap((each) => ofMonth(hintsOf(each), each.snapshot.month));
}

/** Whether a filter asks for rows without a value. */
function asksForNone(column: ColumnName, { missing = [] }: Filters): boolean {
	return missing.includes(column) || missing.includes(publishedColumn(column));
}

function statesWithout(none: readonly string[], few: readonly string[], column: ColumnName): string {
	if (none.length === 0) return `most rows of ${statesText(few)} have no ${column}`;
	const all = `no row of ${statesText(none)} has a value in ${column}`;
	return few.length === 0 ? all : `${all}, and most rows of ${statesText(few)} have none`;
}
