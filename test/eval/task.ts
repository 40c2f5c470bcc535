/** Tasks: a question with a truth that is computed from the drops, and a scripted policy that answers it. */

import type { Draw } from "../oracle/draw.js";
import type { Drop, DropRow } from "./drop.js";
import type { Session } from "./session.js";

/** The months of an evaluation, oldest first, and where subjects are drawn from. */
export interface World {
	readonly drops: readonly Drop[];
	readonly latest: Drop;
	readonly previous: Drop;
	readonly oldest: Drop;
	readonly draw: Draw;
	/** States by their rows in the latest month, fewest first. */
	readonly states: readonly string[];
}

/** Which key a task is asked with. */
export type TaskKey = "full" | "trial" | "texas" | "latest" | "slow";

export interface Task {
	readonly kind: string;
	/** What a person asks. */
	readonly question: string;
	readonly key: TaskKey;
	/** Computed from the drops, never by the engine. */
	readonly truth: unknown;
	/** The answer; null where it could not be found out. */
	answer(session: Session): Promise<unknown>;
}

/** Makes the tasks of one kind, one for each subject. */
export type TaskMaker = (world: World) => Task[];

/** A row of the latest month that meets `test`, drawn; throws where none does. */
export function draw(
	{ latest, draw: from }: World,
	what: string,
	test: (row: DropRow, number: number) => boolean,
): DropRow {
	const start = from.below(latest.rows);
	for (let i = 0; i < latest.rows; i++) {
		const number = (start + i) % latest.rows;
		const row = latest.row(number);
		if (test(row, number)) return row;
	}
	throw new RangeError(`no row is ${what}`);
}

/** The value of each key as text, keys sorted: to compare maps. */
export function sorted<T>(values: Readonly<Record<string, T>>): Record<string, T> {
	return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Counts of an aggregate by its first dimension. */
export function countsOf(data: unknown): Record<string, number> {
	const groups = data as { by: Record<string, string | null>; rows: number }[];
	const entries = groups.flatMap(({ by, rows }): [string, number][] => {
		const [value] = Object.values(by);
		return value === null ? [] : [[value, rows]];
	});
	return sorted(Object.fromEntries(entries));
}
