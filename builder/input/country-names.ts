/**
 * Names of the two countries as rosters write them: `US`, `usa`, `U.S.A.`, `Canada`, and full names in English, French
 * and Spanish, compared as names of states are. `E.U.` names neither: it is also the European Union.
 */

import type { CountryCode } from "../../formats/domain/jurisdictions.js";
import { plainName } from "../../formats/domain/state-names.js";

/** The accepted names by code. */
export const COUNTRY_NAMES: Readonly<Record<CountryCode, readonly string[]>> = {
	US: [
		...["US", "USA", "U S", "U S A", "EEUU", "EE UU"],
		...["United States", "United States of America", "The United States of America"],
		...["États Unis", "États Unis d'Amérique", "Estados Unidos", "Estados Unidos de América"],
	],
	CA: ["CA", "CAN", "Canada", "Canadá"],
};

const CODES: ReadonlyMap<string | null, CountryCode> = new Map(
	(["US", "CA"] as const).flatMap((code) =>
		COUNTRY_NAMES[code].map((name) => [plainName(name), code] as const),
	),
);

/** The country that `text` names, or null. */
export function countryCodeOf(text: string): CountryCode | null {
	return CODES.get(plainName(text)) ?? null;
}
