/**
 * Hosts, a network that loses, repeats and delays, a shared store that may lose its data, and an index of months: one
 * deterministic world. The hosts run the code of production (simulated-host.ts, simulated-months.ts).
 *
 * Checked at every step: no window lets through more than its limit, except for grants that the store lost and that no
 * host claimed before others were granted (losses.ts); no window that was open at a loss is granted from too early;
 * usage in the store never passes what was served; no host holds more than a lease; a host counts by the shared clock;
 * no host goes back to an older index; months go live as simulated-months.ts tells. Checked at the end, when all messages have arrived: usage is what was served,
 * unless a replica lacked some, and where nothing was lost, grants are too.
 */

import type { Exchange, LeasedKey } from "../../server/shared-state/lease-exchange.js";
import { SHARES } from "../../server/shared-state/lease-script.js";
import { CLOCK_ERROR_MS_MAX, InvariantBroken } from "./invariants.js";
import { Losses } from "./losses.js";
import { Network } from "./network.js";
import { PublishedIndexes } from "./published-indexes.js";
import { SimulatedStore } from "./shared-store.js";
import { DAY_MS, KEYS, LIMITED, SimulatedHost, tagsAt } from "./simulated-host.js";
import { SimulatedMonths } from "./simulated-months.js";
import { type Planted, type Step, withoutRest } from "./steps.js";

const HOSTS = 3;
const START_MS = Date.UTC(2026, 10, 30, 23, 50);
const CUT_MS_MAX = 8_000;
/** Rarer than a host's own, and often enough for a month to be live in time. */
const LIVE_CHECK_MS = 500;

export class World {
	readonly store = new SimulatedStore("s0");
	nowMs = START_MS;
	private readonly hosts: SimulatedHost[];
	/** By host. */
	private readonly months: SimulatedMonths[];
	private readonly network = new Network(() => this.nowMs);
	private readonly losses: Losses;
	private readonly served = new Map<string, number>();
	private readonly usage = new Map<string, number>();
	private readonly indexes = new PublishedIndexes(START_MS);
	private lossless = true;
	private usageLossless = true;
	private servers = 0;
	private epochs = 0;
	private tickedMs = START_MS;

	/** `isCalm`: replies are awaited however long they take. */
	constructor(
		private readonly planted: Planted,
		isCalm: boolean,
	) {
		this.losses = new Losses(this.store);
		this.hosts = Array.from(
			{ length: HOSTS },
			(_, i) => new SimulatedHost(i, (i - 1) * 10_000, HOSTS, isCalm),
		);
		this.months = this.hosts.map((host) => new SimulatedMonths(host, planted, START_MS));
		this.settle();
		while (!this.network.isEmpty) this.network.deliver(0, true);
	}

	step(step: Step): void {
		this.act(step);
		this.settle();
	}

	private act({ kind, host: at, key, amount }: Step): void {
		const host = this.hosts[at % HOSTS];
		const months = this.months[at % HOSTS];
		switch (kind) {
			case "request":
				this.request(host, KEYS[key % KEYS.length], true);
				return;
			case "deliver":
				this.network.deliver(amount, true);
				return;
			case "repeat":
				this.network.deliver(amount, false);
				return;
			case "lose":
				if (this.network.lose(amount)) this.lossless = false;
				return;
			case "time":
				this.pass(amount);
				return;
			case "sweep":
				host.table.sweep(host.sharedMs(this.nowMs), this.planted !== "lease not returned");
				this.exchangeDue(host);
				return;
			case "send":
				this.sendBatch(host);
				return;
			case "publish":
				this.indexes.publish(amount, this.nowMs);
				return;
			case "read index":
				months.read(host.isCut(this.nowMs) ? null : this.indexes.newest, this.nowMs);
				return;
			case "read old index":
				months.read(this.indexes.before(amount % 3), this.nowMs);
				return;
			case "pull":
				if (!host.isCut(this.nowMs)) months.pull(this.nowMs);
				return;
			case "reload":
				months.reload(amount);
				return;
			default:
				this.lossless = false;
				if (kind === "kill") months.restart(this.nowMs);
				this.fail(kind, host, amount);
		}
	}

