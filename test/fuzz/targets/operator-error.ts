/**
 * The form of errors for operators: one line, with the path of the file, and no terminal control
 * sequences.
 */

import assert from "node:assert/strict";
import { BuildError } from "../../../builder/errors.js";
import { ConfigError } from "../../../server/settings/config-error.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const LENGTH_MAX = 5_000;

/** Throws `error` again unless it is a BuildError in one line that names `path`. */
export function checkBuildError(error: unknown, path: string): void {
	if (!(error instanceof BuildError)) throw error;
	checkLine(error.message, path);
}

/** Throws `error` again unless it is a ConfigError in one line that names `path`, where there is one. */
export function checkConfigError(error: unknown, path: string | null): void {
	if (!(error instanceof ConfigError)) throw error;
	checkLine(error.message, path);
}

function checkLine(message: string, path: string | null): void {
	assert.ok(message.length < LENGTH_MAX, `a message of ${message.length} characters`);
	assert.doesNotMatch(message, CONTROL, "a control character in a message");
	assert.doesNotMatch(message, /\n\s+at /, "a stack in a message");
	if (path !== null) assert.ok(message.includes(path), `the message does not name ${path}: ${message}`);
}
