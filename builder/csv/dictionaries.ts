/**
 * A worker's dictionaries of a month: one interner per dictionary column, which persists across chunks and files,
 * and a cache of the jurisdictions of `state` values.
 */

import { type ColumnName, columnNamed } from "../../formats/domain/columns.js";
import { findJurisdiction } from "../../formats/domain/jurisdictions.js";
import { stateCodeOf } from "../../formats/domain/state-names.js";
import { invariant } from "../../formats/errors.js";
import { countryCodeOf } from "../input/country-names.js";
import { blockOfText } from "./byte-block.js";
import { Interner } from "./interner.js";
import type { WorkerDictionary } from "./parsed-month.js";

/** Codes of the two countries: the country dictionary's first values. */
const COUNTRY_CODE = { US: 0, CA: 1 } as const;

/** {@link Dictionaries.countryOfState} of a text that names no jurisdiction. */
export const NO_JURISDICTION = 2;

const UNKNOWN_YET = 255;

/** The codes `US` and `CA` as big-endian words of 16 bits. */
const US_LETTERS = 0x5553;
const CA_LETTERS = 0x4341;
/** Bytes of the longest name of a country, with room for dots and accents apart; longer cells name none. */
const COUNTRY_BYTES_MAX = 64;

export class Dictionaries {
	private readonly interners = new Map<ColumnName, Interner>();
	/** Country by code of `state`; UNKNOWN_YET if not looked up yet. */
	private countries = new Uint8Array(256).fill(UNKNOWN_YET);
	/** By code of `state`, once it was looked up: code of the postal code that its text is or names. */
	private canonical = new Int32Array(256);
	/** Texts of `country` cells other than the codes, which are not stored. */
	private readonly countryTexts = new Interner("country texts");
	/** By code of such a text: the country that it names. */
	private readonly namedCountries: number[] = [];

	constructor() {
		for (const country of ["US", "CA"] as const) {
			invariant(this.codeOf("country", country) === COUNTRY_CODE[country], "countries have their codes");
		}
	}

	/** The interner of a dictionary column. */
	of(column: ColumnName): Interner {
		let interner = this.interners.get(column);
		if (interner === undefined) {
			interner = new Interner(columnNamed(column).name, true);
			this.interners.set(column, interner);
		}
		return interner;
	}

	/** Code of `value` in the dictionary of `column`. */
	codeOf(column: ColumnName, value: string): number {
		const { block, length } = blockOfText(value);
		return this.of(column).intern(block.words, 0, length);
	}

	/**
	 * The code of the postal code of the jurisdiction that the text of code `state` names; `state` itself if it is
	 * a postal code.
	 */
	codeOfState(state: number): number {
		const country = this.countryOfState(state);
		return country === NO_JURISDICTION ? state : this.canonical[state];
	}

	/** {@link COUNTRY_CODE} of the state with code `state`, or {@link NO_JURISDICTION}. */
	countryOfState(state: number): number {
		const known = state < this.countries.length ? this.countries[state] : UNKNOWN_YET;
		return known === UNKNOWN_YET ? this.learnState(state) : known;
	}

	/** {@link COUNTRY_CODE} of the country that words[start, end) names, or {@link NO_JURISDICTION}. Cost O(length). */
	countryOfText(words: DataView, start: number, end: number): number {
		if (end - start === 2) {
			const letters = words.getUint16(start);
			if (letters === US_LETTERS) return COUNTRY_CODE.US;
			if (letters === CA_LETTERS) return COUNTRY_CODE.CA;
		}
		if (end - start > COUNTRY_BYTES_MAX) return NO_JURISDICTION;
		const text = this.countryTexts.intern(words, start, end);
		for (let known = this.namedCountries.length; known <= text; known++) {
			const code = countryCodeOf(Buffer.from(this.countryTexts.value(known)).toString("utf8"));
			this.namedCountries.push(code === null ? NO_JURISDICTION : COUNTRY_CODE[code]);
		}
		return this.namedCountries[text];
	}

	private learnState(state: number): number {
		if (state >= this.countries.length) {
			const countries = new Uint8Array(2 * state).fill(UNKNOWN_YET);
			const canonical = new Int32Array(2 * state);
			countries.set(this.countries);
			canonical.set(this.canonical);
			this.countries = countries;
			this.canonical = canonical;
		}
		const text = Buffer.from(this.of("state").value(state)).toString("utf8");
		const code = stateCodeOf(text);
		const jurisdiction = code === null ? undefined : findJurisdiction(code);
		this.canonical[state] = code === null || code === text ? state : this.codeOf("state", code);
		this.countries[state] = jurisdiction === undefined ? NO_JURISDICTION : COUNTRY_CODE[jurisdiction.country];
		return this.countries[state];
	}

	/** All dictionaries, sharing their memory. REQUIRES: nothing is added afterwards. */
	take(): Map<ColumnName, WorkerDictionary> {
		return new Map([...this.interners].map(([column, interner]) => [column, interner.dictionary()]));
	}
}
