/** The geography of a key's grant, and the test of what it covers. */

import { findJurisdiction } from "./jurisdictions.js";

/** Covers rows of any of the countries and rows of any of the states. */
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
