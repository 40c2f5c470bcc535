/**
 * Names of people: which first and last names exist, how common each is within a heritage, and the mix of
 * heritages in each part of the continent.
 *
 * The lists are those of @faker-js/faker's locales, used as data; the most common names of each heritage are
 * ranked in name-ranks.ts, since the locales are alphabetical. Within a heritage the n-th name has a share of
 * about 1 / (n + offset), as in census counts.
 */

import type { LocaleDefinition } from "@faker-js/faker";
import {
	cs_CZ,
	da,
	de,
	en,
	en_AU,
	en_IN,
	en_NG,
	es,
	es_MX,
	fi,
	fr,
	fr_CH,
	hr,
	hu,
	it,
	nb_NO,
	nl,
	pl,
	pt_BR,
	pt_PT,
	ro,
	sv,
	tr,
	vi,
} from "@faker-js/faker";
import {
	ANGLO_BEGINNINGS,
	ANGLO_ENDINGS,
	ANGLO_RANKS,
	ASIAN_FEMALE_RANKS,
	ASIAN_MALE_RANKS,
	ASIAN_RANKS,
	COMMON_EUROPEAN_RANKS,
	FEMALE_RANKS,
	FRENCH_FEMALE_RANKS,
	FRENCH_MALE_RANKS,
	FRENCH_RANKS,
	HISPANIC_RANKS,
	INDIAN_RANKS,
	MALE_RANKS,
} from "./name-ranks.js";
import { keyOfSeed, mix, type Sampler, samplerOf, subkey, zipfWeights } from "./random.js";
import { type Lettered, lettered, plainText, slug, type TextTable, textTable } from "./text-table.js";

export type Heritage = "anglo" | "hispanic" | "french" | "asian" | "indian" | "european";
export const HERITAGES: readonly Heritage[] = ["anglo", "hispanic", "french", "asian", "indian", "european"];

/** Samplers of one heritage; they draw indexes into the vocabulary of names. */
export interface HeritageNames {
	readonly last: Sampler;
	readonly female: Sampler;
	readonly male: Sampler;
}

export interface NameVocabulary {
	/** Each name in the spelling of its own language. */
	readonly names: readonly string[];
	readonly lettered: Lettered;
	/** The names as parts of e-mail addresses. */
	readonly slugs: TextTable;
	/** In the order of {@link HERITAGES}. */
	readonly heritages: readonly HeritageNames[];
}

const words = (list: string) =>
	list.split(" ").map((word) => word.replace(/^(St\.|Van|Dela)(?=[A-Z])/, "$1 "));

type Sex = "female" | "male";

/** Names that a locale lists. */
function listed(
	definition: LocaleDefinition,
	part: "first_name" | "last_name",
	sex?: Sex,
): readonly string[] {
	const entry = definition.person?.[part];
	return [...(sex === undefined ? (entry?.generic ?? []) : (entry?.[sex] ?? []))];
}

const lasts = (...definitions: LocaleDefinition[]) =>
	definitions.flatMap((definition) => listed(definition, "last_name"));

function placeLikeSurnames(): string[] {
	return words(ANGLO_BEGINNINGS).flatMap((start) => words(ANGLO_ENDINGS).map((end) => start + end));
}

