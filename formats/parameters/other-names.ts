/** Names that other APIs have for parameters, columns, dimensions and words, for the suggestion where such a name is refused. */

import type { ColumnName } from "../domain/columns.js";
import type { CountryCode } from "../domain/jurisdictions.js";
import { suggested } from "./nearest.js";

const PERSON_NAMES = "full_name agent agent_name person person_name member_name licensee licensee_name";
const PERSONAL: ReadonlySet<string> = new Set(PERSON_NAMES.split(" "));

/** Parameters, columns, dimensions and words, and the names of other APIs that may stand for them. */
const MEANINGS: readonly (readonly [meant: string, names: string])[] = [
	["name q", "q query search text term keyword keywords"],
	["name", PERSON_NAMES],
	["name last_name", "name_is"],
	["q", "prefix"],
	["first_name member_first_name", "fname given_name"],
	["last_name member_last_name", "lname surname family_name member_last_name"],
	[
		"license_number license member_state_license_number",
		"number license_no license_num lic_no license_id licence_no state_license_number registration_number credential_number",
	],
	["license", "state license_number numbers"],
	["state", "state_code states license_state member_state province provinces jurisdiction jurisdictions"],
	["country", "country_code nation"],
	["city member_city", "town municipality cities member_city"],
	["postal_code member_postal_code", "zip zip_code zip_codes postcode postal_prefix"],
	["postal_prefix", "fsa zip_prefix postal_code_prefix"],
	[
		"member_type type_group member_type_group",
		"license_type license_class role profession occupation designation",
	],
	["member_type", "type_group member_type_group"],
	["member_license_status", "status_group license_status_group"],
	["license_status status_group", "statuses license_statuses"],
	["status_group", "active is_active"],
	["city_not", "not_city exclude_city exclude_cities member_city_not"],
	["status_not", "not_status exclude_status license_status_not"],
	["type_not", "not_type exclude_type member_type_not license_type_not"],
	[
		"office_name office",
		"office_name office_name_contains brokerage brokerage_name company company_name firm firm_name agency employer",
	],
	[
		"expires_after expires_before member_license_expires",
		"expiry expiry_date expiration expiration_date expires_on expiring valid_until expires_between expiry_between expiration_between",
	],
	["expires_after", "expiry_after expiration_after expiring_after expires_from expires_since"],
	[
		"expires_before",
		"expiry_before expiration_before expiring_before expires_to expires_until expires_by expires_within expires_within_days " +
			"expiring_within expiring_within_days expires_in expires_in_days expiring_in_days days_to_expiry days_until_expiration",
	],
	["expires_after expires_before", "expires_month expires_year expiry_month expiry_year expires_in_month"],
	[
		"expires_month",
		"expiry_month expiration_month expires_year expiry_year expiration_year expiry expiry_date expiration expiration_date",
	],
	["issued_month issued_year", "issue_date issued_date issue_month issue_year license_year"],
	["first_issued_month first_issued_year", "first_issued_date first_issue_date licensed_since"],
	[
		"issued_after issued_before member_license_issued",
		"issue_date issued_on date_issued issued_date license_date issued_between issued_in issued_month issued_year",
	],
	["issued_after", "issued_since issued_from issue_date_from"],
	["issued_before", "issued_until issued_to issue_date_to"],
	[
		"first_issued_after first_issued_before member_license_first_issued",
		"first_licensed original_issue_date first_issue_date first_issued_month first_issued_year",
	],
	// Not the date of issue, which may be that of the last renewal.
	["first_issued_after", "licensed_since licensed_after"],
	["first_issued_before", "licensed_before"],
	["present", "has has_email with_email has_phone with_phone"],
	["snapshot to", "month date as_of period"],
	["from to", "snapshot months snapshots"],
	["from compare", "from_month from_snapshot start_month start_date previous_month since"],
	[
		"compare",
		"from before previous older compare_to compared_to compare_with compare_month compare_snapshot comparison versus vs baseline base_month since_month last_month",
	],
	["to", "to_month to_snapshot end_month end_date until"],
	["kind", "kinds change_type"],
	["field", "field_name changed_field"],
	["filters_on", "filter_on filter_row filters_row row which_row filter_by_older on_older previous_row"],
	["limit top", "limit per_page page_size top top_n n size max max_results rows"],
	["min_count", "min minimum min_rows min_size min_agents having"],
	["sort", "sort_by orderby"],
	["sort order", "order_by"],
	["order", "direction sort_direction sort_order"],
	["growth", "grew grown grow growing gain gains gained increase increased increasing change"],
	["decline", "declined declining loss losses lost lose decrease decreased shrink shrank shrunk"],
	["rows", "licenses agents agent_count size"],
	["by", "group group_by count_by dimension dimensions"],
	["fields", "columns select output_fields return_fields include"],
	["new", "added joined created appeared"],
	["gone", "removed deleted dropped lost left disappeared"],
	[
		"changed",
		"modified updated edited moved renewed transferred lapsed expired suspended revoked reactivated",
	],
	["salesperson broker", "realtor realtors"],
	["broker", "courtier"],
	["inactive", "not_active"],
	["ndjson", "jsonl json_lines"],
];