	private fail(
		kind: "kill" | "jump" | "cut" | "silence" | "empty" | "replicate" | "fail over",
		host: SimulatedHost,
		amount: number,
	): void {
		switch (kind) {
			case "kill":
				host.kill(this.nowMs);
				return;
			case "jump":
				host.jump((amount % 20_000) - 10_000, this.nowMs);
				return;
			case "cut":
				host.cutUntilMs = this.nowMs + (amount % CUT_MS_MAX);
				host.disconnect(this.nowMs);
				if (this.planted === "leases end with the connection") this.store.reclaim(host.name);
				return;
			case "silence":
				host.silentUntilMs = this.nowMs + (amount % CUT_MS_MAX);
				return;
			case "replicate":
				this.store.replicate();
				return;
			default: {
				const server = `s${++this.servers}`;
				this.losses.begin(this.nowMs);
				if (kind === "empty") this.store.restartEmpty(server);
				else {
					this.store.failOver(server);
					this.usageLossless = false;
				}
				this.network.loseAll();
				for (const each of this.hosts) each.disconnect(this.nowMs);
			}
		}
	}

	/** Lets everything arrive and come to rest, and checks what must hold then. */
	finish(): void {
		for (let round = 0; round < 60; round++) {
			for (const host of this.hosts) {
				host.silentUntilMs = 0;
				host.table.sweep(host.sharedMs(this.nowMs), this.planted !== "lease not returned");
				this.exchangeDue(host);
				this.sendBatch(host);
			}
			for (const months of this.months) months.readAndPull(this.indexes.newest, this.nowMs);
			this.settle();
			while (!this.network.isEmpty) this.network.deliver(0, true);
			this.pass(300);
		}
		for (const months of this.months) months.checkComplete(this.indexes.newest, this.nowMs);
		if (this.usageLossless) this.checkAllUsage();
		if (this.lossless) this.checkAllGrants();
	}

	private checkAllUsage(): void {
		for (const [name, requests] of this.usage) {
			if (this.store.usage.get(name) !== requests)
				throw new InvariantBroken(
					`usage of ${name}: ${this.store.usage.get(name) ?? 0} in the store, ${requests} served`,
				);
		}
	}

	private checkAllGrants(): void {
		for (const [name, { total }] of this.store.windows) {
			// Of a window that ended meanwhile nothing goes back.
			if (!this.isOpen(name)) continue;
			if (total !== (this.served.get(name) ?? 0))
				throw new InvariantBroken(
					`${name}: ${total} granted, ${this.served.get(name) ?? 0} served, and nothing goes back`,
				);
		}
	}

	private isOpen(name: string): boolean {
		const [, kind, tag] = /:lease:(\w+):(\d+)$/.exec(name) ?? [];
		const tags = tagsAt(this.nowMs);
		return Number(tag) === tags[["minute", "day", "month"].indexOf(kind)];
	}

	private pass(ms: number): void {
		for (let left = ms; left > 0; left -= LIVE_CHECK_MS) {
			this.nowMs += Math.min(left, LIVE_CHECK_MS);
			for (const months of this.months) months.check(this.nowMs);
		}
		if (this.nowMs - this.tickedMs < 100) return;
		this.tickedMs = this.nowMs;
		for (const host of this.hosts) if (host.tick(this.nowMs)) this.lossless = false;
	}

	/** Hosts that have a connection and have not sent a heartbeat for a while send one. */
	private settle(): void {
		for (const host of this.hosts) if (host.takeBeat(this.nowMs)) this.beat(host);
	}

	private beat(host: SimulatedHost): void {
		const sentMs = this.nowMs;
		this.network.send(host, () => {
			const beat = this.store.beat(host.name, host.newEpoch(++this.epochs), this.nowMs);
			return () => {
				const taken = host.heard(beat, sentMs, this.nowMs, this.planted !== "no claims after a loss");
				this.exchangeDue(host);
				if (taken && this.losses.isRecovering(beat.nowMs)) this.checkClaims(host);
			};
		});
	}

	/** One request: takes from the leases, or asks for one and comes back. */
	private request(host: SimulatedHost, key: LeasedKey, first: boolean): void {
		const { words, table } = host;
		const nowMs = host.requestMs(this.nowMs);
		const tags = tagsAt(nowMs);
		const kinds = LIMITED[key.slot];
		const taken: number[] = [];
		for (const kind of kinds) {
			if (words.take(key.slot, kind, tags[kind], 1) >= 0) {
				taken.push(kind);
				continue;
			}
			for (const back of taken) words.giveBack(key.slot, back, tags[back], 1);
			if (!first || !words.linked || kinds.some((each) => words.isFull(key.slot, each, tags[each]))) return;
			const again = () => {
				if (host.table === table) this.request(host, key, false);
			};
			table.ask(key, 1, again, host.sharedMs(this.nowMs));
			this.exchange(host, key.slot);
			return;
		}
		if (host.knowsTime(this.nowMs) && Math.abs(nowMs - this.nowMs) > CLOCK_ERROR_MS_MAX)
			throw new InvariantBroken(`${host.name} counts ${nowMs - this.nowMs} ms off`);
		for (const kind of taken) this.serve(key, kind, tags[kind]);
		const day = Math.floor(this.nowMs / DAY_MS);
		const name = `${key.id}/${day}`;
		this.usage.set(name, (this.usage.get(name) ?? 0) + 1);
		host.count(key, taken, tags, day, this.nowMs);
		if (taken.some((kind) => words.left(key.slot, kind, tags[kind]) < words.lowWater(key.slot, kind))) {
			table.ask(key, 0, () => undefined, host.sharedMs(this.nowMs));
			this.exchange(host, key.slot);
		}
	}