/** Letters that a licensing body's system can represent; names in other scripts are skipped. */
const WRITABLE = /^[A-Za-z][A-Za-z'. -]*$/;

/** A sort key independent of the alphabet: a hash of the text. */
function textKey(text: string): number {
	let key = keyOfSeed(text.length);
	for (let i = 0; i < text.length; i++) key = mix(key + text.charCodeAt(i));
	return key;
}

/** The representable names, in a fixed pseudo-random order. */
function shuffled(names: readonly string[]): string[] {
	return names
		.filter((name) => WRITABLE.test(plainText(name)))
		.map((name) => ({ name, order: textKey(name) >>> 0 }))
		.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
		.map(({ name }) => name);
}

/** Names of one heritage and kind. */
interface NameList {
	/** As in name-ranks.ts. */
	readonly ranked: string;
	readonly listed: readonly string[];
	readonly rare?: readonly string[];
}

/** How much rarer a rare name is than its rank implies. */
const RARE = 0.2;

class NameCollector {
	readonly names: string[] = [];
	private readonly indexes = new Map<string, number>();

	private index(name: string): number {
		const known = this.indexes.get(name);
		if (known !== undefined) return known;
		this.indexes.set(name, this.names.length);
		this.names.push(name);
		return this.names.length - 1;
	}

	/** A sampler over the ranked names, the most common first, then the listed, then the rare ones. */
	sampler(names: NameList, offset: number): Sampler {
		const ranked = words(names.ranked);
		const common = new Set([...ranked, ...shuffled(names.listed)]);
		const all = [...new Set([...common, ...shuffled(names.rare ?? [])])];
		const weights = Array.from(zipfWeights(all.length, offset), (weight, i) =>
			i < common.size ? weight : weight * RARE,
		);
		// A few of the accented names are decomposed (NFD), as some systems export them.
		const decomposed = all.map((name, i) => ({ name: name.normalize("NFD"), weight: weights[i] / 40 }));
		for (const { name, weight } of decomposed.filter(({ name }, i) => name !== all[i])) {
			all.push(name);
			weights.push(weight);
		}
		const indexes = Uint32Array.from(all, (name) => this.index(name));
		const { slices, shift } = samplerOf(weights);
		return { slices: slices.map((rank) => indexes[rank]), shift };
	}
}

function heritageNames(collector: NameCollector, heritage: Heritage): HeritageNames {
	const of = (last: NameList, lastOffset: number, female: NameList, male: NameList): HeritageNames => ({
		last: collector.sampler(last, lastOffset),
		female: collector.sampler(female, 12),
		male: collector.sampler(male, 10),
	});
	const female = (ranked: string, ...from: LocaleDefinition[]): NameList => ({
		ranked,
		listed: from.flatMap((definition) => listed(definition, "first_name", "female")),
	});
	const male = (ranked: string, ...from: LocaleDefinition[]): NameList => ({
		ranked,
		listed: from.flatMap((definition) => listed(definition, "first_name", "male")),
	});
	const last = (ranked: string, ...from: LocaleDefinition[]): NameList => ({
		ranked,
		listed: lasts(...from),
	});
	switch (heritage) {
		case "anglo": {
			const rare = [...lasts(en_NG), ...placeLikeSurnames()];
			return of(
				{ ...last(ANGLO_RANKS, en, en_AU), rare },
				20,
				female(FEMALE_RANKS, en),
				male(MALE_RANKS, en),
			);
		}
		case "hispanic": {
			const women = female("María Ana Carmen Rosa", es, es_MX, en);
			return of(
				last(HISPANIC_RANKS, es, es_MX, pt_BR),
				15,
				women,
				male("José Juan Luis Carlos", es, es_MX, en),
			);
		}
		case "french": {
			const women = female(FRENCH_FEMALE_RANKS, fr);
			return of(last(FRENCH_RANKS, fr, fr_CH), 15, women, male(FRENCH_MALE_RANKS, fr));
		}
		case "asian":
			return of(last(ASIAN_RANKS, vi), 8, female(ASIAN_FEMALE_RANKS), male(ASIAN_MALE_RANKS));
		case "indian":
			return of(last(INDIAN_RANKS, en_IN), 6, female("Priya", en_IN), male("Raj", en_IN));
		case "european": {
			const lists = [it, de, pl, nl, sv, da, nb_NO, fi, hu, ro, cs_CZ, hr, tr, pt_PT];
			const women = female(FEMALE_RANKS, en, de, it, pl);
			return of(last(COMMON_EUROPEAN_RANKS, ...lists), 60, women, male(MALE_RANKS, en, de, it, pl));
		}
	}
}

let vocabulary: NameVocabulary | undefined;

/** The vocabulary of names, created on first use: about 15,000 names, 0.2 s. */
export function nameVocabulary(): NameVocabulary {
	if (vocabulary === undefined) {
		const collector = new NameCollector();
		const heritages = HERITAGES.map((heritage) => heritageNames(collector, heritage));
		const { names } = collector;
		vocabulary = { names, lettered: lettered(names), slugs: textTable(names.map(slug)), heritages };
	}
	return vocabulary;
}

/** Share of each heritage, in the order of {@link HERITAGES}, by part of the continent. */
const MIXES = {
	heartland: [76, 4, 2, 2, 1, 15],
	south: [80, 8, 4, 2, 2, 4],
	gulf: [66, 8, 18, 3, 1, 4],
	border: [50, 36, 1, 5, 3, 5],
	florida: [50, 34, 3, 3, 3, 7],
	pacific: [49, 22, 1, 17, 5, 6],
	islands: [37, 9, 1, 45, 1, 7],
	mountain: [76, 13, 1, 3, 1, 6],
	northeast: [57, 11, 3, 7, 6, 16],
	"new-england": [66, 5, 13, 3, 2, 11],
	caribbean: [5, 92, 1, 1, 0, 1],
	ontario: [48, 3, 4, 14, 21, 10],
	quebec: [9, 2, 77, 3, 3, 6],
	prairie: [59, 2, 5, 9, 13, 12],
	"british-columbia": [48, 2, 3, 25, 16, 6],
	acadia: [60, 1, 32, 2, 3, 2],
	atlantic: [85, 1, 7, 2, 3, 2],
} as const satisfies Record<string, readonly number[]>;

export type Mix = keyof typeof MIXES;

export function isMix(name: string): name is Mix {
	return Object.hasOwn(MIXES, name);
}

/** Draws an index into {@link HERITAGES}. */
export function mixSampler(mixName: Mix): Sampler {
	return samplerOf(MIXES[mixName], 10);
}

/** `First Last` of a person identified only by the key `key`, such as a broker. */
export function nameOfKey(
	names: NameVocabulary,
	mixOf: Sampler,
	key: number,
): { first: string; last: string } {
	const heritage = names.heritages[mixOf.slices[mix(key) >>> mixOf.shift]];
	const firstNames = (key & 1) === 0 ? heritage.female : heritage.male;
	const first = firstNames.slices[subkey(key, 1) >>> firstNames.shift];
	const last = heritage.last.slices[subkey(key, 2) >>> heritage.last.shift];
	return { first: names.names[first], last: names.names[last] };
}
