/**
 * A soak: a real server under steady load for as long as asked, every answer held against an oracle,
 * while months come and go, keys change, and threads and processes are killed. Ends with a report of
 * what was promised and whether it held.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_CLOCK } from "../../../server/clock.js";
import { openAccess } from "../../../server/open-access.js";
import { EVENTS, type Stage, WORLD } from "./events.js";
import { LoadControl } from "./load-control.js";
import type { LoadTotals } from "./load-messages.js";
import { growthOf, type MemorySample } from "./memory-growth.js";
import { DROPPED_MONTH, linkServedMonths, prepareSoakData, SERVED_MONTHS } from "./soak-data.js";
import { createSoakKeys, KEY_CLASSES, type KeyClass, type SoakKeys } from "./soak-keys.js";
import { type Check, type SoakReport, type ToldEvent, writeSoakReport } from "./soak-report.js";
import { SoakedServer } from "./soaked-server.js";
import type { Stretch } from "./tally.js";

export interface SoakOptions {
	readonly minutes: number;
	readonly rows: number;
	/** Of what the server can do, what is offered. */
	readonly share: number;
	readonly workers: number;
	readonly connections: number;
	readonly seed: number;
	/** Where months are made and kept. */
	readonly work: string;
	/** Path of the report without its ending. */
	readonly report: string;
	/** How long capacity is measured, in seconds. */
	readonly measureSeconds: number;
	/** Different requests at a time, and new ones a second. */
	readonly stock: number;
	readonly freshPerSecond: number;
	/** Ends the soak early; the report says so. */
	readonly stopped: AbortSignal;
	readonly told: (message: string) => void;
}

const MIB = 2 ** 20;
const SAMPLE_MS = 1_000;
/** A report is kept up to date, should nothing else be left of the run. */
const REPORT_MS = 60_000;
const FAULTS_MAX = 200;

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
	const data = await prepareSoakData(options.work, options.rows, options.seed, options.told);
	const scratch = mkdtempSync(join(options.work, "served-"));
	const served = join(scratch, "data");
	mkdirSync(served);
	linkServedMonths(data.dataFolder, served);
	const keys = await createSoakKeys(served);
	const server = new SoakedServer(served, options.workers, scratch);
	const soak = new Soak(options, server, keys);
	let load: LoadControl | null = null;
	try {
		options.told("starting the server");
		server.onError = (line) => soak.onFault(`log: ${line}`);
		await server.start();
		options.told("working out the first answers");
		load = await LoadControl.start(loadOptions(options, server.port, keys, data.dataFolder), soak);
		const drop = { month: DROPPED_MONTH, file: data.drop };
		const { workers } = options;
		await soak.run({
			server,
			load,
			keys,
			dataFolder: served,
			drop,
			workers,
			fault: (what) => soak.onFault(what),
		});
		soak.totals = await load.stop();
		const code = await server.end();
		soak.check("SIGTERM ends the server with code 0", code === 0, `code ${code}`);
		soak.judgeCounts(served);
	} finally {
		load?.abort();
		await server.end();
		rmSync(scratch, { recursive: true, force: true });
	}
	return soak.report(!options.stopped.aborted);
}

function loadOptions(options: SoakOptions, port: number, keys: SoakKeys, dataFolder: string) {
	const each = <T>(of: (name: KeyClass) => T) =>
		Object.fromEntries(KEY_CLASSES.map((name) => [name, of(name)])) as Record<KeyClass, T>;
	const worlds = [[...SERVED_MONTHS], [DROPPED_MONTH, ...SERVED_MONTHS]];
	const { seed, stock, freshPerSecond, connections } = options;
	return {
		port,
		connections,
		oracle: { dataFolder, worlds, keys: each((name) => keys[name].key), seed, stock, freshPerSecond },
		texts: each((name) => keys[name].text),
		limitedText: keys.limited.text,
		stretchSeconds: options.minutes >= 5 ? 10 : 1,
		allowed: { worlds: WORLD.before, cuts: false, sheds: false, paused: "active" },
	} as const;
}

class Soak {
	totals: LoadTotals | null = null;
	private readonly begunAt = new Date();
	private begunMs = 0;
	private readonly stretches: Stretch[] = [];
	private readonly memory: MemorySample[] = [];
	private readonly events: ToldEvent[] = [];
	private readonly faults: string[] = [];
	private readonly checks: Check[] = [];
	private capacityPerSecond = 0;
	private life = 0;
	private lastPid: number | null = null;

	constructor(
		private readonly options: SoakOptions,
		private readonly server: SoakedServer,
		private readonly keys: SoakKeys,
	) {}

	onStretch(stretch: Stretch): void {
		this.stretches.push(stretch);
		const last = this.memory[this.memory.length - 1];
		this.options.told(
			`${stretch.atS.toFixed(0)} s: ${Math.round(stretch.answered / stretch.seconds)} answers/s, ` +
				`p50 ${stretch.p50Ms.toFixed(2)} p99 ${stretch.p99Ms.toFixed(1)} ms, waiting ${stretch.waiting}, ` +
				`memory ${last?.residentMib.toFixed(0)} MiB, ${last?.anonymousMib.toFixed(0)} anonymous, ${this.faults.length} faults`,
		);
	}

