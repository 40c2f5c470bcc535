/** A rule of the commands' options that take a path. */

import type { Command, Option } from "commander";

const PATH = /<(dir|file)>$/;

/**
 * A hook before a command's action: ends it with a usage error where a path is empty, as `--data "$DIR"` is in a
 * script that did not set the variable. Joined with names, it would be the working directory.
 */
export function refuseEmptyPaths(_program: Command, command: Command): void {
	const isEmpty = (option: Option) => [command.getOptionValue(option.attributeName())].flat().includes("");
	const empty = command.options.find((option) => PATH.test(option.flags) && isEmpty(option));
	if (empty !== undefined) command.error(`error: ${empty.long} must not be empty`);
}
