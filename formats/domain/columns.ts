/**
 * The table of columns. CSV headers, encodings, API `fields`, the sort whitelist, masking and schemas
 * all derive from it. A new column, or one that is newly sorted or suggested, changes the bytes of a snapshot:
 * ARCHITECTURE.md, What a change takes. filters.ts lists the query parameters that filter a column.
 *
 * Invariants: `COLUMNS` is in output order and only ever grows at the end; `code` is persisted in snapshots,
 * so codes are never reused or renumbered (pinned by a test); names are both CSV headers and API field names.
 */

import { InvariantError } from "../errors.js";

/**
 * What a column holds.
 * `id`, `snapshot`: computed from the row's position and month, not stored.
 * `dict`: text over a sorted dictionary. `date`: ISO `YYYY-MM-DD` over a sorted dictionary.
 * `int`: whole number over a dictionary in numeric order. `string`: text stored row by row.
 */
export type ColumnKind = "id" | "snapshot" | "dict" | "date" | "int" | "string";

export interface Column {
	/** Persisted number of the column; frozen. */
	readonly code: number;
	readonly name: ColumnName;
	readonly kind: ColumnKind;
	/** Whether a value may be absent. */
	readonly nullable: boolean;
	/** Whether the builder derives it from other columns, so that it does not occur in drops. */
	readonly derived: boolean;
	/** Whether it is one of the four contact columns, masked for demo and trial keys. */
	readonly contact: boolean;
	/** Whether the list endpoint may sort by it. */
	readonly sortable: boolean;
	/** The `field` of /v1/suggest that completes values of this column. */
	readonly suggest: string | null;
	/** Whether history reports its changes. */
	readonly tracked: boolean;
	readonly description: string;
}

export type ColumnName =
	| "id"
	| "snapshot"
	| "country"
	| "state"
	| "member_full_name"
	| "member_first_name"
	| "member_last_name"
	| "member_type"
	| "member_address"
	| "member_city"
	| "member_state_or_province"
	| "member_postal_code"
	| "office_name"
	| "office_broker_name"
	| "member_state_license_number"
	| "member_license_status"
	| "member_license_issued"
	| "member_license_expires"
	| "member_license_first_issued"
	| "member_email"
	| "member_preferred_phone"
	| "matched_email"
	| "matched_phone"
	| "agent_count"
	| "last_refreshed"
	| "license_status_group"
	| "member_type_group";

type Traits = Partial<Omit<Column, "code" | "name" | "kind" | "description">>;

function column(
	code: number,
	name: ColumnName,
	kind: ColumnKind,
	description: string,
	traits: Traits = {},
): Column {
	return {
		code,
		name,
		kind,
		nullable: true,
		derived: false,
		contact: false,
		sortable: false,
		suggest: null,
		tracked: false,
		description,
		...traits,
	};
}

