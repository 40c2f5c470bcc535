/** The hostile cases as they are sent: whole, split into packets at random, and as random mutants. */

import { Draw } from "../../oracle/draw.js";
import { SEED } from "../../oracle/seeded.js";
import type { HostileCase } from "./cases.js";

/** Packets a request is cut into at most. */
const SEGMENTS_MAX = 5;

/** `bytes` cut at up to {@link SEGMENTS_MAX} - 1 random places. */
function cut(bytes: string, draw: Draw): string[] {
	const cuts = Array.from({ length: 1 + draw.below(SEGMENTS_MAX - 1) }, () => draw.below(bytes.length + 1));
	const ends = [...cuts.sort((a, b) => a - b), bytes.length];
	return ends.map((end, i) => bytes.slice(i === 0 ? 0 : ends[i - 1], end)).filter((part) => part !== "");
}

/** `bytes` with one byte changed, removed or inserted: mutants of every case. */
function mutate(bytes: string, draw: Draw): string {
	const at = draw.below(Math.min(bytes.length, 400));
	const other = draw.pick(["\0", "\t", "\n", "\r", " ", ":", ",", ";", "0", "\x7f", "\xff", "\r\n", ""]);
	return bytes.slice(0, at) + other + bytes.slice(at + draw.below(2));
}

export interface Attempt {
	readonly from: HostileCase;
	readonly segments: readonly string[];
	/** Mutants may have become plain requests: they are held only to what holds for all. */
	readonly mutant: boolean;
}

/** Every case whole, every case in packets, then near misses of them. */
export function* attempts(cases: readonly HostileCase[], mutants: number): Generator<Attempt> {
	for (const from of cases) yield { from, segments: [from.bytes], mutant: false };
	for (const [i, from] of cases.entries())
		yield { from, segments: cut(from.bytes, new Draw(SEED, i)), mutant: false };
	for (let i = 0; i < mutants; i++) {
		const draw = new Draw(SEED, 1_000 + i);
		const from = draw.pick(cases);
		yield { from, segments: cut(mutate(from.bytes, draw), draw), mutant: true };
	}
}
