/**
 * The oracle in a thread of its own: first a stock of questions, then new ones without end, so many a
 * second, so that no server can know the answers from before.
 */

import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Key } from "../../../server/keys/key.js";
import { Oracle, type Question } from "./oracle.js";
import { RequestMix } from "./request-mix.js";
import type { KeyClass } from "./soak-keys.js";

export interface OracleOptions {
	readonly dataFolder: string;
	readonly worlds: readonly (readonly string[])[];
	readonly keys: Readonly<Record<KeyClass, Key>>;
	readonly seed: number;
	/** Questions to begin with. */
	readonly stock: number;
	readonly freshPerSecond: number;
}

const BATCH = 64;
const PAUSE_MS = 100;

async function ask({ dataFolder, worlds, keys, seed, stock, freshPerSecond }: OracleOptions): Promise<void> {
	const oracle = new Oracle(dataFolder, worlds, keys);
	const mix = new RequestMix(oracle.snapshots, seed);
	const send = (count: number) => {
		const batch: Question[] = Array.from({ length: count }, () => oracle.question(mix.next()));
		parentPort?.postMessage(batch);
	};
	for (let made = 0; made < stock; made += BATCH) send(Math.min(BATCH, stock - made));
	const begun = performance.now();
	let fresh = 0;
	for (;;) {
		await delay(PAUSE_MS);
		const due = Math.floor(((performance.now() - begun) / 1000) * freshPerSecond) - fresh;
		if (due <= 0) continue;
		// What could not be made in time is left out, not made up for.
		send(Math.min(due, BATCH));
		fresh += due;
	}
}

await ask(workerData as OracleOptions);