/** Every column, in output order. */
export const COLUMNS: readonly Column[] = [
	column(
		1,
		"id",
		"id",
		"Row id, unique over all snapshots; the same license has another id in another month.",
		{
			nullable: false,
			sortable: true,
		},
	),
	column(2, "snapshot", "snapshot", "Month of the snapshot the row belongs to, YYYY-MM.", {
		nullable: false,
	}),
	column(3, "country", "dict", "Country of the licensing jurisdiction: US or CA.", {
		nullable: false,
	}),
	column(4, "state", "dict", "Code of the licensing state or province.", {
		nullable: false,
		sortable: true,
	}),
	column(5, "member_full_name", "dict", "Full name of the licensee.", {
		sortable: true,
		tracked: true,
	}),
	column(6, "member_first_name", "dict", "First name of the licensee.", {
		sortable: true,
	}),
	column(7, "member_last_name", "dict", "Last name of the licensee.", {
		sortable: true,
		suggest: "last_name",
		tracked: true,
	}),
	column(8, "member_type", "dict", "Type of license, in the words of the licensing body.", {
		tracked: true,
	}),
	column(9, "member_address", "string", "Street address of the licensee."),
	column(10, "member_city", "dict", "City of the licensee.", {
		suggest: "city",
		tracked: true,
	}),
	column(11, "member_state_or_province", "dict", "State or province of the licensee's address.", {
		tracked: true,
	}),
	column(12, "member_postal_code", "dict", "Postal code of the licensee's address.", {
		tracked: true,
	}),
	column(13, "office_name", "dict", "Name of the office the licensee works for.", {
		sortable: true,
		suggest: "office",
		tracked: true,
	}),
	column(14, "office_broker_name", "dict", "Name of the broker responsible for the office.", {
		tracked: true,
	}),
	column(15, "member_state_license_number", "dict", "License number as the licensing body writes it.", {
		sortable: true,
	}),
	column(16, "member_license_status", "dict", "License status, in the words of the licensing body.", {
		sortable: true,
		tracked: true,
	}),
	column(
		17,
		"member_license_issued",
		"date",
		"Date the current license was issued; in some states that of its last renewal.",
		{
			sortable: true,
			tracked: true,
		},
	),
	column(18, "member_license_expires", "date", "Date the license expires.", {
		sortable: true,
		tracked: true,
	}),
	column(
		19,
		"member_license_first_issued",
		"date",
		"Date a license was first issued to the licensee, in the states that publish it.",
		{
			sortable: true,
			tracked: true,
		},
	),
	column(20, "member_email", "string", "E-mail address published by the licensing body.", {
		contact: true,
	}),
	column(21, "member_preferred_phone", "string", "Phone number published by the licensing body.", {
		contact: true,
	}),
	column(22, "matched_email", "string", "E-mail address matched by enrichment; US rows only.", {
		contact: true,
	}),
	column(23, "matched_phone", "string", "Phone number matched by enrichment; US rows only.", {
		contact: true,
	}),
	column(24, "agent_count", "int", "Licenses that share the office name within the state; US rows only."),
	column(25, "last_refreshed", "date", "Date the licensing body's record was last read.", { sortable: true }),
	column(
		26,
		"license_status_group",
		"dict",
		"Group of the license status: active, inactive, expired, suspended, revoked, pending, deceased or other.",
		{ derived: true },
	),
	column(
		27,
		"member_type_group",
		"dict",
		"Group of the license type: salesperson, broker, associate_broker, appraiser, inspector, company, " +
			"property_manager or other.",
		{ derived: true },
	),
];

const byName = new Map<string, Column>(COLUMNS.map((c) => [c.name, c]));
const byCode = new Map<number, Column>(COLUMNS.map((c) => [c.code, c]));

/** The column named `name`, or undefined. */
export function findColumn(name: string): Column | undefined {
	return byName.get(name);
}

/** The column named `name`. REQUIRES: it exists. */
export function columnNamed(name: ColumnName): Column {
	const found = byName.get(name);
	if (found === undefined) throw new InvariantError(`no column is named ${name}`);
	return found;
}

/** The column with the persisted code `code`, or undefined if this version has none. */
export function columnWithCode(code: number): Column | undefined {
	return byCode.get(code);
}

/** Columns that a snapshot stores: all but `id` and `snapshot`. */
export const STORED_COLUMNS: readonly Column[] = COLUMNS.filter(
	(c) => c.kind !== "id" && c.kind !== "snapshot",
);

/** Columns that a drop may contain: the stored ones that are not derived. */
export const INPUT_COLUMNS: readonly Column[] = STORED_COLUMNS.filter((c) => !c.derived);

/** Columns stored as codes into a sorted dictionary. */
export const DICTIONARY_COLUMNS: readonly Column[] = STORED_COLUMNS.filter((c) => c.kind !== "string");

/** Columns stored as text row by row. */
export const TEXT_COLUMNS: readonly Column[] = STORED_COLUMNS.filter((c) => c.kind === "string");

/** The columns that the list endpoint may sort by, in output order. */
export const SORTABLE_COLUMNS: readonly Column[] = COLUMNS.filter((c) => c.sortable);

/** The contact columns, masked for demo and trial keys. */
export const CONTACT_COLUMNS: readonly Column[] = COLUMNS.filter((c) => c.contact);

/** Columns that every drop must contain. */
export const REQUIRED_COLUMNS: readonly ColumnName[] = ["state", "member_state_license_number"];
