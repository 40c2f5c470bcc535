/**
 * Seeded fuzzing: every random test prints its seed, and ROLLCALL_SEED replays it. ROLLCALL_FUZZ_RUNS
 * overrides how many random cases each test runs.
 */

import type { TestContext } from "node:test";
import fc from "fast-check";
import { RUN_SEED_VARIABLE } from "../run-seed.js";

/** Seed of this process: ROLLCALL_SEED, the run's, or one drawn at the start. */
export const SEED =
	readNumber("ROLLCALL_SEED") ?? readNumber(RUN_SEED_VARIABLE) ?? Math.floor(Math.random() * 2 ** 31);

/** Random cases to try where a test would try `usual` of them. */
export function fuzzRuns(usual: number): number {
	return readNumber("ROLLCALL_FUZZ_RUNS") ?? usual;
}

function readNumber(variable: string): number | undefined {
	const text = process.env[variable];
	if (text === undefined || text === "") return undefined;
	const value = Number(text);
	if (!Number.isSafeInteger(value) || value < 0)
		throw new TypeError(`${variable} is ${text}, a whole number expected`);
	return value;
}

/**
 * Checks `property` on random values, usually `usualRuns` of them. Prints the seed; a failure reports
 * the smallest counterexample found, the seed and the path to it.
 */
export function checkProperty<T>(t: TestContext, usualRuns: number, property: fc.IProperty<T>): void {
	const numRuns = fuzzRuns(usualRuns);
	tellSeed(t, numRuns);
	fc.assert(property, { seed: SEED, numRuns });
}

/**
 * As {@link checkProperty}, for an asynchronous property each of whose runs counts as `casesPerRun`
 * cases: ROLLCALL_FUZZ_RUNS counts cases, so that expensive tests scale with the others. `seed`: one that follows
 * from {@link SEED}, where a test asks in rounds.
 */
export async function checkAsyncProperty<T>(
	t: TestContext,
	usualRuns: number,
	property: fc.IAsyncProperty<T>,
	casesPerRun = 1,
	seed = SEED,
): Promise<void> {
	const cases = fuzzRuns(usualRuns * casesPerRun);
	tellSeed(t, cases);
	await fc.assert(property, { seed, numRuns: Math.ceil(cases / casesPerRun) });
}

/** Prints what replays the test. */
export function tellSeed(t: TestContext, cases: number): void {
	t.diagnostic(`${t.name}: ${cases} cases, ROLLCALL_SEED=${SEED}`);
}
