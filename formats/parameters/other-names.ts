/** Names that other APIs have for parameters, columns and dimensions, for the suggestion where such a name is refused. */

import type { CountryCode } from "../jurisdictions.js";
import { suggested } from "./nearest.js";

const POSTAL_CODE = ["postal_code", "member_postal_code"];
const FIRST_NAME = ["first_name", "member_first_name"];
const LAST_NAME = ["last_name", "member_last_name"];

/** By name, the parameters, columns and dimensions that it may stand for. */
const OTHER_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries({
		q: ["name"],
		query: ["name"],
		search: ["name"],
		full_name: ["name"],
		agent_name: ["name"],
		fname: FIRST_NAME,
		given_name: FIRST_NAME,
		lname: LAST_NAME,
		surname: LAST_NAME,
		family_name: LAST_NAME,
		license_state: ["state"],
		state_code: ["state"],
		province: ["state"],
		license_type: ["member_type", "type_group", "member_type_group"],
		zip: POSTAL_CODE,
		zip_code: POSTAL_CODE,
		zipcode: POSTAL_CODE,
		postcode: POSTAL_CODE,
		postal_prefix: POSTAL_CODE,
		brokerage: ["office_name"],
		office_name: ["office"],
		status_group: ["member_license_status"],
		license_status_group: ["member_license_status"],
		type_group: ["member_type"],
		member_type_group: ["member_type"],
		per_page: ["limit"],
		page_size: ["limit"],
		limit: ["top"],
		sort_by: ["sort"],
		order_by: ["sort", "order"],
		group_by: ["by"],
		group: ["by"],
		month: ["snapshot", "to"],
		snapshot: ["from", "to"],
		date: ["snapshot", "to"],
		state: ["license"],
		license_number: ["license"],
		columns: ["fields"],
	}),
);

/** How texts that mean a country begin, in capitals without spaces and dots. Other codes, such as UK, are no slip of one. */
const COUNTRY_BEGINNINGS: readonly (readonly [string, CountryCode])[] = [
	["US", "US"],
	["UNITEDSTATES", "US"],
	["AMERICA", "US"],
	["CAN", "CA"],
];

/** The countries that a text which is no code means: one, or none. */
export function countriesMeant(given: string): CountryCode[] {
	const text = given.replaceAll(/\P{L}/gu, "").toUpperCase();
	return COUNTRY_BEGINNINGS.flatMap(([beginning, code]) => (text.startsWith(beginning) ? [code] : []));
}

/** `; did you mean "x"?` for a name that usually means others of `allowed`; "" for any other name. */
export function didYouMeanOther(given: string, allowed: readonly string[]): string {
	const name = given.toLowerCase().replaceAll("-", "_");
	if (allowed.includes(name)) return "";
	return suggested((OTHER_NAMES.get(name) ?? []).filter((meant) => allowed.includes(meant)));
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
