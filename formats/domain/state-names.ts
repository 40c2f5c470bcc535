/**
 * Names of jurisdictions as rosters write them: postal codes in any case and with dots, full names in
 * English, French and Spanish, and traditional abbreviations. Compared without case and accents; dots, hyphens and
 * apostrophes count as blanks. Other punctuation is part of a name: `T&X` is no state.
 */

import { textDistance } from "../edit-distance.js";
import { findJurisdiction, JURISDICTIONS } from "./jurisdictions.js";

/** Other names by code, separated by `|`. English names are those of the table of jurisdictions. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
	AL: "Ala",
	AK: "Alas|Alaska",
	AZ: "Ariz",
	AR: "Ark",
	CA: "Calif|Cal|Californie",
	CO: "Colo",
	CT: "Conn",
	DE: "Del",
	DC: "District of Columbia|Washington DC|Washington D C|Washington, DC|Washington, D C|Dist of Columbia|Distrito de Columbia|District de Columbia|D C",
	FL: "Fla|Flor|Floride",
	GA: "Géorgie",
	HI: "Hawaï|Hawái|Hawaii|Hawai'i",
	ID: "Ida",
	IL: "Ill|Ills",
	IN: "Ind",
	IA: "Iowa",
	KS: "Kans|Kan",
	KY: "Ken|Kent",
	LA: "Luisiana|Louisiane",
	ME: "Maine",
	MD: "Mary",
	MA: "Mass",
	MI: "Mich|Míchigan",
	MN: "Minn",
	MS: "Miss|Misisipi",
	MO: "Mo|Misuri",
	MT: "Mont",
	NE: "Neb|Nebr",
	NV: "Nev",
	NH: "N H|Nuevo Hampshire|Nouveau Hampshire",
	NJ: "N J|Nueva Jersey|Nouveau Jersey",
	NM: "N M|N Mex|New Mex|Nuevo México|Nouveau Mexique",
	NY: "N Y|Nueva York|New York State",
	NC: "N C|N Car|Carolina del Norte|Caroline du Nord",
	ND: "N D|N Dak|Dakota del Norte|Dakota du Nord",
	OH: "Ohio",
	OK: "Okla",
	OR: "Ore|Oreg|Oregón",
	PA: "Penn|Penna|Pensilvania|Pennsylvanie",
	RI: "R I|Rhode Island",
	SC: "S C|S Car|Carolina del Sur|Caroline du Sud",
	SD: "S D|S Dak|Dakota del Sur|Dakota du Sud",
	TN: "Tenn|Tenesí",
	TX: "Tex|Tejas",
	UT: "Utah",
	VT: "Verm",
	VA: "Virg|Virginie",
	WA: "Wash|Washington State",
	WV: "W V|W Va|Virginia Occidental|Virginie Occidentale",
	WI: "Wis|Wisc",
	WY: "Wyo",
	PR: "P R|Porto Rico|Estado Libre Asociado de Puerto Rico",
	GU: "Guam",
	VI: "V I|US Virgin Islands|U S Virgin Islands|Virgin Islands|Islas Vírgenes|Islas Vírgenes de los Estados Unidos|Îles Vierges|Îles Vierges américaines",
	AS: "Samoa Americana|Samoa américaines",
	MP: "CNMI|Islas Marianas del Norte|Îles Mariannes du Nord|Commonwealth of the Northern Mariana Islands",
	AB: "Alta|Alb",
	BC: "B C|C B|Colombie Britannique|Columbia Británica|Colombia Británica",
	MB: "Man|Manit",
	NB: "N B|Nouveau Brunswick|Nuevo Brunswick",
	NL: "N L|Nfld|NF|T N L|Newfoundland|Newfoundland & Labrador|Terre Neuve|Terre Neuve et Labrador|Terranova y Labrador",
	NS: "N S|Nouvelle Écosse|N É|Nueva Escocia",
	NT: "N W T|NWT|T N O|Territoires du Nord Ouest|Territorios del Noroeste",
	NU: "Nun|Nvt",
	ON: "Ont",
	PE: "PEI|P E I|Î P É|Île du Prince Édouard|Isla del Príncipe Eduardo",
	QC: "Que|Québec|P Q|PQ|Province de Québec|Province of Quebec",
	SK: "Sask",
	YT: "Yukon Territory|Yuk|YK|Territoire du Yukon|Territorio del Yukón",
};

/** The accepted names with their codes. A code with dots, such as N.Y., is a name too. */
export const STATE_NAMES: readonly (readonly [name: string, state: string])[] = JURISDICTIONS.flatMap(
	({ state, name }) =>
		[state, name, ...(OTHER_NAMES[state]?.split("|") ?? []), [...state].join(" ")].map(
			(each) => [each, state] as const,
		),
);

