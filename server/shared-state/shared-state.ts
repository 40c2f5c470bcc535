/**
 * One host's side of the state that hosts share: leases, usage and keys, through one Redis or Valkey. It runs
 * in the thread that writes counts; serving threads read its words in shared memory, and the store of keys.
 *
 * - Every second: a heartbeat, which also reads the shared clock and detects that the store lost its data.
 * - When a lease is requested: one exchange about that key.
 * - Continuously: a blocking read of the stream of changed keys.
 *
 * Invariants: no request waits longer than the line's limit (lease-line.ts); a failure is logged once until it
 * is resolved, and reported by {@link SharedState.status}.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../clock.js";
import type { Key } from "../keys/key.js";
import type { LeaseAnswer, LeaseAsk } from "../limits/lease-line.js";
import type { LeaseWords } from "../limits/lease-words.js";
import type { Log } from "../log.js";
import type { Scheduler } from "../scheduler.js";
import { RECORD_SCHEMAS, SECRETS } from "../store/records.js";
import type { Store } from "../store/store.js";
import type { SharedAddress } from "./address.js";
import { EarlierCounts } from "./earlier-counts.js";
import type { SharedStoreErrorCode } from "./errors.js";
import { HostIdentity } from "./host-identity.js";
import { KeyFollower } from "./key-follower.js";
import { SECRET_SCRIPT } from "./key-scripts.js";
import { FOLLOW_MS } from "./key-sync.js";
import { LeaseExchanger } from "./lease-exchanger.js";
import { LinkHealth } from "./link-health.js";
import { NAMES, onceName } from "./names.js";
import { Recovery } from "./recovery.js";
import { type LinkState, RedisLink } from "./redis.js";
import { beat } from "./script-calls.js";
import { SharedClock } from "./shared-clock.js";
import type { SharedStatus } from "./shared-status.js";
import { UsageExchange } from "./usage-exchange.js";
import type { UsageOutbox } from "./usage-outbox.js";

const BEAT_MS = 1_000;
/** How often the clock's offset is published, local changes are shared and due exchanges are run, in milliseconds. */
const TICK_MS = 100;
const SWEEP_MS = 250;
const PRUNE_MS = 60_000;
/** How long starting waits for the shared store, and closing for returns to be sent, in milliseconds. */
const OPEN_MS = 2_000;
const CLOSE_MS = 2_000;

export interface SharedStateOptions {
	readonly address: SharedAddress;
	readonly store: Store;
	readonly words: LeaseWords;
	readonly outbox: UsageOutbox;
	/** The key whose counters are in a slot. */
	readonly keyOf: (slot: number) => Key | undefined;
	/** This host's description, for other hosts. */
	readonly says: () => Readonly<Record<string, unknown>>;
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly log: Log;
	/** Milliseconds without contact with the shared store after which keys are refused; 0: never. */
	readonly keysStaleAfterMs: number;
	/** Stores counts that are only in memory. */
	readonly flush: () => Promise<void>;
}

export class SharedState {
	readonly #options: SharedStateOptions;
	readonly #identity: HostIdentity;
	readonly #link: RedisLink;
	readonly #following: RedisLink;
	readonly #exchanger: LeaseExchanger;
	readonly #usage: UsageExchange;
	readonly #keys: KeyFollower;
	readonly #shared = new SharedClock();
	readonly #stops: (() => void)[] = [];
	readonly #health: LinkHealth;
	readonly #recovery: Recovery;
	#hosts = 1;
	/** Whether the shared store has the secrets that this host uses. */
	#secretsShared = false;

