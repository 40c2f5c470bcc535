/**
 * The error type of the builder, for faults of the operator's input, disk or flags.
 *
 * Invariant: a code, once published, keeps its name and meaning. The message is one line that names
 * the file, line and column where there is one, and the rule that was broken.
 */

import { FormatError } from "../formats/errors.js";
import { printable } from "../formats/printable.js";

/** Frozen codes of {@link BuildError}; documented in docs/OPERATING.md, "Error codes". */
export const BUILD_ERROR_CODES = [
	"missing_file",
	"unreadable_file",
	"empty_file",
	"no_files",
	"duplicate_file",
	"corrupt_compression",
	"no_header",
	"malformed_header",
	"missing_column",
	"duplicate_column",
	"bad_map",
	"bad_date_format",
	"unwritable_file",
	"limit_exceeded",
	"worker_failed",
	"bad_month",
	"already_published",
	"not_published",
	"not_retired",
	"bad_query",
	"another_builder",
	"gate_failed",
	"corrupt_snapshot",
	"bad_synth_options",
	"missing_package",
	"carried_state",
	"not_held",
	"bad_rules",
	"held_outdated",
	"drops_refused",
] as const;

export type BuildErrorCode = (typeof BUILD_ERROR_CODES)[number];

/** The location of a {@link BuildError}; parts that do not apply are null. */
export interface ErrorLocation {
	/** Path as the operator gave it; `-` for standard input. */
	readonly file?: string | null;
	/** Physical line, 1-based. */
	readonly line?: number | null;
	/** Name of a column, ours or of the file's header. */
	readonly column?: string | null;
}

/** Thrown by the builder for an external fault. `message` includes the location. */
export class BuildError extends Error {
	readonly code: BuildErrorCode;
	/** The message without the location. */
	readonly text: string;
	readonly file: string | null;
	readonly line: number | null;
	readonly column: string | null;
	/** What `--json` prints beside the error, such as the report of a refused build. */
	readonly details: Readonly<Record<string, unknown>>;

	constructor(
		code: BuildErrorCode,
		message: string,
		place: ErrorLocation = {},
		details: Readonly<Record<string, unknown>> = {},
	) {
		super(printable(`${placePrefix(place)}${message}`));
		this.name = "BuildError";
		this.code = code;
		this.text = message;
		this.file = place.file ?? null;
		this.line = place.line ?? null;
		this.column = place.column ?? null;
		this.details = details;
	}
}

function placePrefix(place: ErrorLocation): string {
	const parts: string[] = [];
	if (place.file != null) parts.push(place.file);
	if (place.line != null) parts.push(`line ${place.line}`);
	if (place.column != null) parts.push(`column ${place.column}`);
	return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}

/** Text of a system error for a message: the meaning of its code without the call and path that Node appends. */
export function systemErrorText(error: unknown): string {
	const { code, message } = error as NodeJS.ErrnoException;
	if (code === "ENOENT") return "no such file";
	if (code === "EACCES" || code === "EPERM") return "permission denied";
	if (code === "EISDIR") return "is a folder";
	if (code === "ENOSPC") return "no space left on the disk";
	return message;
}

/** The error for a compressed file that does not decompress. */
export function corruptCompression(file: string): BuildError {
	return new BuildError("corrupt_compression", "its compressed data is damaged or cut short", { file });
}

/** `error` as a {@link BuildError} if the file system caused it, with its path or else `folder`. */
export function asBuildError(error: unknown, folder: string): unknown {
	if (error instanceof BuildError || error instanceof FormatError) return error;
	const { code, path } = error as NodeJS.ErrnoException;
	if (code === "ENOSPC" || code === "EDQUOT" || code === "EIO" || code === "EROFS" || code === "EACCES") {
		return new BuildError("unwritable_file", systemErrorText(error), { file: path ?? folder });
	}
	return error;
}
