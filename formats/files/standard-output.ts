/** What a command does when its output cannot be written. */

const EXIT_FAILED = 1;

/**
 * Ends the process when standard output fails: silently with exit code 0 where the reader, such as head, has closed the
 * pipe since it has enough; else with exit code 1 and the line that `describe` makes of the error. Call once.
 */
export function endOnFailedOutput(describe: (error: NodeJS.ErrnoException) => string): void {
	process.stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") process.exit(0);
		process.stderr.write(`${describe(error)}\n`);
		process.exit(EXIT_FAILED);
	});
}
