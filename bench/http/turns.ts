/**
 * Loads on several servers by turns of a tenth of a second, so that whatever else the machine does meets all of them
 * alike: what a request costs changes by a tenth and more within seconds on a busy machine, with its caches and clock.
 * A load is halted between its turns, and the CPU time of its server is read at the beginning and the end of each.
 */

/** A load that can be halted, on a server of its own. */
export interface HaltedLoad {
	resume(): void;
	halt(): void;
	/** CPU time of its server so far, in microseconds. */
	cpuUs(): number;
}

export const TURN_MS = 100;
/** How long a server goes on after its load was halted: with the requests that it has received. */
const REST_MS = 2;

/**
 * Gives each of `loads`, all halted, a turn in each of `orders`, which name them by index. Resolves to the CPU time that
 * each server used in its turns, in microseconds. `pause` waits so many milliseconds.
 */
export async function byTurns(
	loads: readonly HaltedLoad[],
	orders: readonly (readonly number[])[],
	pause: (ms: number) => Promise<unknown>,
): Promise<number[]> {
	const usedUs = loads.map(() => 0);
	for (const order of orders)
		for (const i of order) {
			const beforeUs = loads[i].cpuUs();
			loads[i].resume();
			await pause(TURN_MS);
			loads[i].halt();
			await pause(REST_MS);
			usedUs[i] += loads[i].cpuUs() - beforeUs;
		}
	return usedUs;
}
