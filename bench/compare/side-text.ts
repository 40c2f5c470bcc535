/**
 * A side of a comparison as it is written on the command line: a checkout and, after commas, what is different about
 * it.
 *
 *     HEAD~3                      a commit, built in a checkout of its own
 *     .                           the code that runs, as it is compiled
 *     ../other                    another compiled checkout
 *     .,no-row-store              its month without stored rows
 *     .,data=/srv/old             a data folder instead of a month built for it
 *     .,--max-semi-space-size=64  a flag of Node
 *     .,UV_THREADPOOL_SIZE=1      an environment variable
 *     .,node=/opt/node24/bin/node another Node
 *     .,server=--transport=node   a flag of `server start`, for a comparison over HTTP
 */

import { InvalidArgumentError } from "commander";

export interface SideText {
	/** As written. */
	readonly text: string;
	/** A commit, or the path of a compiled checkout. */
	readonly checkout: string;
	readonly rowStore: boolean;
	readonly dataFolder: string | null;
	readonly node: string;
	readonly nodeFlags: readonly string[];
	readonly serverFlags: readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

/** Parses a side. Throws InvalidArgumentError. */
export function parseSide(text: string): SideText {
	const [checkout, ...options] = text.split(",");
	if (checkout === "") throw new InvalidArgumentError(`"${text}" names no commit; "." is the code that runs`);
	const nodeFlags: string[] = [];
	const serverFlags: string[] = [];
	const environment: Record<string, string> = {};
	let rowStore = true;
	let dataFolder: string | null = null;
	let node = process.execPath;
	for (const option of options) {
		const equals = option.indexOf("=");
		const [name, value] = [option.slice(0, equals), option.slice(equals + 1)];
		if (option.startsWith("--")) nodeFlags.push(option);
		else if (option === "no-row-store") rowStore = false;
		else if (name === "data" && value !== "") dataFolder = value;
		else if (name === "server" && value.startsWith("--")) serverFlags.push(value);
		else if (name === "node" && value !== "") node = value;
		else if (equals > 0 && VARIABLE.test(name)) environment[name] = value;
		else
			throw new InvalidArgumentError(
				`"${option}" is none of --node-flag, VARIABLE=value, data=DIR, node=PATH, server=--flag, no-row-store`,
			);
	}
	return { text, checkout, rowStore, dataFolder, node, nodeFlags, serverFlags, environment };
}
