/**
 * Preloaded into a server by the soak of hosts (`--import`): its clock is off by as many milliseconds as the file named
 * by {@link CLOCK_FILE} says, which is read again all the time, so that a clock can be set under a running server.
 * Timers are not affected, as by a machine's clock that is set.
 */

import { readFileSync } from "node:fs";

/** Name of the environment variable; no setting of the server. */
export const CLOCK_FILE = "SOAK_CLOCK_FILE";
const READ_MS = 20;

const file = process.env[CLOCK_FILE];
if (file !== undefined) {
	const offMs = (): number => Number(readFileSync(file, "utf8"));
	let off = offMs();
	setInterval(() => {
		off = offMs();
	}, READ_MS).unref();
	const { now } = Date;
	Date.now = () => now() + off;
	globalThis.Date = new Proxy(Date, {
		construct: (target, values, made) =>
			Reflect.construct(target, values.length === 0 ? [Date.now()] : values, made),
	});
}
