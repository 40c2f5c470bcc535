/**
 * Names of jurisdictions as rosters write them: postal codes in any case and with dots, full names in
 * English, French and Spanish, and traditional abbreviations. Compared without case, accents and
 * punctuation.
 */

import { findJurisdiction, JURISDICTIONS } from "../../formats/jurisdictions.js";

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
	DC: "District of Columbia|Washington DC|Washington D C|Dist of Columbia|Distrito de Columbia|District de Columbia|D C",
	FL: "Fla|Flor|Floride",
	GA: "Géorgie",
	HI: "Hawaï|Hawái|Hawaii",
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
	NL: "N L|Nfld|NF|T N|Newfoundland|Newfoundland & Labrador|Terre Neuve|Terre Neuve et Labrador|Terranova y Labrador",
	NS: "N S|Nouvelle Écosse|N É|Nueva Escocia",
	NT: "N W T|NWT|T N O|Territoires du Nord Ouest|Territorios del Noroeste",
	NU: "Nun|Nvt",
	ON: "Ont",
	PE: "PEI|P E I|Î P É|Île du Prince Édouard|Isla del Príncipe Eduardo",
	QC: "Que|Québec|P Q|PQ|Province de Québec|Province of Quebec",
	SK: "Sask",
	YT: "Yukon Territory|Yuk|YK|Territoire du Yukon|Territorio del Yukón",
};

/** Letters and digits of `text`, upper case and without accents, words separated by one space. */
function normalName(text: string): string {
	return text
		.normalize("NFKD")
		.replaceAll(/\p{M}/gu, "")
		.toUpperCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
}

const CODES: ReadonlyMap<string, string> = new Map(
	JURISDICTIONS.flatMap(({ state, name }) => {
		const names = [state, name, ...(OTHER_NAMES[state]?.split("|") ?? [])];
		// A code with dots, such as N.Y., reads as letters with blanks between them.
		return [...names, [...state].join(" ")].map((each) => [normalName(each), state] as const);
	}),
);

/** Letters, marks and what stands between the words of a name. Other characters make it no name. */
const NAME = /^[\p{L}\p{M} .,'’&-]{1,60}$/u;

/** The code of the jurisdiction that `text` names, a code or a name; null where it names none. */
export function stateCodeOf(text: string): string | null {
	if (findJurisdiction(text) !== undefined) return text;
	if (!NAME.test(text)) return null;
	return CODES.get(normalName(text)) ?? null;
}
