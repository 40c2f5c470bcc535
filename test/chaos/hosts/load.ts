/** What clients of the hosts ask during the soak, and what they may be answered. */

import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { get } from "../../shared-state/host-process.js";
import { type Cluster, dataOf, PATHS } from "./cluster.js";

const CLIENTS = 8;
const LIMITED_CLIENTS_PER_HOST = 4;
/** Between two requests of a client, so that the machine has room for what happens. */
const PACE_MS = 5;
/** Between two requests of a client that is refused. */
const REFUSED_MS = 25;
/** Faults of a kind that are shown; all are counted. */
const FAULTS_MAX = 50;
const MINUTE_MS = 60_000;
/** Within so long after the first answer of a new edition all threads of hosts that are ready serve it. */
const SWITCH_MS = 1_000;
/** The same if no host was ready at its instant: until HAProxy has noticed that one is, by two checks on a busy machine. */
const LATE_SWITCH_MS = 4_000;
/** What a host may not have stored when it is killed. */
const LOSABLE_MS = 500;

export interface LoadKeys {
	/** No limit stops it. */
	readonly open: { readonly id: string; readonly key: string };
	/** `limit` requests a minute, and a quota, so that nothing is counted on one host alone. */
	readonly limited: { readonly id: string; readonly key: string };
	readonly limit: number;
}

/** Requests of the limited key in one minute of the shared clock. */
export interface Minute {
	/** Allowed, and begun and ended in this minute. */
	admitted: number;
	/** Allowed, and ended in the minute after. */
	across: number;
	refused: number;
	/** Whether anything was done to hosts or stores in it. */
	disturbed: boolean;
	/**
	 * Whether a host was killed in it, which may forget requests that only the shared store knows then; and whether
	 * that lost them.
	 */
	killed: boolean;
	lost: boolean;
}

/**
 * What must not happen: an answer that is of no live month, or of an older one after a newer one, a request through HAProxy that fails, an answer to the
 * limited key that none should get, a revoked key that is served, an event that does not end as it should.
 */
export type FaultKind = "wrong" | "backward" | "failed" | "limited" | "served" | "event";