	private serve(key: LeasedKey, kind: number, tag: number): void {
		const name = `rollcall:1:{${key.id}}:lease:${["minute", "day", "month"][kind]}:${tag}`;
		const served = (this.served.get(name) ?? 0) + 1;
		this.served.set(name, served);
		const most = key.limits[kind] + this.losses.unclaimed(name);
		if (served > most)
			throw new InvariantBroken(
				`${name}: ${served} served, the limit is ${key.limits[kind]}, ${most} at most`,
			);
	}

	private exchangeDue(host: SimulatedHost): void {
		for (const slot of host.table.due) this.exchange(host, slot);
	}

	private exchange(host: SimulatedHost, slot: number): void {
		const exchange = host.begin(slot, this.nowMs, this.planted === "sent before the heartbeat");
		if (exchange === null) return;
		const { keys, values } = exchange;
		this.network.send(host, () => {
			const sent = this.planted === "lease renewed whole" ? withoutRest(values) : values;
			const reply = this.store.exchange(keys, sent, this.nowMs);
			// Of an exchange that arrived late nothing follows.
			for (const [i, name] of reply[0] === 0 ? [] : keys.entries()) {
				if (this.losses.exchanged(name, host.name, reply[2 + i * 4], this.nowMs))
					throw new InvariantBroken(`${name}: ${host.name} was granted before hosts could claim`);
			}
			return () => this.finishExchange(host, exchange, reply);
		});
	}

	/** A host that a heartbeat told of a loss in time claims what it was granted. */
	private checkClaims(host: SimulatedHost): void {
		const claimed = host.claimed;
		for (const name of this.losses.unclaimedBy(host.name))
			if (this.isOpen(name) && !claimed.has(name))
				throw new InvariantBroken(`${host.name} does not claim what it was granted of ${name}`);
	}

	private finishExchange(host: SimulatedHost, exchange: Exchange, reply: number[]): void {
		// Otherwise it was given up before.
		if (!host.awaited(exchange)) return;
		host.table.finish(exchange, reply, host.sharedMs(this.nowMs));
		this.checkLeases(host, exchange);
		this.exchange(host, exchange.slot);
	}

	/** A host that dies strands at most one lease. */
	private checkLeases(host: SimulatedHost, { slot, parts }: Exchange): void {
		for (const { kind, tag } of parts) {
			const left = host.words.left(slot, kind, tag);
			const lease = Math.ceil(KEYS[slot].limits[kind] / (SHARES * HOSTS));
			if (left > lease)
				throw new InvariantBroken(`${host.name} holds ${left} of ${KEYS[slot].id}, a lease is ${lease}`);
		}
	}

	private sendBatch(host: SimulatedHost): void {
		if (host.isCut(this.nowMs)) return;
		if (!host.recovery.greeted && this.planted !== "sent before the heartbeat") return;
		const batch = host.outbox.waiting() ?? host.outbox.seal();
		if (batch === null) return;
		const entries = batch.entries.map(({ keyId, day, requests }) => ({
			name: `${keyId}/${day}`,
			requests: requests[0],
		}));
		this.network.send(host, () => {
			const again = this.planted === "batch counted twice";
			this.store.apply(
				host.name,
				again ? (this.store.batches.get(host.name) ?? 0) + 1 : batch.number,
				entries,
			);
			this.checkUsage();
			return () => host.outbox.acknowledge(batch.number);
		});
	}

	private checkUsage(): void {
		for (const [name, requests] of this.store.usage) {
			if (requests > (this.usage.get(name) ?? 0))
				throw new InvariantBroken(
					`usage of ${name}: ${requests} in the store, ${this.usage.get(name) ?? 0} served`,
				);
		}
	}
}
