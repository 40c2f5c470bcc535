/** Whether two requests take the same time, as measured by a client on the same machine. */

import { Client } from "../../serve/server-process.js";

export interface Timed {
	readonly path: string;
	readonly key: string;
}

/** Pairs a try; a try that the machine disturbed is repeated. */
const PAIRS = 1_500;
const TRIES = 4;
const EVEN = 0.08;

/** Median time of `a` by that of `b`, asked in turn in random order; the ratio nearest to 1 of some tries. */
export async function medianRatio(port: number, a: Timed, b: Timed): Promise<number> {
	let best = Number.POSITIVE_INFINITY;
	for (let i = 0; i < TRIES && Math.abs(Math.log(best)) > EVEN; i++) {
		const ratio = await oneTry(port, a, b);
		if (Math.abs(Math.log(ratio)) < Math.abs(Math.log(best))) best = ratio;
	}
	return best;
}

async function oneTry(port: number, a: Timed, b: Timed): Promise<number> {
	const sides = [a, b].map((ask) => ({ ask, client: new Client(port, ask.key), times: [] as number[] }));
	for (let i = 0; i < PAIRS; i++) {
		const first = Math.random() < 0.5 ? 0 : 1;
		for (const side of [sides[first], sides[1 - first]]) {
			const begun = performance.now();
			await side.client.get(side.ask.path);
			side.times.push(performance.now() - begun);
		}
	}
	const [left, right] = sides.map(({ client, times }) => {
		client.close();
		return times.sort((x, y) => x - y)[times.length >> 1];
	});
	return left / right;
}
