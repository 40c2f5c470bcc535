/** The argument of `--threads`, and whole numbers in general. */

import { InvalidArgumentError } from "commander";
import { THREADS_MAX } from "../workers/pool.js";

/** Parses a whole number of at least 1, for commander. */
export function positiveInteger(value: string): number {
	const number = Number(value);
	if (!Number.isInteger(number) || number < 1)
		throw new InvalidArgumentError("expected a whole number of at least 1");
	return number;
}

/** Description of `--threads`. */
export const THREADS_HELP = `worker threads, at most ${THREADS_MAX}; by default one per core, or none for little data`;

/** Parses a number of worker threads, for commander. */
export function threadCount(value: string): number {
	const threads = positiveInteger(value);
	if (threads > THREADS_MAX)
		throw new InvalidArgumentError(`expected a whole number from 1 to ${THREADS_MAX}`);
	return threads;
}