/** Accents, as NFD separates them from their letters. */
const ACCENTS = /[\u0300-\u036f]/g;
/** Blanks, dots, hyphens and apostrophes are ignored between words; any other character must be the name's. */
const SEPARATORS = /[ \u00a0.'\u2018\u2019\u02bb-]+/g;
/** A name without its accents. */
const NAME = /^[A-Za-z][A-Za-z \u00a0.'\u2018\u2019\u02bb&,-]*$/;

/** `text` without its accents, in NFD. */
export function withoutAccents(text: string): string {
	return text.normalize("NFD").replaceAll(ACCENTS, "");
}

/** Upper case of `text`, words separated by one space. */
function normalName(text: string): string {
	return text.normalize("NFD").replaceAll(SEPARATORS, " ").trim().toUpperCase();
}

/** By name with its accents, and by name without them where no other state's name is spelled so. */
const CODES: ReadonlyMap<string, string> = new Map([
	...STATE_NAMES.map(([name, state]) => [normalName(withoutAccents(name)), state] as const),
	...STATE_NAMES.map(([name, state]) => [normalName(name), state] as const),
]);

/** Upper case of `text` without accents, words separated by one space; null if it has characters of no name. */
export function plainName(text: string): string | null {
	const plain = withoutAccents(text);
	return NAME.test(plain) ? normalName(plain) : null;
}

/** The code of the jurisdiction that `text` names by code or name, or null. */
export function stateCodeOf(text: string): string | null {
	if (findJurisdiction(text) !== undefined) return text;
	const plain = plainName(text);
	if (plain === null) return null;
	return CODES.get(normalName(text)) ?? CODES.get(plain) ?? null;
}

/** Maximum edit distance from a state's name. */
const STATE_NAME_EDITS_MAX = 2;

/** Letters of a state's name from which on its beginning alone names it. */
const STATE_PREFIX_MIN = 4;

const LONGEST_STATE_NAME = Math.max(...STATE_NAMES.map(([name]) => name.length));

/** Forms that hold a code or a name: `US-TX` (ISO 3166-2), `Texas (TX)`, `State of Texas`. */
const STATE_FORMS: readonly RegExp[] = [
	/^(?:us|ca)-([a-z]{2})$/i,
	/\(([a-z]{2})\)$/i,
	/^(?:state|province|commonwealth) of (.+)$/i,
];
const LONGEST_FORM = LONGEST_STATE_NAME + 20;

/**
 * The code of the state or province that `given` most likely means, for the suggestion where it is refused: by
 * {@link stateCodeOf} of it or of what a form holds, the beginning of its English name, or the nearest such name
 * within two edits; null if there is none.
 */
export function stateNamed(given: string): string | null {
	const text = given.trim().slice(0, LONGEST_FORM);
	const held = STATE_FORMS.map((form) => form.exec(text)?.[1]).find((each) => each !== undefined);
	const known = stateCodeOf(text) ?? (held === undefined ? null : stateCodeOf(held));
	if (known !== null) return known;
	const wanted = text.replaceAll(".", "").toLowerCase();
	const begun = JURISDICTIONS.filter(({ name }) => name.toLowerCase().startsWith(wanted));
	if (wanted.length >= STATE_PREFIX_MIN && begun.length === 1) return begun[0].state;
	let best: string | null = null;
	let least = Math.min(STATE_NAME_EDITS_MAX, Math.floor(wanted.length / 3)) + 1;
	for (const { state, name } of JURISDICTIONS) {
		const edits = textDistance(wanted, name.toLowerCase());
		if (edits < least) [best, least] = [state, edits];
	}
	return best;
}
