/** Commands that look at several months, of which some may be damaged: those that are sound are looked at all the same. */

import { type Failure, failureOf } from "../command-line.js";
import { BuildError } from "../errors.js";

/** A month that cannot be read, or is not what its checksums say. */
interface DamagedMonth {
	readonly month: string;
	readonly error: Failure["error"];
}

/** What a command found out about each of several months. */
export class MonthFindings<T> {
	/** Of the sound months. */
	readonly found: T[] = [];
	private readonly damaged: DamagedMonth[] = [];
	private fault: unknown = null;

	/** Adds what `look` finds out about `month`, or why it fails. Defects of the program are thrown on. */
	async add(month: string, look: () => T | Promise<T>): Promise<void> {
		try {
			this.found.push(await look());
		} catch (error) {
			const failure = failureOf(error);
			if (failure === null) throw error;
			this.damaged.push({ month, error: failure.error });
			this.fault ??= error;
		}
	}

	/**
	 * Throws if a month is damaged: the error of the only month looked at, else {@link BuildError} `corrupt_snapshot`,
	 * with every fault and, under the name `foundName`, what was found about the sound months.
	 */
	throwFaults(foundName: string): void {
		const { found, damaged, fault } = this;
		if (damaged.length === 0) return;
		const months = found.length + damaged.length;
		if (months === 1) throw fault;
		const faults = damaged.map(({ month, error }) => `${month}: ${error.message}`).join("; ");
		throw new BuildError(
			"corrupt_snapshot",
			`${damaged.length} of ${months} months ${damaged.length === 1 ? "is" : "are"} damaged: ${faults}`,
			{},
			{ damaged, [foundName]: found },
		);
	}
}
