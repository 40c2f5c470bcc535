/**
 * The offices of one register in one month: their names, brokers and mail domains, and the number of licenses
 * of each name.
 *
 * An office keeps its name; its broker changes every few years. Memory: about 100 bytes per office, one office
 * for seven rows of the register.
 */

import { calendarMonth, License, readLicense } from "./license.js";
import { mixSampler, type NameVocabulary, nameOfKey } from "./names.js";
import type { Gazetteer, Places } from "./places.js";
import { type Bits, below, chance, draw, type Sampler, sample, subkey } from "./random.js";
import type { Register } from "./registers.js";
import { inLetters, type Letters, slug, type TextTable, textTable } from "./text-table.js";

export interface Offices {
	readonly names: TextTable;
	/** Empty if no broker is known. */
	readonly brokers: TextTable;
	/** First label of the office's mail domain. */
	readonly domains: TextTable;
	/** Licenses under the office's name, at this office or another of the same name. */
	readonly licenses: Uint32Array;
}

const BROKER_MONTHS = 60;
const DOMAIN_BYTES_MAX = 16;
/** Offices of a register that belong to one of the brands: the largest ones. */
const BRANDED_OFFICES = 90;

const words = (list: string) => list.split("|");
const BRANDS = words(
	"Meridian One Realty|Harbor & Main|RE/NORTH|Century Oak Real Estate|Keystone Alliance Realty|Blue Lantern Homes|" +
		"HomeCompass|Fathom Point Realty|Summit & Stone|Coldwater Brokers|United Hearth Properties|Better Acre Real Estate|" +
		"eKey Realty|Prime Atlas Group|Lighthouse International Realty|NextDoorway|Redwood & Pine|Sterling Row|" +
		"Open Range Realty|First Landing Real Estate|Realty ONEPLUS|Weatherby's International|Heritage House Brokers|Compass Rose",
);
const ADJECTIVES = words(
	"Blue|Golden|Silver|Grand|Premier|Elite|Classic|Coastal|Liberty|Pioneer|Heritage|Signature|Evergreen|Sunrise|" +
		"Mountain|Valley|River|Lakeside|Harbor|Capital|Southern|Northern|Western|Eastern|Royal|Urban|Village|American|National|Twin",
);
const NOUNS = words(
	"Heron|Oak|Key|Gate|Door|Hearth|Anchor|Bridge|Star|Crest|Ridge|Point|Creek|Shore|Field|Nest|Compass|Summit|Haven|" +
		"Landing|Square|Crown|Pine|Falcon|Stone|Peak|Meadow|Tree|Home|Horizon",
);
const TRADES = words(
	"Realty|Real Estate|Properties|Realty Group|Real Estate Group|Homes|& Associates|Realtors|Brokerage|Property Management|" +
		"Real Estate Services|Land Company|& Sons Realty|Commercial|Investments|Realty Partners|Auction & Realty",
);
const LEGAL_FORMS = words("| LLC|, LLC| Inc|, Inc.| Inc.| L.L.C.| Co.| Corp|, LP| Ltd.| PLLC");
const CANADIAN_FORMS = words("| Inc.| Ltd.|, Brokerage| Ltd., Brokerage| Inc., Brokerage| (2019) Ltd.");
const FRENCH_FORMS = words(" inc.| ltée|, agence immobilière| S.E.N.C.|");
/** Names that cause problems in spreadsheets and careless parsers. */
const ODD_NAMES: readonly ((name: string) => string)[] = [
	(name) => `@Home ${name}`,
	(name) => `+Plus ${name}`,
	(name) => `=Equal Door= ${name}`,
	(name) => `-30- ${name}`,
	(name) => `"${name}" Team`,
	(name) => `${name} d/b/a "The Key People", Brokers`,
	(name) => `#1 ${name}`,
	(name) => `A-1 ${name}; Sales\\Rentals`,
	(name) => `  ${name}`,
	(name) => `${name}  of the Valley `,
];
const ODD_SHARE = 0.012;

interface OfficeContext {
	readonly register: Register;
	readonly vocabulary: NameVocabulary;
	readonly gazetteer: Gazetteer;
	readonly places: Places;
	readonly mix: Sampler;
}

function pick<T>(list: readonly T[], bits: Bits): T {
	return list[below(bits, list.length)];
}