/** Columns that nothing filters, and the names of other APIs for a filter on them. */
const UNFILTERED: readonly (readonly [columns: readonly ColumnName[], names: string])[] = [
	[["member_email", "matched_email"], "email emails e_mail email_address"],
	[["member_preferred_phone", "matched_phone"], "phone phones phone_number telephone mobile"],
	[["member_address"], "address street street_address"],
	[["office_broker_name"], "broker broker_name managing_broker supervising_broker designated_broker"],
];

/** The columns without a filter that `given` stands for in other APIs; empty for any other name. */
export function unfilteredColumns(given: string): readonly ColumnName[] {
	const name = given.toLowerCase().replaceAll(/[-\s]/g, "_");
	return UNFILTERED.find(([, names]) => names.split(" ").includes(name))?.[0] ?? [];
}

/** By name, what it may stand for. */
const OTHER_NAMES = meaningsByName((name) => name);
/** By name without underscores, for `pagesize` and `sortBy`. */
const JOINED_NAMES = meaningsByName((name) => name.replaceAll("_", ""));

function meaningsByName(written: (name: string) => string): ReadonlyMap<string, readonly string[]> {
	const byName = new Map<string, string[]>();
	for (const [meant, names] of MEANINGS)
		for (const name of names.split(" ").map(written))
			byName.set(name, [...new Set([...(byName.get(name) ?? []), ...meant.split(" ")])]);
	return byName;
}

/** How texts that mean a country begin, in capitals without spaces and dots. Other codes, such as UK, are no slip of one. */
const COUNTRY_BEGINNINGS: readonly (readonly [string, CountryCode])[] = [
	["US", "US"],
	["UNITEDSTATES", "US"],
	["AMERICA", "US"],
	["CAN", "CA"],
];

/** Whether a text is a country's name, as may be given for a state's. */
export function isCountryName(given: string): boolean {
	return /^(CANADA|USA?|UNITEDSTATES(OFAMERICA)?|AMERICA)$/.test(
		given.replaceAll(/\P{L}/gu, "").toUpperCase(),
	);
}

/** The countries that a text which is no code means: one, or none. */
export function countriesMeant(given: string): CountryCode[] {
	const text = given.replaceAll(/\P{L}/gu, "").toUpperCase();
	return COUNTRY_BEGINNINGS.flatMap(([beginning, code]) => (text.startsWith(beginning) ? [code] : []));
}

/** Names as other APIs bracket them: `filter[state]`, `state[]`, `expires_before[lte]`. */
const BRACKETED = /^filters?\[(\w+)\]$|^(\w+)\[\w*\]$/;

/** `; did you mean "x"?` for a name that usually means others of `allowed`; "" for any other name. */
export function didYouMeanOther(given: string, allowed: readonly string[]): string {
	const name = given.toLowerCase().replaceAll(/[-\s]/g, "_");
	if (allowed.includes(name)) return "";
	const [, inner, outer] = BRACKETED.exec(name) ?? [];
	const bare = inner ?? outer;
	if (bare !== undefined && allowed.includes(bare)) return suggested([bare]);
	// Where persons are not filtered, a name is that of an office.
	if (PERSONAL.has(name) && !allowed.includes("last_name")) return "";
	return suggested(
		(OTHER_NAMES.get(name) ?? JOINED_NAMES.get(name) ?? []).filter((meant) => allowed.includes(meant)),
	);
}

/**
 * Advice for `offset` where rows are paged, null for any other name or place: a page or a cursor is not an offset,
 * and would skip other rows. `isByCursor`: rows are paged by cursor, else by page where there is one.
 */
export function offsetAdvice(given: string, allowed: readonly string[], isByCursor: boolean): string | null {
	if (given.toLowerCase() !== "offset") return null;
	if (!isByCursor && allowed.includes("page"))
		return ": rows are paged by page, which is offset / limit + 1.";
	return allowed.includes("cursor")
		? ": rows are paged by cursor, pagination.next_cursor of the page before."
		: null;
}

/** Advice for a month where rows are asked for by id, null for any other name or place. */
export function monthAdvice(given: string, allowed: readonly string[]): string | null {
	if (!["snapshot", "month"].includes(given.toLowerCase()) || !allowed.includes("id")) return null;
	return allowed.includes("license_number")
		? ": history has every month that the key reads."
		: ": the id says of which month the row is.";
}
