/**
 * The registers of a synthetic drop: the number of rows of each jurisdiction, and how its license numbers are
 * made unique.
 *
 * A register is a fixed number of slots, one row per month each. A slot holds successive licenses (license.ts):
 * when one ends, a new one replaces it in the next month. So a drop has exactly the requested rows, and any
 * month can be generated without the months before it.
 */

import { monthNumber } from "../../formats/index.js";
import { LAST_MONTH } from "./options.js";
import { PROFILES, type Profile } from "./profiles.js";
import { type Bits, below, draw, keyOfSeed, subkey } from "./random.js";

/** Minimum months that a license lasts; see license.ts. */
export const SHORTEST_LIFE_MONTHS = 36;
/** Maximum licenses of a slot up to {@link LAST_MONTH}. */
const GENERATIONS_MAX = Math.ceil((monthNumber(LAST_MONTH) + 1) / SHORTEST_LIFE_MONTHS) + 1;

/** Rows for one office, on average. */
const ROWS_PER_OFFICE = 7;
/** Below this, products are exact. */
const EXACT_MAX = 9e15;

/** A permutation of the numbers below `modulus`: distinct licenses get distinct, unordered numbers. */
export interface Numbering {
	readonly digits: number;
	readonly modulus: number;
	readonly multiplier: number;
	readonly offset: number;
}

export interface Register {
	/** Key of everything about this register. */
	readonly key: Bits;
	/** Key of everything that all registers share. */
	readonly seedKey: Bits;
	readonly profile: Profile;
	/** Rows of every month. */
	readonly slots: number;
	readonly offices: number;
	/** One for each of the profile's patterns. */
	readonly numberings: readonly Numbering[];
}

/** Apportions `rows` by `weights` exactly (largest remainder); each gets at least one row if there are enough. */
export function shareRows(rows: number, weights: readonly number[]): number[] {
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	const quotas = weights.map((weight) => (rows * weight) / total);
	const shares = quotas.map(Math.floor);
	const byRemainder = quotas
		.map((quota, i) => ({ i, remainder: quota - shares[i] }))
		.sort((a, b) => b.remainder - a.remainder || a.i - b.i);
	const left = rows - shares.reduce((sum, share) => sum + share, 0);
	for (const { i } of byRemainder.slice(0, left)) shares[i]++;
	if (rows >= weights.length) {
		for (let i = shares.indexOf(0); i >= 0; i = shares.indexOf(0)) {
			shares[shares.indexOf(Math.max(...shares))]--;
			shares[i] = 1;
		}
	}
	return shares;
}

function numbering(key: Bits, slots: number, digitsOfShape: number): Numbering {
	const digits = Math.max(digitsOfShape, String(slots * GENERATIONS_MAX - 1).length);
	const modulus = 10 ** digits;
	const spread = Math.min(Math.floor(modulus * 0.618), Math.floor(EXACT_MAX / modulus) - 10);
	// A multiplier ending in 7 is coprime with powers of ten, so all products are distinct.
	const multiplier = spread - (spread % 10) + 7;
	return { digits, modulus, multiplier, offset: below(draw(key, digits), modulus) };
}

/** The registers of a drop of `rows` rows, without those that have no row. */
export function planRegisters(rows: number, seed: number): Register[] {
	const seedKey = keyOfSeed(seed);
	const shares = shareRows(
		rows,
		PROFILES.map((profile) => profile.thousands),
	);
	return PROFILES.map((profile, i): Register => {
		const key = subkey(seedKey, i);
		const slots = shares[i];
		return {
			key,
			seedKey,
			profile,
			slots,
			offices: Math.max(1, Math.ceil(slots / ROWS_PER_OFFICE)),
			numberings: profile.numbers.map((shape) => numbering(key, slots, shape.digits)),
		};
	}).filter((register) => register.slots > 0);
}

/** The digits of the license number of generation `generation` of the slot. */
export function licenseDigits(register: Register, of: Numbering, slot: number, generation: number): number {
	const ordinal = slot + register.slots * generation;
	return (ordinal * of.multiplier + of.offset) % of.modulus;
}
