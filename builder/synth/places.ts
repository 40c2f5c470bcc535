/**
 * Places: which cities a jurisdiction has, their postal codes, and how many people live there.
 *
 * United States: the real ZIP codes and their cities (package zipcodes). A city's share grows with
 * the number of its ZIP codes. Canada: the larger cities, with the first two characters of their
 * postal codes (canadian-cities.ts).
 */

import { createRequire } from "node:module";
import { CANADIAN_CITIES } from "./canadian-cities.js";
import { type Sampler, samplerOf } from "./random.js";
import { type Lettered, lettered, type TextTable, textTable } from "./text-table.js";

interface ZipRecord {
	readonly zip: string;
	readonly city: string;
	readonly state: string;
	readonly country: string;
}

/** Places of one jurisdiction, as indexes into {@link Gazetteer}. */
export interface Places {
	/** City of each place. */
	readonly cities: Uint32Array;
	/** Postal code of each place: a ZIP code, or a forward sortation area. */
	readonly postals: Uint32Array;
	/** Draws a place by population. */
	readonly sampler: Sampler;
}

export interface Gazetteer {
	readonly cityNames: readonly string[];
	readonly cities: Lettered;
	readonly postals: TextTable;
	readonly places: ReadonlyMap<string, Places>;
}

interface Place {
	readonly city: string;
	readonly postal: string;
	readonly weight: number;
}

/** ZIP codes of a sorting center, where nobody lives. */
const NOT_A_CITY = new Set(["Parcel Return Service"]);
/** Cities many of whose ZIP codes belong to single offices, and the share of their weight that remains. */
const OFFICE_CITIES = new Set(
	"CA Sacramento|TX El Paso|NY Albany|PA Harrisburg|NJ Trenton|VA Roanoke|FL Saint Petersburg|NC Charlotte|MI Lansing".split(
		"|",
	),
);
const OFFICE_CITY_WEIGHT = 0.3;
/** Cities whose Spanish spelling the list of ZIP codes lacks. */
const ACCENTED_CITIES: ReadonlyMap<string, string> = new Map(
	(
		"Bayamon:Bayamón Mayaguez:Mayagüez Catano:Cataño Canovanas:Canóvanas Loiza:Loíza Manati:Manatí Rincon:Rincón " +
		"Anasco:Añasco Penuelas:Peñuelas Guanica:Guánica Comerio:Comerío Juana-Diaz:Juana-Díaz"
	)
		.split(" ")
		.map((pair) => pair.replaceAll("-", " ").split(":") as [string, string]),
);

function unitedStates(): Map<string, Place[]> {
	const { codes } = createRequire(import.meta.url)("zipcodes/lib/codes.js") as {
		codes: Record<string, ZipRecord>;
	};
	const records = Object.values(codes)
		.filter((record) => record.country === "US" && !NOT_A_CITY.has(record.city))
		.sort((a, b) => (a.zip < b.zip ? -1 : 1));
	const zipsOfCity = new Map<string, number>();
	const key = (record: ZipRecord) => `${record.state} ${record.city}`;
	for (const record of records) zipsOfCity.set(key(record), (zipsOfCity.get(key(record)) ?? 0) + 1);
	const places = new Map<string, Place[]>();
	for (const record of records) {
		// The city's share grows with its ZIP codes to the power of 1.5: city ZIP codes have more people than
		// rural ones.
		const factor = OFFICE_CITIES.has(key(record)) ? OFFICE_CITY_WEIGHT : 1;
		const weight = factor * Math.sqrt(zipsOfCity.get(key(record)) ?? 1);
		const city = record.state === "PR" ? (ACCENTED_CITIES.get(record.city) ?? record.city) : record.city;
		const list = places.get(record.state) ?? [];
		list.push({ city, postal: record.zip, weight });
		places.set(record.state, list);
	}
	return places;
}

const THIRD_CHARACTERS = [..."ABCEGHJKLMNPRSTVWXYZ"];

function canada(): Map<string, Place[]> {
	const places = new Map<string, Place[]>();
	for (const [province, list] of Object.entries(CANADIAN_CITIES)) {
		const ofProvince = list.split("|").flatMap((entry) => {
			const [city, thousands, prefixes] = entry.split("*");
			const postals = prefixes
				.split(" ")
				.flatMap((prefix) =>
					prefix.length === 3 ? [prefix] : THIRD_CHARACTERS.map((third) => prefix + third),
				);
			return postals.map((postal) => ({ city, postal, weight: Number(thousands) / postals.length }));
		});
		places.set(province, ofProvince);
	}
	return places;
}

/** Numbers distinct texts in order of appearance. */
class TextCollector {
	readonly texts: string[] = [];
	private readonly indexes = new Map<string, number>();

	index(text: string): number {
		const known = this.indexes.get(text);
		if (known !== undefined) return known;
		this.indexes.set(text, this.texts.length);
		return this.texts.push(text) - 1;
	}
}

let gazetteer: Gazetteer | undefined;

/** The gazetteer, created on first use: 42,000 ZIP codes, 0.5 s. */
export function openGazetteer(): Gazetteer {
	if (gazetteer === undefined) {
		const cities = new TextCollector();
		const postals = new TextCollector();
		const places = new Map<string, Places>();
		for (const [state, list] of [...unitedStates(), ...canada()]) {
			places.set(state, {
				cities: Uint32Array.from(list, (place) => cities.index(place.city)),
				postals: Uint32Array.from(list, (place) => postals.index(place.postal)),
				sampler: samplerOf(
					list.map((place) => place.weight),
					14,
				),
			});
		}
		gazetteer = {
			cityNames: cities.texts,
			cities: lettered(cities.texts),
			postals: textTable(postals.texts),
			places,
		};
	}
	return gazetteer;
}
