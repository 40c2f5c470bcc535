/** Hints on the values of one filter, one by one: how many values are looked at, and how many get a hint of their own. */

import { quoted } from "../../../formats/index.js";
import type { Hint } from "./hint.js";
import { counted } from "./wording.js";

/** Maximum hints of one filter, of which the last is on all further values. */
const HINTED_MAX = 5;

/** Values of one filter that are looked at, the first. */
export const LOOKED_AT_MAX = 20;

/** Of the first items a hint each, and where there are more than {@link HINTED_MAX}, one on all others. */
export function hintsByValue<T>(
	items: readonly T[],
	hintOf: (item: T) => Hint,
	hintOfRest: (rest: readonly T[]) => Hint,
): Hint[] {
	if (items.length <= HINTED_MAX) return items.map(hintOf);
	const first = items.slice(0, HINTED_MAX - 1).map(hintOf);
	return [...first, hintOfRest(items.slice(HINTED_MAX - 1))];
}

export function valuesText(items: readonly { readonly value: string }[]): string {
	return items.map(({ value }) => quoted(value)).join(", ");
}

/** `hints`, the last of which says that `unlooked` values were not looked at, where there are such. */
export function withUnlooked(hints: Hint[], param: string, unlooked: number, sought: string): Hint[] {
	if (unlooked <= 0) return hints;
	const note = `${counted(unlooked, "more value")} of ${param} ${unlooked === 1 ? "was" : "were"} not looked at for ${sought}`;
	const last = hints.pop();
	if (last === undefined) return [{ param, value: "", message: note, nearest: [] }];
	return [...hints, { ...last, message: `${last.message}; ${note}` }];
}
