/**
 * Skipped tests of a run, by reason: what the machine lacks. In CI, a reason that is not in
 * {@link ALLOWED_IN_CI} fails the run, as does a skip without a reason everywhere.
 */

/** A skipped test or suite. */
export interface Skip {
	readonly name: string;
	readonly file: string;
	/** What the test lacks; null where it does not say. */
	readonly reason: string | null;
}

/** Reasons that CI accepts: what no clean machine has, or what is tested by a command of its own. */
const ALLOWED_IN_CI: readonly RegExp[] = [
	// Real drops lie outside of the repository.
	/^the (rosters|map files) are not at /,
	// A minute each; `npm run chaos -- slow` runs them.
	/^a minute of slowhttptest; /,
	/^half a minute of dripping; /,
	// A hundred packages unpacked; `npm run test:install` runs them, and the first by scripts/runtimes.js on each Node.
	/^half a minute of npm i -g; /,
	/^a minute of building an image; /,
	// Two hosts and all they need; `npm run chaos -- demo-hosts` runs it.
	/^half a minute of the demo of several hosts; /,
	// A server that waits for the end of a window; `npm run chaos -- stopped-host` runs it.
	/^half a minute of a stopped server; /,
	// Gets half a gigabyte of packages; `npm run chaos -- debian` runs it.
	/^minutes of debootstrap; /,
	// Benchmark peers are installed on request.
	/^no peer is installed: /,
	// Containers may not mount file systems, change limits of others, or open 10,000 files.
	/^no file system can be mounted here$/,
	/^this process may not mount a small disk$/,
	/^prlimit cannot limit another process here$/,
	/^a process may open \d+ files here /,
	// CI runs on Node 20; scripts/runtimes.js runs these on the others.
	/^threads share a port over node:net on Node 22\.12 and later$/,
	// The binaries on npm are for Node up to 20 (module version 115).
	/^uWebSockets\.js does not run here: (it has )?no binary uws_\w+_(1[2-9]\d)\.node/,
];

/** Skips that fail a run: without a reason, and in CI for a reason that is not on the list. */
export function faultySkips(skips: readonly Skip[], inCi: boolean): Skip[] {
	return skips.filter(({ reason }) => {
		if (reason === null) return true;
		return inCi && !ALLOWED_IN_CI.some((allowed) => allowed.test(reason));
	});
}

/** Lines for a person: each reason with the number of skips and the files they are in. */
export function tellSkips(skips: readonly Skip[]): string[] {
	const byReason = new Map<string, Skip[]>();
	for (const skip of skips) {
		const reason = skip.reason ?? "(no reason given)";
		byReason.set(reason, [...(byReason.get(reason) ?? []), skip]);
	}
	const lines: string[] = [];
	for (const [reason, those] of [...byReason].sort(([a], [b]) => (a < b ? -1 : 1))) {
		lines.push(`${those.length} skipped: ${reason}`);
		for (const file of new Set(those.map((skip) => skip.file))) lines.push(`    ${file}`);
	}
	return lines;
}
