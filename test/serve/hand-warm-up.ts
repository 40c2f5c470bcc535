/** A warm-up whose time and events a test makes, and the month that tests warm up. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { Arrivals } from "../../server/api/bulk/arrivals.js";
import type { AnsweredCall } from "../../server/api/operation.js";
import type { Log } from "../../server/log.js";
import type { Asker } from "../../server/warm-up/asker.js";
import { WarmUp } from "../../server/warm-up/warm-up.js";
import { prebuilt } from "../prebuilt.js";
import { buildSynthetic } from "../synthetic-month.js";

export const MONTH = "2026-11";
/** Just enough to be warmed up. */
const ROWS = 66_000;

function warmedFolder(): Promise<string> {
	return prebuilt("warmed-month", async (folder) => {
		const drops = join(folder, "drops");
		mkdirSync(drops);
		await synthesize({ rows: ROWS, months: [MONTH], seed: 5, out: drops });
		await buildSynthetic(join(drops, dropName(MONTH)), folder, MONTH);
	});
}

/** That month, in a folder of its own. */
export async function openWarmedMonth(): Promise<{ folder: string; month: Snapshot }> {
	const folder = await warmedFolder();
	const { latest } = openLibrary({ dataFolder: folder });
	assert.ok(latest !== null);
	return { folder, month: latest };
}

/** So many calls, which no operation answers. */
export function callsOf(count: number): AnsweredCall[] {
	return Array.from({ length: count }, (_, asked) => ({ asked }) as unknown as AnsweredCall);
}

/** A warm-up whose time and events the test makes: each question takes a millisecond, and nothing is precomputed. */
export class HandWarmUp {
	now = 0;
	over = false;
	rested = 0;
	asked = 0;
	fault: Error | null = null;
	eachTurn = () => {};
	eachRest = () => {};
	readonly lines: [string, unknown][] = [];
	readonly arrivals = new Arrivals();
	/** What clients have asked last. */
	calls: readonly AnsweredCall[] = [];
	readonly recentCalls = { list: () => this.calls };
	readonly loaded: { latest: Snapshot | null };

	constructor(month: Snapshot) {
		this.loaded = { latest: Object.create(month, { precompute: { value: function* () {} } }) };
	}

	run(options: { readonly ms: number }): Promise<void> {
		return this.open(options).run();
	}

	open({ ms }: { readonly ms: number }) {
		const line = (given: unknown, msg: string) => this.lines.push([msg, given]);
		const log = { info: line, error: line } as unknown as Pick<Log, "info" | "error">;
		const ask = () => {
			this.asked++;
			this.now++;
			if (this.fault !== null) throw this.fault;
		};
		const asker: Asker = {
			about: (_month, number) => {
				assert.equal(number, this.asked);
				ask();
			},
			again: (_month, recent) => {
				assert.equal(recent, this.calls[this.asked]);
				ask();
			},
		};
		const warmUp = new WarmUp(this, asker, (month) => month.precompute(), log, {
			ms,
			now: () => this.now,
			isOver: () => this.over,
			turn: async () => this.eachTurn(),
			rest: async (rested) => {
				this.rested++;
				this.now += rested;
				this.eachRest();
			},
		});
		return { run: () => warmUp.run(), ahead: (next: Snapshot, mostMs: number) => warmUp.ahead(next, mostMs) };
	}
}

/** A warm-up of `month` whose precomputation has steps of so many milliseconds; each is noted in `done`. */
export function withSteps(month: Snapshot, stepMs: readonly number[], done: string[]): HandWarmUp {
	const warmUp = new HandWarmUp(month);
	function* precompute() {
		for (const ms of stepMs) {
			warmUp.now += ms;
			yield done.push("step");
		}
	}
	warmUp.loaded.latest = Object.create(month, { precompute: { value: precompute } });
	return warmUp;
}