export class HostsLoad {
	readonly counts: Record<FaultKind, number> = {
		wrong: 0,
		backward: 0,
		failed: 0,
		limited: 0,
		served: 0,
		event: 0,
	};
	answered = 0;
	/** By key: answers that count as a request, and requests of which it is not known whether they do. */
	readonly acknowledged = { open: 0, limited: 0 };
	readonly unknown = { open: 0, limited: 0 };
	readonly losable = { open: 0, limited: 0 };
	readonly minutes = new Map<number, Minute>();
	/** Editions of the month, as positions in `expected`, that an answer may be of. */
	#allowed: ReadonlySet<number> = new Set([0]);
	/** The edition that is going live, and when it was first seen. */
	#next: { readonly edition: number; seenMs: number | null } = { edition: 0, seenMs: 0 };
	/** Whether the older month may be missing. */
	oldMonthMayBeMissing = false;
	readonly #recent: { readonly key: "open" | "limited"; readonly atMs: number }[] = [];
	#running = true;
	#clients: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly cluster: Cluster,
		private readonly keys: LoadKeys,
		/** When no host was ready the last time, by the monotonic clock. */
		private readonly noneReadyMs: () => number,
		private readonly told: (text: string) => void,
	) {}

	start(): void {
		const open = Array.from({ length: CLIENTS }, (_, i) => this.#askThroughProxy(i));
		const limited = this.cluster.hosts.flatMap(({ port }) =>
			Array.from({ length: LIMITED_CLIENTS_PER_HOST }, () => this.#askLimited(port)),
		);
		this.#clients = Promise.all([...open, ...limited]);
	}

	async stop(): Promise<void> {
		this.#running = false;
		await this.#clients;
	}

	report(kind: FaultKind, fault: string): void {
		this.counts[kind]++;
		if (this.counts[kind] <= FAULTS_MAX) this.told(`${new Date().toISOString()} ${kind}: ${fault}`);
	}

	/** `edition` is going to be live: answers may be of it or of the one before, but of that not after it was seen. */
	replacing(before: number, edition: number): void {
		this.#allowed = new Set([before, edition]);
		this.#next = { edition, seenMs: null };
	}

	/** Answers must be of `edition` from now on. */
	replaced(edition: number): void {
		this.#allowed = new Set([edition]);
	}

	/** Something is being done to hosts or stores in this minute. */
	disturb(): void {
		this.#minute(Date.now()).disturbed = true;
	}

	/** The shared store lost everything. */
	emptied(): void {
		const minute = this.#minute(Date.now());
		minute.lost ||= minute.killed;
	}

	/** A host is being killed: requests that it counted just now may be forgotten, and those in flight be asked twice. */
	killing(): void {
		this.#minute(Date.now()).killed = true;
		const since = Date.now() - LOSABLE_MS;
		for (const { key, atMs } of this.#recent) if (atMs >= since) this.losable[key]++;
		this.disrupting();
	}

	/** Requests in flight may be asked twice. */
	disrupting(): void {
		this.unknown.open += CLIENTS;
		this.unknown.limited += LIMITED_CLIENTS_PER_HOST;
		this.disturb();
	}

	async #askThroughProxy(first: number): Promise<void> {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		for (let n = first; this.#running; n++) {
			const path = PATHS[n % PATHS.length];
			// An answer is judged by what was allowed at any time between its request and now.
			const before = this.#allowed;
			const begunMs = performance.now();
			const mayMiss = this.oldMonthMayBeMissing;
			try {
				const { status, body } = await get(this.cluster.proxyPort, path, this.keys.open.key, agent);
				this.answered++;
				const missing = status === 404 && path.includes("snapshot=");
				// What HAProxy itself answers was counted by no host; a host that answers 503 counts it or not.
				if (status === 200 || missing) this.#count("open");
				else this.unknown.open++;
				if (status !== 200) {
					if (!(missing && (mayMiss || this.oldMonthMayBeMissing)))
						this.report("failed", `${path}: ${status} ${body.slice(0, 200)}`);
				} else this.#judge(path, dataOf(body), new Set([...before, ...this.#allowed]), begunMs);
			} catch (error) {
				this.unknown.open++;
				this.report("failed", `${path}: ${(error as Error).message}`);
			}
			await delay(PACE_MS);
		}
		agent.destroy();
	}

	#judge(path: string, data: string, allowed: ReadonlySet<number>, begunMs: number): void {
		const of = this.cluster.expected.flatMap((edition, i) => (edition.get(path) === data ? [i] : []));
		if (of.some((edition) => allowed.has(edition))) {
			// Of an answer that is the same in all editions nothing follows.
			if (of.length === 1) this.#judgeOrder(path, of[0], begunMs);
			return;
		}
		const what = of.length === 0 ? "an answer of no edition" : `edition ${of.join(",")}, which is not live`;
		this.report("wrong", `${path}: ${what}`);
	}

	#judgeOrder(path: string, edition: number, begunMs: number): void {
		const next = this.#next;
		if (edition === next.edition) next.seenMs ??= performance.now();
		else if (next.seenMs !== null && begunMs > next.seenMs + this.#switchMs(next.seenMs))
			this.report("backward", `${path}: edition ${edition}, after ${next.edition} had been seen`);
	}

	#switchMs(seenMs: number): number {
		return this.noneReadyMs() > seenMs - LATE_SWITCH_MS ? LATE_SWITCH_MS : SWITCH_MS;
	}

	async #askLimited(port: number): Promise<void> {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		while (this.#running) {
			const begunMs = Date.now();
			try {
				const { status, body } = await get(port, "/v1/me", this.keys.limited.key, agent);
				const minute = this.#minute(begunMs);
				if (status === 200) {
					this.#count("limited");
					if (this.#minute(Date.now()) === minute) minute.admitted++;
					else minute.across++;
				} else if (status === 429) minute.refused++;
				else if (status !== 503) this.report("limited", `limited key: ${status} ${body.slice(0, 200)}`);
				await delay(status === 200 ? PACE_MS : REFUSED_MS);
			} catch (error) {
				// The host is down, which is what the soak does to it. It counts nothing that does not connect.
				if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED") this.unknown.limited++;
				await delay(REFUSED_MS);
			}
		}
		agent.destroy();
	}

	#count(key: "open" | "limited"): void {
		const atMs = Date.now();
		this.acknowledged[key]++;
		this.#recent.push({ key, atMs });
		while (this.#recent[0].atMs < atMs - LOSABLE_MS) this.#recent.shift();
	}

	#minute(atMs: number): Minute {
		const index = Math.floor(atMs / MINUTE_MS);
		let minute = this.minutes.get(index);
		if (minute === undefined) {
			minute = { admitted: 0, across: 0, refused: 0, disturbed: false, killed: false, lost: false };
			this.minutes.set(index, minute);
		}
		return minute;
	}
}
