/**
 * Groups of license statuses and types: maps a state and its licensing body's wording to one of a few groups
 * with the same meaning everywhere. The builder derives the columns `license_status_group` and
 * `member_type_group` with it; readers derive them for months built before these columns were stored.
 */

import type { ColumnName } from "./columns.js";
import {
	type GroupWordings,
	STATUS_GROUPS,
	STATUS_WORDINGS,
	TYPE_GROUPS,
	TYPE_WORDINGS,
} from "./group-tables.js";

/** Group of wordings that the table lacks. */
export const UNMAPPED_GROUP = "other";

/** A group column and its source column. */
export interface GroupColumn {
	readonly column: ColumnName;
	readonly source: ColumnName;
	readonly groups: readonly string[];
}

export const GROUP_COLUMNS: readonly GroupColumn[] = [
	{ column: "license_status_group", source: "member_license_status", groups: STATUS_GROUPS },
	{ column: "member_type_group", source: "member_type", groups: TYPE_GROUPS },
];

/** The group column named `name`, or undefined. */
export function findGroupColumn(name: ColumnName): GroupColumn | undefined {
	return GROUP_COLUMNS.find(({ column }) => column === name);
}

/** A wording's group in one state; state `*`: in every state without its own entry. */
export interface GroupEntry {
	readonly column: ColumnName;
	readonly state: string;
	readonly text: string;
	readonly group: string;
}

/** Lower-cased letters and digits of `text` without accents, words separated by one space. */
export function normalWording(text: string): string {
	return text
		.normalize("NFKD")
		.replaceAll(/\p{M}/gu, "")
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
}

/** Groups by state and wording. */
export class GroupTable {
	private readonly groups = new Map<string, string>();

	/** The built-in table, extended and overridden by `entries`, of which the last for a wording wins. */
	constructor(entries: readonly GroupEntry[] = []) {
		this.addWordings("license_status_group", STATUS_WORDINGS);
		this.addWordings("member_type_group", TYPE_WORDINGS);
		for (const { column, state, text, group } of entries)
			this.groups.set(keyOf(column, state, normalWording(text)), group);
	}

	/** The group of a state's wording, or null. */
	find(column: ColumnName, state: string, text: string): string | null {
		const wording = normalWording(text);
		return (
			this.groups.get(keyOf(column, state, wording)) ?? this.groups.get(keyOf(column, "*", wording)) ?? null
		);
	}

	private addWordings(column: ColumnName, wordings: GroupWordings<string>): void {
		for (const [state, groups] of Object.entries(wordings)) {
			for (const [group, texts] of Object.entries(groups)) {
				for (const text of texts?.split("|") ?? [])
					this.groups.set(keyOf(column, state, normalWording(text)), group);
			}
		}
	}
}

/** `wording`: as {@link normalWording} writes it. */
function keyOf(column: ColumnName, state: string, wording: string): string {
	return `${column}:${state}:${wording}`;
}

/** The built-in table alone. */
export const BUILT_IN_GROUPS = new GroupTable();
