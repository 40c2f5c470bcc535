/** A parameter's rule as a plain function. */

/** A value that violates its rule. The message continues the parameter's name: `must be …`. */
export class RuleViolation {
	readonly message: string;

	constructor(message: string) {
		this.message = message;
	}
}

/** Maps a query string's text, or a JSON argument, to the typed value. Pure. */
export interface Rule<T> {
	(given: unknown): T | RuleViolation;
	/** Of a list of values that commas separate: `sequence` if their order matters. Absent: not such a list. */
	readonly list?: ListKind;
}

export type ListKind = "set" | "sequence";
