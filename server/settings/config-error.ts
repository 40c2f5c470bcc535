/** The error of settings. */

import { printable } from "../../formats/printable.js";

/** Frozen codes of {@link ConfigError}. */
export type ConfigErrorCode = "unreadable_config" | "unknown_setting" | "invalid_setting";

/** An invalid setting; the message names it and its source. */
export class ConfigError extends Error {
	readonly code: ConfigErrorCode;

	constructor(code: ConfigErrorCode, message: string) {
		super(printable(message));
		this.name = "ConfigError";
		this.code = code;
	}
}
