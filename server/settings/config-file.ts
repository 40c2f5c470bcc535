/**
 * Reads the JSON file of settings. Whatever would make a line of it count for nothing is an error: an unknown setting, one
 * that is given twice, and bytes that are not UTF-8.
 */

import { readFileSync } from "node:fs";
import { didYouMean, quoted } from "../../formats/parameters/nearest.js";
import { repeatedName } from "../../formats/parameters/repeated-name.js";
import { ConfigError } from "./config-error.js";

/** The part of V8's message that repeats the text around a mistake, which may be a password. */
const EXCERPT = /, (?:\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON$/s;
/** Characters before the mistake that V8 repeats, or all. */
const BEFORE_MISTAKE = 10;

/** The values in the file at `path`, all of them of `settings`. Throws {@link ConfigError}. */
export function readConfigFile(path: string, settings: readonly string[]): Record<string, unknown> {
	const unreadable = (reason: string) =>
		new ConfigError("unreadable_config", `config file ${path}: ${reason}`);
	let text = "";
	let document: unknown;
	try {
		// Editors of Windows begin files with a byte-order mark, which the decoder removes.
		text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
		document = JSON.parse(text);
	} catch (error) {
		throw unreadable(withoutExcerpt((error as Error).message, text));
	}
	if (typeof document !== "object" || document === null || Array.isArray(document))
		throw unreadable("expected a JSON object of settings");
	for (const name of Object.keys(document)) {
		if (settings.includes(name)) continue;
		throw new ConfigError(
			"unknown_setting",
			`config file ${path}: no setting "${name}"${didYouMean(name, settings)}`,
		);
	}
	const repeated = repeatedName(text);
	if (repeated !== undefined) {
		const rule = `${quoted(repeated)} is given twice; only one of them can apply`;
		throw new ConfigError("invalid_setting", `config file ${path}: ${rule}`);
	}
	return document as Record<string, unknown>;
}

/** V8's message on a text that is no JSON, with the line of the mistake in place of the text around it. */
function withoutExcerpt(message: string, text: string): string {
	return message.replace(EXCERPT, (_, excerpt: string) => {
		const before = text.slice(0, text.indexOf(excerpt) + BEFORE_MISTAKE);
		return ` in line ${before.split("\n").length}`;
	});
}
