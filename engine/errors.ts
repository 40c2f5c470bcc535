/**
 * The one error type of the engine. A query is checked by its caller, so the engine throws it only
 * for what no caller can know beforehand. Damaged files throw the formats' FormatError.
 */

/** Frozen codes of {@link EngineError}. */
export const ENGINE_ERROR_CODES = ["no_such_folder", "limit_too_large", "no_changes"] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

export class EngineError extends Error {
	readonly code: EngineErrorCode;

	constructor(code: EngineErrorCode, message: string) {
		super(message);
		this.name = "EngineError";
		this.code = code;
	}
}
