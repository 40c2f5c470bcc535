/**
 * The one error type of the formats layer.
 *
 * Invariant: a published code keeps its name and meaning. Callers switch on `code`; the message says what was
 * read, where, what was expected and what was found.
 */

/** Frozen codes of {@link FormatError}; documented in formats/SNAPSHOT.md, "Errors". */
export const FORMAT_ERROR_CODES = [
	"not_a_snapshot_file",
	"unsupported_version",
	"wrong_file",
	"truncated",
	"checksum_mismatch",
	"corrupt_catalog",
	"missing_section",
	"limit_exceeded",
	"unreadable",
	"stray_bytes",
] as const;

export type FormatErrorCode = (typeof FORMAT_ERROR_CODES)[number];

/** Thrown by every decoder and encoder of this folder for bytes that break formats/SNAPSHOT.md. */
export class FormatError extends Error {
	readonly code: FormatErrorCode;
	/** The faulty file. */
	readonly path: string;

	constructor(code: FormatErrorCode, path: string, message: string) {
		super(`${path}: ${message}`);
		this.name = "FormatError";
		this.code = code;
		this.path = path;
	}
}

/** A violated invariant of the program itself: never caused by a file's contents, never to be caught. */
export class InvariantError extends Error {
	constructor(message: string) {
		super(`invariant broken: ${message}`);
		this.name = "InvariantError";
	}
}

/** Throws {@link InvariantError} unless `condition` holds. */
export function invariant(condition: boolean, message: string): asserts condition {
	if (!condition) throw new InvariantError(message);
}
