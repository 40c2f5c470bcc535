/**
 * Members of `meta` that say what bounds an answer (docs/API.md §11.10): the day it describes, the grant
 * that narrowed it, and the columns that are masked. A bound that does not apply is left out.
 */

import type { Geography, Projection } from "../../../engine/index.js";
import { type ColumnName, columnNamed, lastDayOfMonth } from "../../../formats/index.js";
import type { Grant } from "./grant.js";

export interface GrantBounds {
	readonly scope?: {
		readonly geography?: Geography;
		readonly columns?: readonly ColumnName[];
	};
	readonly masked?: readonly ColumnName[];
}

/** Which columns an answer shows. */
interface ShownColumns {
	/** Whether the column grant left anything out, as in default rows. */
	readonly narrowed: boolean;
	/** Columns whose values are shown. */
	readonly columns: readonly ColumnName[];
}

const NO_COLUMNS: ShownColumns = { narrowed: false, columns: [] };

/** What `grant` does to an answer that shows `shown`. */
export function grantBounds(grant: Grant, shown: ShownColumns = NO_COLUMNS): GrantBounds {
	const { geography, hasAllColumns, projection } = grant;
	const columns = shown.narrowed && !hasAllColumns ? projection.columns : null;
	const masked = projection.masked ? shown.columns.filter((name) => columnNamed(name).contact) : [];
	const scope = {
		...(geography === null ? {} : { geography }),
		...(columns === null ? {} : { columns }),
	};
	return {
		...(Object.keys(scope).length === 0 ? {} : { scope }),
		...(masked.length === 0 ? {} : { masked }),
	};
}

/**
 * The columns of rows in `projection`, which is the default row unless `fields` was given; `isNarrowed`: columns are left out
 * though it was.
 */
export function shownBy(
	projection: Projection,
	fields: readonly ColumnName[] | undefined,
	isNarrowed = false,
): ShownColumns {
	return { narrowed: isNarrowed || fields === undefined, columns: projection.columns };
}

/** The bounds of whole rows, for grants in use. */
const defaultRowBounds = new WeakMap<Grant, string>();

/**
 * What `grant` does to rows in `projection`, as JSON text that continues an object ({@link continuedJson}).
 * `fields`: the columns asked for; absent: the default row. `isNarrowed`: as of {@link shownBy}. Cost: one lookup for the
 * default row.
 */
export function rowBounds(
	grant: Grant,
	projection: Projection,
	fields: readonly ColumnName[] | undefined,
	isNarrowed = false,
): string {
	if (fields !== undefined) return continuedJson(grantBounds(grant, shownBy(projection, fields, isNarrowed)));
	const known = defaultRowBounds.get(grant);
	if (known !== undefined) return known;
	const bounds = continuedJson(grantBounds(grant, shownBy(projection, fields)));
	defaultRowBounds.set(grant, bounds);
	return bounds;
}

const lastDays = new Map<string, string>();

/** `meta.as_of` of an answer from the snapshot of `month`: its last day. Cost: one lookup. */
export function asOf(month: string): string {
	const known = lastDays.get(month);
	if (known !== undefined) return known;
	const day = lastDayOfMonth(month);
	lastDays.set(month, day);
	return day;
}

const openMetas = new Map<string, string>();

/**
 * `,"meta":{…` of an answer from the snapshot of `month`, with its first two members, as JSON text that further members
 * and the closing brace continue. Cost: one lookup.
 */
export function openMeta(month: string): string {
	const known = openMetas.get(month);
	if (known !== undefined) return known;
	const text = `,"meta":{"snapshot":"${month}","as_of":"${asOf(month)}"`;
	openMetas.set(month, text);
	return text;
}

/** `members` as JSON text that continues an object: each member after a comma. */
function continuedJson(members: object): string {
	const text = JSON.stringify(members).slice(1, -1);
	return text === "" ? "" : `,${text}`;
}
