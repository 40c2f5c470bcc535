/** Describes a key's scope in sentences. */

import { COLUMNS, findJurisdiction } from "../../formats/index.js";
import type { Scope } from "../keys/key.js";

const COUNTRY_NAMES: Readonly<Record<string, string>> = { US: "the United States", CA: "Canada" };

/** The places, columns and months that the key reads, and whether contacts are masked. */
export function scopeWords({ geography, columns, history }: Scope, masked: boolean): string[] {
	return [
		geography === null ? "Licenses of every state and province." : `Licenses of ${placesOf(geography)}.`,
		columns === null || columns.length === COLUMNS.length
			? "Every column."
			: `${columns.length} of ${COLUMNS.length} columns: ${columns.join(", ")}.`,
		historyWords(history),
		masked
			? "Email addresses and phone numbers are masked."
			: "Email addresses and phone numbers are shown in full.",
	];
}

function placesOf({ countries, states }: NonNullable<Scope["geography"]>): string {
	const names = [
		...countries.map((code) => COUNTRY_NAMES[code] ?? code),
		...states.map((code) => findJurisdiction(code)?.name ?? code),
	];
	return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function historyWords(history: Scope["history"]): string {
	switch (history.mode) {
		case "latest":
			return "The latest month.";
		case "months":
			return `The latest month and the ${history.months} before it.`;
		case "all":
			return "Every loaded month.";
	}
}
