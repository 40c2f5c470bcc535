/**
 * The shared store of the simulation: what the scripts for heartbeats, leases and batches do, on maps. A test holds it
 * to the real scripts on a real Redis, exchange by exchange.
 */

import { ALIVE_MS } from "../../server/shared-state/host-scripts.js";
import type { Beat } from "../../server/shared-state/script-calls.js";

interface Window {
	total: number;
	readonly own: Map<string, number>;
	/** By host and process: the newest exchange, and what it was granted. */
	readonly runs: Map<string, { seq: number; held: number }>;
}

/** What a server loses if it restarts without its data. */
interface Data {
	readonly windows: Map<string, Window>;
	readonly batches: Map<string, number>;
	/** Requests by key and day. */
	readonly usage: Map<string, number>;
	/** Last heartbeat by host. */
	readonly alive: Map<string, number>;
	/** Id and beginning. */
	epoch: readonly [string, number] | null;
	/** Run of the server that last answered, whether it took over, and since when. */
	server: readonly [string, number] | null;
}

const SHARES = 2;

export class SimulatedStore {
	#data = newData();
	#copy = newData();

	/** `run`: of the server. */
	constructor(public run: string) {}

	get windows(): ReadonlyMap<string, Window> {
		return this.#data.windows;
	}

	get batches(): ReadonlyMap<string, number> {
		return this.#data.batches;
	}

	get usage(): ReadonlyMap<string, number> {
		return this.#data.usage;
	}

	/** Restarts as `run` without data. */
	restartEmpty(run: string): void {
		this.#data = newData();
		this.#copy = newData();
		this.run = run;
	}

	/** A replica has all data until now. */
	replicate(): void {
		this.#copy = structuredClone(this.#data);
	}

	/** The replica takes over as `run`, without what was written since {@link replicate}. */
	failOver(run: string): void {
		this.#data = structuredClone(this.#copy);
		this.run = run;
	}

	/** As the script for heartbeats. */
	beat(host: string, newEpoch: string, nowMs: number): Beat {
		const data = this.#data;
		data.epoch ??= [newEpoch, nowMs];
		data.alive.set(host, nowMs);
		if (data.server?.[0].slice(1) !== this.run)
			data.server = [`${data.server === null ? "n" : "r"}${this.run}`, nowMs];
		const hosts = [...data.alive.values()].filter((atMs) => atMs >= nowMs - ALIVE_MS).length;
		const [[epoch, epochMs], [server, serverMs]] = [data.epoch, data.server];
		return { nowMs, epoch, epochMs, hosts, server, serverMs };
	}

	/** Takes back what a host was granted, which no script does: the host may yet use it. */
	reclaim(host: string): void {
		for (const window of this.#data.windows.values()) {
			window.total -= window.own.get(host) ?? 0;
			window.own.delete(host);
		}
	}

	/** As lease-script.ts. */
	exchange(keys: readonly string[], values: readonly (string | number)[], nowMs: number): number[] {
		const { windows } = this.#data;
		const [host, run, seq, hosts] = [
			String(values[0]),
			String(values[1]),
			Number(values[2]),
			Number(values[3]),
		];
		const name = `${host}/${run}`;
		let refused = false;
		const parts = keys.map((key, i) => {
			const [limit, claim, over, need, want, left, earlier] = values.slice(4 + i * 8, 11 + i * 8).map(Number);
			const window = windows.get(key) ?? { total: 0, own: new Map(), runs: new Map() };
			const last = window.runs.get(name);
			const held = last?.held ?? 0;
			const change = over + (claim >= 0 ? claim - held : 0);
			const lost = Math.max(0, earlier + held - (window.own.get(host) ?? 0));
			const free = limit - (window.total + change + lost);
			let grant = 0;
			if (need > 0 && free < need) refused = true;
			else if (need > 0)
				grant = Math.min(free, Math.max(need, Math.min(want, Math.ceil(free / (SHARES * hosts)) - left)));
			return { key, window, held, change, lost, grant, late: last !== undefined && seq <= last.seq };
		});
		if (parts.some(({ late }) => late)) return [0, nowMs];
		const reply = [1, nowMs];
		for (const { key, window, held, change, lost, grant } of parts) {
			const granted = refused ? 0 : grant;
			window.total += change + lost + granted;
			window.own.set(host, (window.own.get(host) ?? 0) + change + lost + granted);
			window.runs.set(name, { seq, held: held + change + granted });
			windows.set(key, window);
			reply.push(granted, window.total, window.own.get(host) as number, held + change + granted);
		}
		return reply;
	}

	/** As the script for batches: returns the newest number applied before. */
	apply(
		host: string,
		number: number,
		entries: readonly { readonly name: string; readonly requests: number }[],
	): number {
		const { batches, usage } = this.#data;
		const newest = batches.get(host) ?? 0;
		if (number <= newest) return newest;
		for (const { name, requests } of entries) usage.set(name, (usage.get(name) ?? 0) + requests);
		batches.set(host, number);
		return newest;
	}
}

function newData(): Data {
	return {
		windows: new Map(),
		batches: new Map(),
		usage: new Map(),
		alive: new Map(),
		epoch: null,
		server: null,
	};
}
