/**
 * The shared store of the simulation: what the scripts for leases and batches do, on maps. A test holds it to the real
 * scripts on a real Redis, exchange by exchange.
 */

interface Window {
	total: number;
	readonly own: Map<string, number>;
	/** By host and process: the newest exchange, and what it was granted. */
	readonly runs: Map<string, { seq: number; held: number }>;
}

const SHARES = 2;

export class SimulatedStore {
	readonly windows = new Map<string, Window>();
	readonly batches = new Map<string, number>();
	/** Requests by key and day. */
	readonly usage = new Map<string, number>();

	/** As lease-script.ts. */
	exchange(keys: readonly string[], values: readonly (string | number)[], nowMs: number): number[] {
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
			const window = this.windows.get(key) ?? { total: 0, own: new Map(), runs: new Map() };
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
			this.windows.set(key, window);
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
		const newest = this.batches.get(host) ?? 0;
		if (number <= newest) return newest;
		for (const { name, requests } of entries) this.usage.set(name, (this.usage.get(name) ?? 0) + requests);
		this.batches.set(host, number);
		return newest;
	}
}