	onFault(what: string): void {
		if (this.faults.length < FAULTS_MAX) this.faults.push(`${this.nowS().toFixed(1)} s: ${what}`);
		this.options.told(what);
	}

	check(promise: string, held: boolean, told: string): void {
		this.checks.push({ promise, held, told });
	}

	/** Measures, offers the load, and has everything happen. */
	async run(stage: Stage): Promise<void> {
		const { options } = this;
		options.told("measuring capacity");
		this.capacityPerSecond = await stage.load.measure(options.measureSeconds);
		const offered = this.capacityPerSecond * options.share;
		options.told(`capacity ${Math.round(this.capacityPerSecond)}/s, offering ${Math.round(offered)}/s`);
		this.begunMs = performance.now();
		await stage.load.offer(offered);
		const sampling = setInterval(() => this.sample(), SAMPLE_MS);
		const reporting = setInterval(() => this.keepReport(), REPORT_MS);
		try {
			for (const event of EVENTS) {
				await this.until(event.at * options.minutes * 60);
				if (options.stopped.aborted) return;
				const fromS = this.nowS();
				options.told(`event: ${event.name}`);
				const told = await event.run(stage);
				this.events.push({ name: event.name, fromS, toS: this.nowS(), told });
				options.told(`event: ${event.name}: ${told}`);
			}
			await this.until(options.minutes * 60);
		} finally {
			clearInterval(sampling);
			clearInterval(reporting);
		}
	}

	/** Holds what the store counted against what was acknowledged. */
	judgeCounts(dataFolder: string): void {
		const access = openAccess({
			dataFolder,
			clock: SYSTEM_CLOCK,
			onError: (error) => this.onFault(String(error)),
		});
		for (const name of KEY_CLASSES) {
			const counts = this.totals?.keys[name];
			if (counts === undefined) continue;
			const stored = access.usage.usage(this.keys[name].id, 3, Date.now()).total;
			const { acknowledged, unknown, losable } = counts;
			this.check(
				`counts of the key "${name}" are what was acknowledged, but for 250 ms before a kill`,
				stored >= acknowledged - losable && stored <= acknowledged + unknown,
				`${stored} stored, ${acknowledged} acknowledged, ${unknown} cut off, ${losable} losable`,
			);
		}
		void access.close();
	}

	report(whole: boolean): SoakReport {
		const { options, totals } = this;
		const growth = growthOf(this.memory);
		const checks = [...this.checks];
		if (totals !== null) {
			const { wrong, lost, shedsUnannounced, answered, limited } = totals;
			checks.unshift(
				{
					promise: "every answer is right",
					held: wrong === 0 && answered > 0,
					told: `${wrong} of ${answered}`,
				},
				{ promise: "no answer is lost", held: lost === 0, told: `${lost} lost` },
				{ promise: "nothing is shed", held: shedsUnannounced === 0, told: `${shedsUnannounced} shed` },
				{
					promise: "a limit is exact",
					held: limited.breaches === 0,
					told: `${limited.admitted} admitted, ${limited.refused} refused in ${limited.minutes} minutes`,
				},
			);
		}
		checks.push(
			{
				promise: "memory does not grow",
				held: growth.every((g) => !g.grows),
				told:
					growth.length === 0
						? "too short to judge"
						: growth.map((g) => `${g.mibPerHour.toFixed(1)} MiB an hour`).join(", "),
			},
			{
				promise: "nothing else went wrong",
				held: this.faults.length === 0,
				told: `${this.faults.length} faults`,
			},
			{ promise: "the soak ran to its end", held: whole, told: `${(this.nowS() / 60).toFixed(1)} minutes` },
		);
		return {
			begunAt: this.begunAt.toISOString(),
			minutes: this.begunMs === 0 ? 0 : this.nowS() / 60,
			whole,
			rows: options.rows,
			workers: options.workers,
			seed: options.seed,
			capacityPerSecond: this.capacityPerSecond,
			offeredPerSecond: this.capacityPerSecond * options.share,
			totals,
			checks,
			faults: this.faults,
			events: this.events,
			growth,
			stretches: this.stretches,
			memory: this.memory,
		};
	}

	private nowS(): number {
		return this.begunMs === 0 ? 0 : (performance.now() - this.begunMs) / 1000;
	}

	private async until(atS: number): Promise<void> {
		while (this.nowS() < atS && !this.options.stopped.aborted)
			await delay(Math.min(500, Math.max(1, (atS - this.nowS()) * 1000)));
	}

	private sample(): void {
		const pid = this.server.servingPid();
		const memory = pid === null ? null : this.server.memory();
		if (memory === null) return;
		if (pid !== this.lastPid) this.life++;
		this.lastPid = pid;
		this.memory.push({
			atS: this.nowS(),
			residentMib: memory.residentBytes / MIB,
			anonymousMib: memory.anonymousBytes / MIB,
			life: this.life,
		});
	}

	private keepReport(): void {
		if (existsSync(this.options.work)) writeSoakReport(this.options.report, this.report(false));
	}
}