	private constructor(options: SharedStateOptions, identity: HostIdentity) {
		const { address, store, words, outbox, log } = options;
		this.#options = options;
		this.#identity = identity;
		this.#health = new LinkHealth({
			words,
			shown: address.shown,
			log,
			onLost: () => this.#exchanger.table.abandon(),
			monotonicMs: () => performance.now(),
		});
		const name = `rollcall-${identity.host}`;
		this.#link = new RedisLink({
			address,
			name,
			onState: (state, reason, code) => this.#linkChanged(state, reason, code),
		});
		this.#following = new RedisLink({ address, name: `${name}-keys`, blockingMs: FOLLOW_MS });
		this.#exchanger = new LeaseExchanger({
			words,
			host: identity.host,
			run: identity.run,
			earlier: EarlierCounts.read(store),
			runner: this.#link,
			ready: () => this.#recovery.greeted,
			keyOf: options.keyOf,
			nowMs: () => this.nowMs(),
			onFailure: (error) => {
				this.#failed(error);
				return this.#health.isReconnecting;
			},
		});
		this.#recovery = new Recovery(this.#exchanger.table);
		this.#usage = new UsageExchange({
			store,
			outbox,
			runner: this.#link,
			host: identity.host,
			ready: () => this.#recovery.greeted,
			onRenumber: () =>
				log.error(
					"usage was sent under numbers that were used before: this data folder is an older copy of itself",
				),
		});
		this.#keys = new KeyFollower({
			store,
			words,
			link: this.#link,
			following: this.#following,
			host: identity.host,
			clock: options.clock,
			log,
			staleAfterMs: options.keysStaleAfterMs,
			onFailure: (error) => this.#failed(error),
		});
	}

	/**
	 * Connects, and brings keys up to date if the shared store replies within {@link OPEN_MS}; otherwise this
	 * host starts with the keys it has. Errors: those of the store.
	 */
	static async open(options: SharedStateOptions): Promise<SharedState> {
		const shared = new SharedState(options, await HostIdentity.open(options.store));
		await Promise.race([shared.#begin(), delay(OPEN_MS, undefined, { ref: false })]);
		shared.#start();
		return shared;
	}

	async #begin(): Promise<void> {
		try {
			await Promise.all([this.#link.open(), this.#following.open()]);
			await this.#beat();
			await this.#keys.step();
			// This thread applies them from its first request on.
			await this.#options.flush();
			await this.#shareSecrets();
		} catch (error) {
			this.#failed(error);
		}
	}

	/** Cursors are valid on every host, also if the shared store did not answer at the start, or lost its data. */
	async #shareSecrets(): Promise<void> {
		if (this.#secretsShared) return;
		const { store } = this.#options;
		const secrets = store.table<Uint8Array>("secrets", RECORD_SCHEMAS.secrets);
		for (const name of SECRETS) {
			const own = store.secret(name);
			const used = await this.secret(name, own);
			if (Buffer.compare(own, used) !== 0) await store.transaction(() => secrets.put(name, used));
		}
		this.#secretsShared = true;
	}

	#start(): void {
		const { scheduler } = this.#options;
		this.#stops.push(
			scheduler.every(BEAT_MS, () => void this.#beatAndSend()),
			scheduler.every(TICK_MS, () => this.#tick()),
			scheduler.every(SWEEP_MS, () => this.#exchanger.table.sweep(this.nowMs(), this.#options.words.linked)),
			scheduler.every(PRUNE_MS, () => this.#exchanger.table.prune(this.nowMs())),
		);
		this.#keys.follow();
	}

	/** This host's name among hosts. */
	get host(): string {
		return this.#identity.host;
	}

	/** Takes a request of a serving thread; `answer` is called once. */
	ask(ask: LeaseAsk, answer: (answer: LeaseAnswer) => void): void {
		this.#exchanger.ask(ask, answer);
	}

	/**
	 * Reserves `id` for this host for `ttlMs`; false: another host has it. This host gets it as often as it asks, since a
	 * reply may have been lost. Rejects with SharedStoreError.
	 */
	async reserve(id: string, ttlMs: number): Promise<boolean> {
		const [name, forMs] = [onceName(id), Math.max(1, Math.ceil(ttlMs))];
		if ((await this.#link.call("SET", name, this.host, "PX", forMs, "NX")) === "OK") return true;
		return (await this.#link.call("GET", name)) === this.host;
	}

	/** The secret `name` that all hosts use: `own`, if there was none. Rejects with SharedStoreError. */
	async secret(name: string, own: Uint8Array): Promise<Uint8Array> {
		const text = Buffer.from(own).toString("base64");
		return Buffer.from(String(await this.#link.run(SECRET_SCRIPT, [NAMES.secrets], [name, text])), "base64");
	}

	/** Reads the usage of a key counted by all hosts. A failure is logged; the usage read before remains. */
	async refreshUsage(keyId: string): Promise<void> {
		if (!this.#options.words.linked) return;
		await this.#usage.read(keyId, this.nowMs()).catch((error: unknown) => this.#failed(error));
	}

	/** The description of each host. Rejects with SharedStoreError. */
	async hosts(): Promise<{ host: string; says: unknown }[]> {
		const flat = (await this.#link.call("HGETALL", NAMES.hosts)) as string[];
		return Array.from({ length: flat.length / 2 }, (_, i) => ({
			host: flat[2 * i],
			says: JSON.parse(flat[2 * i + 1]) as unknown,
		}));
	}

	get status(): SharedStatus {
		const { words } = this.#options;
		return {
			...this.#health.status,
			hosts: this.#hosts,
			commands: this.#link.commands + this.#following.commands,
			exchanges: this.#exchanger.exchanges,
			granted: this.#exchanger.granted,
			lostExchanges: this.#exchanger.failures,
			keysHeardAgoMs: this.#keys.heardAgoMs,
			clockOffsetMs: words.clockOffsetMs,
			leasedKeys: this.#exchanger.table.size,
		};
	}

	/** Returns the rest of all leases, sends what was counted, and leaves; then the store may be closed. REQUIRES: nothing is being counted. */
	async close(): Promise<void> {
		for (const stop of this.#stops.splice(0)) stop();
		this.#keys.close();
		if (this.#options.words.linked) await ended(this.#leave());
		this.#health.close();
		this.#link.close();
		this.#following.close();
		await ended(this.#keys.ended());
	}

	async #leave(): Promise<void> {
		try {
			await this.#options.flush();
			await this.#exchanger.settled();
			this.#exchanger.table.returnAll();
			this.#exchanger.exchangeDue();
			await this.#exchanger.settled();
			while (await this.#usage.send());
			await beat(this.#link, this.#identity.host, "", this.#newEpoch());
		} catch (error) {
			this.#failed(error);
		}
	}

	/** The shared store's clock as last read; until then this machine's. */
	nowMs(): number {
		const machineMs = this.#options.clock.now();
		return machineMs + this.#shared.offsetMs(machineMs, performance.now());
	}

	#newEpoch(): string {
		// New hosts are informed of a store that replaces a lost one by its epoch.
		return `${this.#identity.epoch === null ? "n" : "r"}${randomBytes(6).toString("hex")}`;
	}

	async #beatAndSend(): Promise<void> {
		try {
			await this.#beat();
			await this.#shareSecrets();
			while (await this.#usage.send());
		} catch (error) {
			this.#failed(error);
		}
	}

	async #beat(): Promise<void> {
		const { words, says, clock, outbox } = this.#options;
		const sentMs = performance.now();
		const heard = await beat(this.#link, this.#identity.host, JSON.stringify(says()), this.#newEpoch());
		this.#shared.read(heard.nowMs, sentMs, performance.now());
		words.clockOffsetMs = this.#shared.offsetMs(clock.now(), performance.now());
		this.#hosts = heard.hosts;
		this.#exchanger.table.hosts = heard.hosts;
		const loss = this.#recovery.heard(heard, this.#identity.epoch);
		if (loss.emptied) this.#health.lostData();
		if (loss.tookOver) this.#health.tookOver();
		if (loss.newEpoch) {
			const everything = () => outbox.restart(this.#usage.everything(heard.nowMs));
			await this.#identity.noteEpoch(heard.epoch, everything);
		}
		if (loss.newEpoch || loss.tookOver) {
			this.#keys.compareAgain();
			this.#secretsShared = false;
		}
		this.#recovery.recovered(loss, () => this.#exchanger.earlierKeys(), this.nowMs());
		this.#health.answered(heard.hosts);
	}

	#tick(): void {
		const { words, clock } = this.#options;
		this.#health.tick();
		words.clockOffsetMs = this.#shared.offsetMs(clock.now(), performance.now());
		this.#keys.judge();
		if (!words.linked) return;
		this.#exchanger.exchangeDue();
		this.#keys.shareLocal().catch((error: unknown) => this.#failed(error));
	}

	#linkChanged(state: LinkState, reason: string, code: SharedStoreErrorCode): void {
		if (state === "down") {
			this.#recovery.disconnected();
			this.#health.disconnected(reason, code);
			return;
		}
		this.#health.connected();
		this.#keys.compareAgain();
		void this.#beatAndSend().then(() => this.#exchanger.exchangeDue());
	}

	#failed(error: unknown): void {
		if (this.#health.failed(error)) void this.#beatAndSend();
	}
}

/**
 * Resolves when `work` has, or after {@link CLOSE_MS}. The process waits for that: with nothing else open, as when the
 * connections are closed, it would end here, with exit code 13 and its store open.
 */
async function ended(work: Promise<void>): Promise<void> {
	const waiting = new AbortController();
	const late = delay(CLOSE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
	await Promise.race([work, late]);
	waiting.abort();
}
