/** Other ways in which an office's name is written: its words short or long, without the words that rosters leave out. */

/** Words of offices' names that are also written as a sign, or left out. */
const JOINING_WORD = /(^|\s)(and|et|&|\+)(?=\s|$)/gi;
/** At the beginning of an office's name, where rosters leave it out. */
export const ARTICLE = /^the\s+(?=\S{3})/i;
/** Words at the end of an office's name that say what it is, which rosters shorten or leave out. */
const LEGAL_FORM =
	/[\s,]+(inc|incorporated|llc|l\.l\.c|ltd|limited|lp|llp|pllc|plc|corp|corporation|co|company|compagnie|lt[ée]e)\.?$/i;

/** Words of offices' names that are written short and long. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map(
	[
		["&", "and"],
		["bros", "brothers"],
		["assoc", "associates"],
		["mgmt", "management"],
		["intl", "international"],
		["svcs", "services"],
		["st", "saint"],
		["mt", "mount"],
		["ft", "fort"],
		["1st", "first"],
	].flatMap(([short, long]) => [
		[short, long],
		[long, short],
	]),
);

/**
 * Forms of an office's name to look for: as given, with its words short or long, without `and`, its legal form, its article, and its
 * last word, then without both of these: `The Acme Homes Group` may be listed as `Acme Homes`.
 */
export function officeForms(value: string): string[] {
	const name = value.replace(JOINING_WORD, "").trim();
	const own = name.replace(LEGAL_FORM, "");
	const bare = own.replace(ARTICLE, "");
	// An article alone would match the names of any offices.
	const short = /\s/.test(bare) ? own.replace(/\s+\S+$/, "") : bare;
	const forms = [value, name, own, bare].flatMap((form) => [form, otherOfficeWords(form) ?? form]);
	const words = bare.split(/\s+/);
	// A single word would match the names of many offices.
	const barest = words.length > 2 ? words.slice(0, -1).join(" ") : bare;
	return [...new Set([...forms, short, barest])].filter((form) => form !== "");
}

/** An office's name, or its beginning, with its words long in place of short and short in place of long; null: it has no such word. */
export function otherOfficeWords(name: string): string | null {
	let isOther = false;
	const words = name.split(/\s+/).map((word) => {
		const other = OTHER_WORDS.get(word.toLowerCase().replace(/[.,]+$/, ""));
		if (other !== undefined) isOther = true;
		if (other === undefined) return word;
		return /^\p{Lu}/u.test(word) ? other[0].toUpperCase() + other.slice(1) : other;
	});
	return isOther ? words.join(" ") : null;
}