function frenchName(last: string, city: string, key: Bits): string {
	const form = pick(FRENCH_FORMS, draw(key, 20));
	switch (below(draw(key, 21), 4)) {
		case 0:
			return `Groupe immobilier ${last}${form}`;
		case 1:
			return `Immeubles ${last} & Associés${form}`;
		case 2:
			return `Agence immobilière ${city}${form}`;
		default:
			return `Équipe ${last} – Courtiers immobiliers`;
	}
}

function plainOfficeName(context: OfficeContext, key: Bits, rank: number): string {
	const city =
		context.gazetteer.cityNames[context.places.cities[sample(context.places.sampler, draw(key, 1))]];
	const { first, last } = nameOfKey(context.vocabulary, context.mix, draw(key, 2));
	const { mix, jurisdiction } = context.register.profile;
	const form = pick(jurisdiction.country === "US" ? LEGAL_FORMS : CANADIAN_FORMS, draw(key, 5));
	if (rank < BRANDED_OFFICES) {
		const brand = pick(BRANDS, draw(key, 3));
		return (draw(key, 4) & 1) === 0 ? `${brand} ${city}` : `${brand}${form}`;
	}
	if (mix === "quebec") return frenchName(last, city, key);
	const trade = pick(TRADES, draw(key, 6));
	switch (below(draw(key, 7), 8)) {
		case 0:
			return `${pick(BRANDS, draw(key, 3))} - ${city}`;
		case 1:
		case 2:
			return `${last} ${trade}${form}`;
		case 3:
			return `${city} ${trade}${form}`;
		case 4:
			return `${first} ${last}, Broker`;
		case 5:
			return `${last} & ${nameOfKey(context.vocabulary, context.mix, draw(key, 8)).last} ${trade}${form}`;
		default:
			return `${pick(ADJECTIVES, draw(key, 9))} ${pick(NOUNS, draw(key, 10))} ${trade}${form}`;
	}
}

function officeName(context: OfficeContext, key: Bits, rank: number): string {
	const name = plainOfficeName(context, key, rank);
	return chance(draw(key, 11), ODD_SHARE) ? pick(ODD_NAMES, draw(key, 12))(name) : name;
}

/** The style in which offices or people of the register are written. */
export function lettersOf(register: Register, key: Bits): Letters {
	const { letters } = register.profile;
	if (letters !== "mixed") return letters;
	return chance(draw(key, 15), 0.35) ? "plain-upper" : "plain";
}

/** Licenses by office of the register, counted by generating each of them: 0.3 µs a row. */
function countLicenses(register: Register, month: number, officeOfName: Uint32Array): Uint32Array {
	const byName = new Uint32Array(register.offices);
	const license = new License();
	for (let slot = 0; slot < register.slots; slot++) {
		readLicense(register, slot, month, license);
		if (license.office >= 0) byName[officeOfName[license.office]]++;
	}
	return byName;
}

/** The offices of `register` in month number `monthNumber`. Cost: 3 µs an office and 0.3 µs a row. */
export function openOffices(
	register: Register,
	monthNumber: number,
	vocabulary: NameVocabulary,
	gazetteer: Gazetteer,
	places: Places,
): Offices {
	const context = { register, vocabulary, gazetteer, places, mix: mixSampler(register.profile.mix) };
	const month = calendarMonth(monthNumber);
	const names: string[] = [];
	const brokers: string[] = [];
	const firstOfName = new Map<string, number>();
	const officeOfName = new Uint32Array(register.offices);
	for (let office = 0; office < register.offices; office++) {
		const key = subkey(register.key ^ 0x0ff1ce, office);
		const letters = lettersOf(register, key);
		const name = inLetters(officeName(context, key, office), letters);
		const first = firstOfName.get(name.trim()) ?? office;
		firstOfName.set(name.trim(), first);
		officeOfName[office] = first;
		names.push(name);
		const tenure = Math.floor((month + below(draw(key, 13), BROKER_MONTHS)) / BROKER_MONTHS);
		const broker = nameOfKey(vocabulary, context.mix, subkey(key, tenure));
		const inOrder =
			register.profile.order === "last"
				? `${broker.last}, ${broker.first}`
				: `${broker.first} ${broker.last}`;
		brokers.push(chance(draw(key, 14), 0.06) ? "" : inLetters(inOrder, letters));
	}
	const byName = countLicenses(register, month, officeOfName);
	return {
		names: textTable(names),
		brokers: textTable(brokers),
		domains: textTable(names.map((name) => slug(name).slice(0, DOMAIN_BYTES_MAX) || "office")),
		licenses: officeOfName.map((office) => byName[office]),
	};
}
