/** Months as arguments and options: a mistyped one is wrong usage in every command. */

import { InvalidArgumentError } from "commander";
import { isMonth } from "../../formats/index.js";

/** Parses a month, for commander. */
export function monthName(value: string): string {
	if (!isMonth(value)) throw new InvalidArgumentError("expected YYYY-MM from 2000-01 on");
	return value;
}

/** Parses one of several months, for commander. */
export function monthNames(value: string, previous: readonly string[] = []): string[] {
	return [...previous, monthName(value)];
}
