/**
 * Reads a free text that asks for a list rather than for one person: those of a trade, in a place or of a name, such as
 * `Milford real estate brokers` and `home inspectors in Illinois named Aardema`.
 */

import { STATUS_GROUPS, type StatusGroup, type TypeGroup } from "../../../formats/index.js";
import { stateNamed } from "./free-text.js";

export interface ListText {
	readonly groups: readonly TypeGroup[];
	/** Code of the jurisdiction; null: none is named. */
	readonly state: string | null;
	/** May be empty. */
	readonly city: string;
	/** A ZIP code of five digits; may be empty. */
	readonly zip: string;
	/** May be empty. */
	readonly name: string;
	/** The statuses asked for in front of the trade, as in `revoked appraisers in Texas`; may be empty. */
	readonly statuses: readonly StatusGroup[];
	/** Whether the text may be the name of an office as well, such as `Naperville Appraisers`. */
	readonly mayBeOffice: boolean;
}

const AGENTS: readonly TypeGroup[] = ["salesperson", "broker", "associate_broker"];
/** Trades in the plural: beside one, `broker` or `appraiser` says what a person is. */
const TRADES: ReadonlyMap<string, readonly TypeGroup[]> = new Map([
	["agents", AGENTS],
	["realtors", AGENTS],
	["salespeople", ["salesperson"]],
	["salespersons", ["salesperson"]],
	["brokers", ["broker", "associate_broker"]],
	["inspectors", ["inspector"]],
	["appraisers", ["appraiser"]],
	["brokerages", ["company"]],
	["property managers", ["property_manager"]],
]);

/** What precedes the trade, the trade, and what follows. */
const TRADE = new RegExp(`^(|.*\\s)(${[...TRADES.keys()].join("|")})\\b(.*)$`, "is");
/** Words in front of a list that only ask for it. */
const ASKING =
	/^(?:please|list|find|search|show|give|get|me|for|which|what|who|are|is|there|any|all|the|of)\s+/i;
/** Words beside a trade that say no place. */
const BESIDE_TRADE =
	/\b(?:real estate|home|house|property|licensed|certified|registered|residential|commercial|general|local|managing|associate|insurance)\b/gi;
/** Words in front of a trade that ask for licenses of a status, and what joins several. */
const STATUS = new RegExp(
	`\\b(${STATUS_GROUPS.filter((group) => group !== "other").join("|")})\\b(?: (?:and|or)\\b)?`,
	"gi",
);
/** Between a list and the name of those in it. */
const NAMED = /^(.*?),?\s+(?:that are |who are )?(?:named|called)\s+(\S.*)$/is;
const NAME_AND_STATE = /^(.*?)(?:,|\sin)\s+([^,]+)$/is;
/** Between a trade and its place. */
const BEFORE_PLACE =
	/^(?:\s+(?:are|is|there|licensed|located|based|working|do|we|have))*\s*(?:,|\s(?:in|near|around|from|en)\s)\s*(?:the\s)?/i;
/** Most words of a city's name. */
const CITY_WORDS_MAX = 4;
/** A ZIP code at the end of a place, or alone. */
const ZIP_AT_END = /(?:^|[\s,])(?:zip(?: code)? )?(\d{5})(?:-\d{4})?$/i;
const CITY = /^\p{L}[\p{L}.' -]*$/u;

interface Place {
	readonly state: string | null;
	readonly city: string;
	readonly zip: string;
}

/** The list that a text asks for; null: it asks for none, or names no place and no person. Cost O(length). */
export function readListText(query: string): ListText | null {
	let rest = query
		.normalize("NFC")
		.trim()
		.replace(/[\s?.!]+$/, "");
	for (let asked = rest.replace(ASKING, ""); asked !== rest; asked = rest.replace(ASKING, "")) rest = asked;
	const [, before, trade, after] = TRADE.exec(rest) ?? [];
	if (trade === undefined) return null;
	const [, beforeName, called = ""] = NAMED.exec(after) ?? [];
	const [, beforeState, stateAfter = ""] = NAME_AND_STATE.exec(called) ?? [];
	const stateOfName = stateNamed(stateAfter);
	const name = stateOfName === null ? called : beforeState;
	const where = beforeName ?? after;
	const place = where.replace(BEFORE_PLACE, "");
	// Such as `brokers at Acme`, or `agents with licenses`.
	if (where.trim() !== "" && place === where) return null;
	const named = new Set([...before.matchAll(STATUS)].map(([, status]) => status.toLowerCase()));
	const statuses = STATUS_GROUPS.filter((group) => named.has(group));
	const beside = before.replaceAll(BESIDE_TRADE, " ").replaceAll(STATUS, " ");
	const places = [beside, place].map(readPlace);
	if (places.some((each) => each === null)) return null;
	const [first, second] = places as Place[];
	const city = first.city || second.city;
	const state = stateOfName ?? second.state ?? first.state;
	const isClear = first.city === "" || second.city === "";
	const zip = first.zip || second.zip;
	if (!isClear || (city === "" && zip === "" && state === null && name === "")) return null;
	const groups = TRADES.get(trade.toLowerCase()) ?? [];
	const mayBeOffice = before.trim() !== "" && after.trim() === "";
	return { groups, state, city, zip, name: name.trim(), statuses, mayBeOffice };
}

/** A city, a state, a ZIP code or several of these; null: the text is none. */
function readPlace(given: string): Place | null {
	const place = given.trim();
	const zip = ZIP_AT_END.exec(place)?.[1] ?? "";
	const text = zip === "" ? place : place.replace(ZIP_AT_END, "");
	const words = text.split(/[\s,]+/).filter((word) => word !== "");
	const hasComma = text.includes(",");
	// West Virginia before Virginia; in small letters a code may be any word, but after a comma.
	for (const length of [3, 2, 1]) {
		if (length > words.length) continue;
		const end = words.slice(-length).join(" ");
		const state = end.length > 2 || hasComma || end === end.toUpperCase() ? stateNamed(end) : null;
		if (state !== null) return cityIn(words.slice(0, -length), state, zip);
	}
	return cityIn(words, null, zip);
}

function cityIn(words: readonly string[], state: string | null, zip: string): Place | null {
	const city = words.join(" ");
	return city === "" || (words.length <= CITY_WORDS_MAX && CITY.test(city)) ? { state, city, zip } : null;
}
