/**
 * Street addresses, postal codes, e-mail addresses and phone numbers.
 *
 * None of them is a real contact: mail domains end in `.example`, which is reserved, and phone numbers have the
 * exchange 555, which is not assigned to subscribers.
 */

import { en, en_US } from "@faker-js/faker";
import type { CsvBuffer } from "./csv-buffer.js";
import type { NameVocabulary } from "./names.js";
import type { Person } from "./person.js";
import type { PostalStyle } from "./profiles.js";
import { type Bits, below, chance, draw, type Sampler, sample, samplerOf, zipfWeights } from "./random.js";
import { type Lettered, lettered, type TextTable, textTable } from "./text-table.js";

const SPACE = 0x20;
const COMMA = 0x2c;
const DASH = 0x2d;
const PERIOD = 0x2e;
const UNDERSCORE = 0x5f;
const AT = 0x40;

const COMMON_STREETS =
	"Main St|Oak St|Park Ave|Maple Ave|Washington St|2nd St|3rd St|Elm St|Broadway|Highland Ave|Cedar Ln|Lake Dr|" +
	"Sunset Blvd|Church St|Pine St|Hwy 41|N Main St|S Main St|Martin Luther King Jr Blvd|County Road 220|State Route 9|" +
	"Peachtree Rd NE|NW 7th Ave|E University Dr|W 34th St|El Camino Real|Ranch Road 620 S|Old Mill Rd|Country Club Dr";
const STREET_ENDINGS = [
	"St",
	"Ave",
	"Dr",
	"Rd",
	"Ln",
	"Blvd",
	"Ct",
	"Way",
	"Pl",
	"Cir",
	"Ter",
	"Trl",
	"Pkwy",
];
const FRENCH_STREETS =
	"rue Sainte-Catherine O|boul. René-Lévesque E|rue Saint-Denis|av. du Parc|chemin de la Côte-des-Neiges|rue Sherbrooke O|" +
	"boul. Laurier|rue Principale|Grande Allée E|rue de l'Église|rang Saint-Joseph|rue Notre-Dame|boul. Taschereau|" +
	"av. Cartier|rue King O|boul. Saint-Martin O|rue des Érables|place D'Youville|montée Masson|route 138";

/** Streets of a list, the most common first. */
interface Streets {
	readonly names: Lettered;
	readonly sampler: Sampler;
}

function streetsOf(names: readonly string[]): Streets {
	return { names: lettered(names), sampler: samplerOf(zipfWeights(names.length, 30)) };
}

/** `Abbey Road` and `Abbey`; the second gets a street suffix. */
function englishStreets(): string[] {
	const listed = en_US.location?.street_name ?? [];
	const made = (en.location?.street_name ?? []).map((name, i) => {
		const first = name.replace(/ (?:Street|Avenue|Road|Lane|Drive|Close|Way|Court|Place)$/, "");
		return `${first} ${STREET_ENDINGS[(i * 7) % STREET_ENDINGS.length]}`;
	});
	return [...COMMON_STREETS.split("|"), ...new Set([...made, ...listed])];
}

const ENGLISH = streetsOf(englishStreets());
const FRENCH = streetsOf(FRENCH_STREETS.split("|"));

const UNITS = lettered([" Apt ", " Unit ", " Ste ", " # ", ", Suite ", " Apt. ", ", bureau "]);
const ENGLISH_UNIT_COUNT = 6;
const FRENCH_UNIT = 6;
const PO_BOXES = lettered(["PO Box ", "P.O. Box ", "P O BOX ", "C.P. "]);
const FRENCH_PO_BOX = 3;
/** Shorter house numbers are more common. */
const HOUSE_NUMBERS_MAX = [99, 999, 999, 9999, 9999, 19_999];
const PO_BOX_SHARE = 0.04;
const UNIT_SHARE = 0.1;
const ODD_ADDRESS_SHARE = 0.0006;
const ODD_ADDRESSES = textTable([
	'"The Lofts" at 5th & Main, #2',
	"-",
	"=N/A",
	"@ the office",
	"+",
	"12½ Elm St",
	"c/o Broker",
]);
const ODD_ADDRESS_COUNT = 7;

export function writeAddress(key: Bits, letters: keyof Lettered, french: boolean, out: CsvBuffer): void {
	const kind = draw(key, 201);
	if (chance(kind, ODD_ADDRESS_SHARE)) {
		out.text(ODD_ADDRESSES, below(draw(key, 202), ODD_ADDRESS_COUNT));
		return;
	}
	const digits = draw(key, 203);
	if (chance(kind, ODD_ADDRESS_SHARE + PO_BOX_SHARE)) {
		out.text(PO_BOXES[letters], french ? FRENCH_PO_BOX : below(draw(key, 202), FRENCH_PO_BOX));
		out.number(1 + below(digits, 9999));
		return;
	}
	out.number(1 + below(digits, HOUSE_NUMBERS_MAX[below(draw(key, 204), HOUSE_NUMBERS_MAX.length)]));
	if (french) out.byte(COMMA);
	out.byte(SPACE);
	const streets = french ? FRENCH : ENGLISH;
	out.text(streets.names[letters], sample(streets.sampler, draw(key, 205)));
	const unit = draw(key, 206);
	if (!chance(unit, UNIT_SHARE)) return;
	out.text(UNITS[letters], french ? FRENCH_UNIT : below(draw(unit, 1), ENGLISH_UNIT_COUNT));
	out.number(1 + below(draw(unit, 2), 420));
}

