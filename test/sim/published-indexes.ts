/** The object store of the simulation: every index of months that was ever published. */

import type { MonthIndex } from "../../formats/object-store/index.js";

/** How long before a month goes live it is announced, in milliseconds: at once, too late to be downloaded, in time. */
const AHEAD_MS = [0, 500, 1_500, 3_000, 6_000, 12_000] as const;
/** One in so many is another version of the newest month. */
const REPLACED_ONE_IN = 3;

export class PublishedIndexes {
	readonly #indexes: MonthIndex[];
	/** Of the newest version of any month; versions are numbered as they are published. */
	#version = 1;
	#months = 1;

	/** One month is live at `nowMs`. */
	constructor(nowMs: number) {
		const months = { [monthNamed(1)]: { manifest: manifestOf(1), live_at: nowMs } };
		this.#indexes = [{ format: 1, revision: 1, months }];
	}

	get newest(): MonthIndex {
		return this.#indexes[this.#indexes.length - 1];
	}

	/** An index older than the newest by one and `more`, or the first. */
	before(more: number): MonthIndex {
		return this.#indexes[Math.max(0, this.#indexes.length - 2 - more)];
	}

	/** Announces a month or another version of one; `amount` selects which, and when it goes live. */
	publish(amount: number, nowMs: number): void {
		const isReplacement = amount % REPLACED_ONE_IN === 0;
		if (!isReplacement) this.#months++;
		const live_at = nowMs + AHEAD_MS[Math.floor(amount / REPLACED_ONE_IN) % AHEAD_MS.length];
		const { newest } = this;
		const months = {
			...newest.months,
			[monthNamed(this.#months)]: { manifest: manifestOf(++this.#version), live_at },
		};
		this.#indexes.push({ format: 1, revision: newest.revision + 1, months });
	}
}

/** The number of a version, from its manifest. */
export function versionOf(manifest: string): number {
	return Number(manifest);
}

function manifestOf(version: number): string {
	return String(version);
}

/** Months by number, in their order. */
function monthNamed(number: number): string {
	return `${2000 + Math.floor(number / 12)}-${String(1 + (number % 12)).padStart(2, "0")}`;
}
