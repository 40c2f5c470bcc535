/** Weighted lists of a request: `Accept` and `Accept-Encoding` (RFC 9110 §12.4.2). */

/** Browsers send some hundred characters. Reading the longest head takes some milliseconds, which anybody could ask for. */
const LIST_LENGTH_MAX = 1_024;

export interface WeightedItem {
	/** In lower case, without parameters. */
	readonly value: string;
	/** 1 where the item names none, 0 where it is not a number. */
	readonly weight: number;
}

/** The items of `list`; none of one that is too long to be read. Cost O(length). */
export function weightedItems(list: string | null): WeightedItem[] {
	if (list === null || list.length > LIST_LENGTH_MAX) return [];
	return list
		.toLowerCase()
		.split(",")
		.map((item) => {
			const [value, ...parameters] = item.split(";").map((part) => part.trim());
			const weight = parameters.find((parameter) => parameter.startsWith("q="));
			return { value, weight: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
		});
}

/**
 * Whether `list` accepts a media type; `ranges`: those that it is in, the most specific first. The first of them that
 * the list has decides.
 */
export function acceptsType(list: string | null, ranges: readonly string[]): boolean {
	const items = weightedItems(list);
	for (const range of ranges) {
		const found = items.find(({ value }) => value === range);
		if (found !== undefined) return found.weight > 0;
	}
	return false;
}
