/**
 * A large month, skewed as real ones are: one state with most rows, one status nearly everywhere, a few
 * names that many rows share and many that few have, a column with hardly any values, texts that occur
 * in one or a few states only. It is large enough that every index is built and every access path is the
 * cheapest for some query.
 */

import { Draw } from "./draw.js";
import type { RawRow } from "./naive-rows.js";
import { TRICKY_PIECES } from "./tricky-text.js";

/**
 * Rows of {@link largeRows}: the largest state alone exceeds 65,536, from which on cumulative bitmaps
 * are built.
 */
export const LARGE_ROWS = 80_000;
export const LARGE_MONTH = "2026-11";

export const LARGE_STATES = ["TX", "CA", "NY", "FL", "WY", "ON", "QC", "AB"];
export const STATUSES = [
	"Active",
	"ACTIVE",
	"Inactive",
	"Expired",
	"active",
	"Suspended",
	"Probation",
	"A\u0301ctive",
	"Retired",
];
export const TYPES = [
	"Salesperson",
	"Broker",
	"broker associate",
	"Appraiser",
	"STRA\u00dfE",
	"Strasse",
	"Inspector",
];

/** A row's type in the words of its licensing body, where that has its own; else `type`. */
export function ownType(state: string, index: number, type: string): string {
	if (state === "TX") return index % 3 === 0 ? "Sales Agent" : type;
	if (["CA", "FL", "ON"].includes(state)) return index % 8 === 0 ? type : "Sales Associate";
	return type;
}

/** `count` distinct texts, half of them plain, half adversarial; some differ only by case. */
export function makeVocabulary(count: number, stem: string, draw: Draw): string[] {
	return Array.from({ length: count }, (_, i) => {
		const traps = Array.from({ length: draw.below(3) }, () => draw.pick(TRICKY_PIECES)).join("");
		const text = `${draw.pick(["", "a", "b", "Mc", "z", "\u00c9"])}${traps}${stem}${i >> 1}`;
		return i % 2 === 0 ? text : text.toUpperCase();
	});
}

export function makeDates(count: number, firstDay: number): string[] {
	return Array.from({ length: count }, (_, i) =>
		new Date((firstDay + i) * 86_400_000).toISOString().slice(0, 10),
	);
}

/** The lines of the month; the same seed gives the same lines. */
export function largeRows(seed: number): RawRow[] {
	const words = new Draw(seed, 1);
	const lastNames = makeVocabulary(3000, "son", words);
	const firstNames = makeVocabulary(400, "y", words);
	const offices = makeVocabulary(2500, " Realty ", words);
	const cities = makeVocabulary(700, "ville", words);
	const issued = makeDates(9000, 11_000);
	const expires = makeDates(900, 20_400);
	return Array.from({ length: LARGE_ROWS }, (_, i) => {
		const draw = new Draw(seed + i, 2);
		/** An item, the first ones far more often than the last. */
		const skewed = (items: readonly string[], power: number) =>
			items[Math.floor((draw.next() / 2 ** 32) ** power * items.length)];
		const orNull = (value: string, oneIn: number) => (draw.oneIn(oneIn) ? "" : value);
		const state = skewed(LARGE_STATES, 12);
		const [first, last] = [skewed(firstNames, 2), skewed(lastNames, 2)];
		return {
			state,
			member_first_name: draw.oneIn(8) ? first : "",
			member_last_name: orNull(last, 200),
			member_full_name: `${first} ${last}`,
			member_type: orNull(ownType(state, i, skewed(TYPES, 2)), 20),
			member_address: orNull(`${draw.below(999)} Elm St`, 4),
			member_city: orNull(skewed(cities, 3), 10),
			member_state_or_province: state,
			member_postal_code: orNull(String(10_000 + draw.below(1500)), 10),
			office_name: orNull(skewed(offices, 4), 5),
			office_broker_name: orNull(skewed(lastNames, 3), 3),
			member_state_license_number: orNull(`${state[0]}${draw.below(60_000)}`, 500),
			member_license_status: orNull(skewed(STATUSES, 14), 1000),
			member_license_issued: orNull(skewed(issued, 1), 30),
			member_license_expires: orNull(skewed(expires, 2), 3),
			member_license_first_issued: orNull(skewed(issued, 2), 12),
			member_email: orNull(`m${i}@example.com`, 2),
			member_preferred_phone: orNull(`555-${draw.below(10_000)}`, 2),
			matched_email: orNull(`x${i}@mail.example.org`, 4),
			matched_phone: orNull(`(555) 010-${draw.below(10_000)}`, 4),
			last_refreshed: skewed(["2026-11-02", "2026-11-03", "2026-10-30", "2026-09-01"], 14),
		};
	});
}