const POSTAL_LETTERS = textTable([..."ABCEGHJKLMNPRSTVWXYZ"]);
const POSTAL_LETTER_COUNT = 20;

/** The place's postal code, completed in the given style: a ZIP+4, or the second half of a Canadian code. */
export function writePostalCode(
	key: Bits,
	postals: TextTable,
	postal: number,
	style: PostalStyle,
	out: CsvBuffer,
): void {
	out.text(postals, postal);
	const bits = draw(key, 211);
	switch (style) {
		case "5":
			return;
		case "5/9":
			if ((bits & 3) !== 0) return;
			break;
		case "9":
		case "9-bare":
			// Some addresses have only the first five digits.
			if ((bits & 15) === 0) return;
			break;
		default:
			if (style === "A1A-1A1") out.byte(SPACE);
			out.number(below(draw(bits, 1), 10));
			out.text(POSTAL_LETTERS, below(draw(bits, 2), POSTAL_LETTER_COUNT));
			out.number(below(draw(bits, 3), 10));
			return;
	}
	if (style !== "9-bare") out.byte(DASH);
	out.number(1 + below(draw(bits, 4), 9998), 4);
}

const MAIL_DOMAINS = textTable([
	"mail",
	"inbox",
	"homes",
	"post",
	"fastmail",
	"agents",
	"realtymail",
	"online",
	"my",
]);
const MAIL_DOMAIN_SAMPLER = samplerOf([40, 22, 10, 8, 6, 5, 4, 3, 2]);
const EXAMPLE = new TextEncoder().encode(".example");
const OFFICE_DOMAIN_SHARE = 0.25;
const NUMBERED_SHARE = 0.3;

/** The domain of office number `office` for some of those who have an office; a mail provider's for the rest. */
export function writeEmail(
	key: Bits,
	person: Person,
	vocabulary: NameVocabulary,
	officeDomains: TextTable,
	office: number,
	out: CsvBuffer,
): void {
	const bits = draw(key, 221);
	const style = bits & 7;
	if (style === 0) {
		out.asciiInitial(vocabulary.slugs, person.first);
		out.text(vocabulary.slugs, person.last);
	} else {
		out.text(vocabulary.slugs, person.first);
		if (style < 5) out.byte(PERIOD);
		else if (style === 5) out.byte(UNDERSCORE);
		out.text(vocabulary.slugs, person.last);
	}
	if (chance(draw(bits, 1), NUMBERED_SHARE)) out.number(below(draw(bits, 2), 100));
	out.byte(AT);
	if (office >= 0 && chance(draw(bits, 3), OFFICE_DOMAIN_SHARE)) out.text(officeDomains, office);
	else out.text(MAIL_DOMAINS, sample(MAIL_DOMAIN_SAMPLER, draw(bits, 4)));
	out.literal(EXAMPLE);
}

const INFO = new TextEncoder().encode("info@");

export function writeOfficeEmail(officeDomains: TextTable, office: number, out: CsvBuffer): void {
	out.literal(INFO);
	out.text(officeDomains, office);
	out.literal(EXAMPLE);
}

/** Lines of the exchange 555 that are in use: directory assistance. */
const DIRECTORY_LINE = 1212;
export const PHONE_STYLES = 4;

/** `style`: 0 305-555-0142, 1 (305) 555-0142, 2 3055550142, 3 +1 305 555 0142. */
export function writePhone(key: Bits, areaCodes: readonly number[], style: number, out: CsvBuffer): void {
	const areaCode = areaCodes[below(draw(key, 231), areaCodes.length)];
	const line = below(draw(key, 232), 10_000);
	const safeLine = line === DIRECTORY_LINE ? line + 1 : line;
	if (style === 1) out.byte(0x28);
	if (style === 3) {
		out.byte(0x2b);
		out.byte(0x31);
		out.byte(SPACE);
	}
	out.number(areaCode, 3);
	if (style === 1) out.byte(0x29);
	if (style === 0) out.byte(DASH);
	else if (style !== 2) out.byte(SPACE);
	out.number(555, 3);
	if (style === 3) out.byte(SPACE);
	else if (style !== 2) out.byte(DASH);
	out.number(safeLine, 4);
}
