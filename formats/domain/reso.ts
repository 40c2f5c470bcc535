/**
 * Names of the RESO Data Dictionary 2.0 for our columns: of the resources Member, MemberStateLicense and
 * Office. Maps read them and drops are written with them. A column without an entry has no counterpart there.
 */

import type { ColumnName } from "./columns.js";

export interface ResoField {
	readonly column: ColumnName;
	readonly resource: "Member" | "MemberStateLicense" | "Office";
	readonly field: string;
	/** A field that is read where the file lacks the one above it for the same column; never written. */
	readonly alternative?: true;
}

/** In the order of our columns. */
const RESO_FIELDS: readonly ResoField[] = [
	{ column: "country", resource: "Member", field: "MemberCountry" },
	{ column: "state", resource: "MemberStateLicense", field: "MemberStateLicenseState" },
	{ column: "member_full_name", resource: "Member", field: "MemberFullName" },
	{ column: "member_first_name", resource: "Member", field: "MemberFirstName" },
	{ column: "member_last_name", resource: "Member", field: "MemberLastName" },
	{ column: "member_type", resource: "MemberStateLicense", field: "MemberStateLicenseType" },
	{ column: "member_type", resource: "Member", field: "MemberType", alternative: true },
	{ column: "member_address", resource: "Member", field: "MemberAddress1" },
	{ column: "member_city", resource: "Member", field: "MemberCity" },
	{ column: "member_state_or_province", resource: "Member", field: "MemberStateOrProvince" },
	{ column: "member_postal_code", resource: "Member", field: "MemberPostalCode" },
	{ column: "office_name", resource: "Office", field: "OfficeName" },
	{ column: "member_state_license_number", resource: "MemberStateLicense", field: "MemberStateLicense" },
	{ column: "member_license_status", resource: "Member", field: "MemberStatus" },
	{
		column: "member_license_expires",
		resource: "MemberStateLicense",
		field: "MemberStateLicenseExpirationDate",
	},
	{ column: "member_email", resource: "Member", field: "MemberEmail" },
	{ column: "member_preferred_phone", resource: "Member", field: "MemberPreferredPhone" },
	{ column: "last_refreshed", resource: "MemberStateLicense", field: "ModificationTimestamp" },
];

/** Names that drops may be written with instead of our columns'. */
export const PROFILES = ["reso"] as const;

export type Profile = (typeof PROFILES)[number];

/** The column that `name` stands for in a file whose header has `names`; undefined for none. */
export function resoColumn(name: string, names: readonly string[]): ColumnName | undefined {
	const found = RESO_FIELDS.find(({ field }) => field === name);
	if (found?.alternative !== true) return found?.column;
	const preferred = RESO_FIELDS.find(
		({ column, alternative }) => column === found.column && alternative !== true,
	);
	return preferred !== undefined && names.includes(preferred.field) ? undefined : found.column;
}

/** The name of `column` in a profile; its own where the profile has none, or without a profile. */
export function profileName(column: ColumnName, profile: Profile | null): string {
	if (profile === null) return column;
	return resoField(column) ?? column;
}

/** The name of `column` in the RESO Data Dictionary; null where it has none. */
export function resoField(column: ColumnName): string | null {
	return RESO_FIELDS.find((each) => each.column === column && each.alternative !== true)?.field ?? null;
}
