/**
 * The engine's one error type. Queries are validated by the caller, so the engine throws it only for
 * what a caller cannot know beforehand. Damaged files throw FormatError.
 */

/** Frozen codes of {@link EngineError}; documented in docs/LIBRARY.md, "Errors". */
export const ENGINE_ERROR_CODES = [
	"no_such_folder",
	"limit_too_large",
	"no_changes",
	"bad_name",
	"no_name_index",
	"no_number_index",
	"no_word_index",
	"answer_too_large",
] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

export class EngineError extends Error {
	readonly code: EngineErrorCode;

	constructor(code: EngineErrorCode, message: string) {
		super(message);
		this.name = "EngineError";
		this.code = code;
	}
}
