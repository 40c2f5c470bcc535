/** The geography of a key's grant, and the one test of what it covers. */

import { findJurisdiction } from "./jurisdictions.js";

/** Rows of the countries and of the states listed; a row of either is covered. */
export interface Geography {
	readonly countries: readonly string[];
	readonly states: readonly string[];
}

/** Whether `geography` covers the rows of a state; null covers all. */
export function coversState(geography: Geography | null, state: string, country: string): boolean {
	return geography === null || geography.countries.includes(country) || geography.states.includes(state);
}

/** Whether `geography` covers any row of a country; null covers all. */
export function overlapsCountry(geography: Geography | null, country: string): boolean {
	if (geography === null || geography.countries.includes(country)) return true;
	return geography.states.some((state) => findJurisdiction(state)?.country === country);
}
