/**
 * Parameters for questions, drawn from a snapshot by seed: values of random rows, so that answers
 * resemble those of real use.
 */

import type { Snapshot } from "../../engine/index.js";
import type { ColumnName, StateRun } from "../../formats/index.js";
import { Choices } from "./choices.js";

/** Rows sampled for a value before a column is taken to have none. */
const TRIES_MAX = 1000;

const DAY_MS = 86_400_000;

export class ValueSource {
	constructor(
		readonly snapshot: Snapshot,
		readonly draw: Choices,
	) {}

	/** The value of a column in a random row that has one; `row` is tried first. */
	value(column: ColumnName, row = this.row()): string {
		let candidate = row;
		for (let tries = 0; tries < TRIES_MAX; tries++) {
			const value = this.snapshot.value(candidate, column);
			if (value !== null) return String(value);
			candidate = this.row();
		}
		return "x";
	}

	row(): number {
		return this.draw.below(this.snapshot.rows);
	}

	/** A random row of one state. */
	rowOf(state: StateRun): number {
		return state.first + this.draw.below(state.rows);
	}

	/** The first `letters` characters of a value. */
	prefix(column: ColumnName, letters: number, row = this.row()): string {
		return Array.from(this.value(column, row)).slice(0, letters).join("").trim().toLowerCase() || "a";
	}

	/** A state, drawn with probability proportional to its rows. */
	state(): StateRun {
		const row = this.row();
		return this.snapshot.states.find((s) => row < s.first + s.rows) as StateRun;
	}

	/** Distinct states, at most `count`. */
	states(count: number): StateRun[] {
		const left = this.snapshot.states.filter((s) => s.rows > 0);
		const taken = Math.min(count, left.length);
		return Array.from({ length: taken }, () => left.splice(this.draw.below(left.length), 1)[0]);
	}

	/** `date` plus `days`. */
	static shift(date: string, days: number): string {
		return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
	}

	/** One of the rarest values of a column in a sample of rows. */
	rare(column: ColumnName): string {
		const seen = new Map<string, number>();
		for (let i = 0; i < TRIES_MAX; i++) {
			const value = this.value(column);
			seen.set(value, (seen.get(value) ?? 0) + 1);
		}
		const byRows = [...seen].sort((a, b) => a[1] - b[1]);
		return this.draw.pick(byRows.slice(0, 5))[0];
	}

	/** A source over the same snapshot with its own stream of choices. */
	static seeded(snapshot: Snapshot, seed: number, stream: number): ValueSource {
		return new ValueSource(snapshot, new Choices(seed, stream));
	}
}
