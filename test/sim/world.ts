/**
 * Hosts, a network that loses, repeats and delays, a shared store and an index of months: one deterministic world.
 * The hosts run the code of production: LeaseBook, LeaseWords, UsageOutbox and the rule for indexes.
 *
 * Checked at every step: no window lets through more than its limit; usage in the store never passes what was
 * served; no host holds more than a lease; no host goes back to an older index. Checked at the end, when all messages have arrived: usage is what
 * was served, and where nothing was lost, grants are too.
 */

import { LeaseWords } from "../../server/limits/lease-words.js";
import { MINUTE_MS } from "../../server/limits/windows.js";
import { newestRevision } from "../../server/months/newest-index.js";
import { LeaseBook } from "../../server/shared-state/lease-book.js";
import type { Exchange, LeasedKey } from "../../server/shared-state/lease-exchange.js";
import { SHARES } from "../../server/shared-state/lease-script.js";
import {
	type OutboxHead,
	type OutboxRow,
	type OutboxRows,
	UsageOutbox,
} from "../../server/shared-state/usage-outbox.js";
import { SimulatedStore } from "./shared-store.js";
import { type Planted, type Step, withoutRest } from "./steps.js";

export class InvariantBroken extends Error {}

const HOSTS = 3;
const KEYS: readonly LeasedKey[] = [
	{ id: "a", slot: 0, limits: [7, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] },
	{ id: "b", slot: 1, limits: [20, 60, Number.POSITIVE_INFINITY] },
	{ id: "c", slot: 2, limits: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 40] },
];
const LIMITED = KEYS.map(({ limits }) =>
	[0, 1, 2].filter((kind) => limits[kind] !== Number.POSITIVE_INFINITY),
);
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 30, 23, 50);

class Rows<T> implements OutboxRows<T> {
	private readonly rows = new Map<string, T>();
	get = (key: string) => this.rows.get(key);
	put = (key: string, value: T) => void this.rows.set(key, value);
	remove = (key: string) => void this.rows.delete(key);
	entries({ limit = Number.POSITIVE_INFINITY } = {}) {
		return [...this.rows].slice(0, limit).map(([key, value]) => ({ key, value }));
	}
}

interface SimulatedHost {
	readonly name: string;
	run: number;
	words: LeaseWords;
	book: LeaseBook;
	readonly outbox: UsageOutbox;
	/** How far its idea of the shared clock is off. */
	offMs: number;
	revision: number;
}

type Message = { readonly host: SimulatedHost; readonly run: number; arrive(): Message | null };

export class World {
	readonly store = new SimulatedStore();
	nowMs = START_MS;
	private readonly hosts: SimulatedHost[];
	private readonly messages: Message[] = [];
	private readonly served = new Map<string, number>();
	private readonly usage = new Map<string, number>();
	/** The newest index, and those before. */
	private revision = 1;
	private lossless = true;

	/** `replyMsMax`: how long a host waits for a reply, in milliseconds. */
	constructor(
		private readonly planted: Planted,
		private readonly replyMsMax: number,
	) {
		this.hosts = Array.from({ length: HOSTS }, (_, i) => {
			const outbox = new UsageOutbox(new Rows<OutboxRow>(), new Rows<OutboxHead>());
			return { name: `h${i}`, run: 0, ...newLeases(`h${i}`, 0), outbox, offMs: 0, revision: 1 };
		});
	}

	step({ kind, host: at, key, amount }: Step): void {
		const host = this.hosts[at % HOSTS];
		switch (kind) {
			case "request":
				this.request(host, KEYS[key % KEYS.length], true);
				return;
			case "deliver":
				this.deliver(amount, true);
				return;
			case "repeat":
				this.deliver(amount, false);
				return;
			case "lose": {
				const [lost] = this.messages.splice(amount % Math.max(1, this.messages.length), 1);
				if (lost !== undefined) this.lossless = false;
				return;
			}
			case "time":
				this.nowMs += amount;
				return;
			case "sweep":
				host.book.sweep(this.nowMs + host.offMs, this.planted !== "lease not returned");
				this.exchangeDue(host);
				return;
			case "send":
				this.sendBatch(host);
				return;
			case "kill":
				host.run++;
				Object.assign(host, newLeases(host.name, host.run));
				this.lossless = false;
				return;
			case "jump":
				// Until the next heartbeat reads the shared clock again.
				host.offMs = host.offMs === 0 ? (amount % 20_000) - 10_000 : 0;
				this.lossless = false;
				return;
			case "publish":
				this.revision++;
				return;
			default:
				this.readIndex(
					host,
					kind === "read index" ? this.revision : Math.max(1, this.revision - 1 - (amount % 3)),
				);
		}
	}

	/** Lets everything arrive and come to rest, and checks what must hold then. */
	finish(): void {
		for (let round = 0; round < 40; round++) {
			for (const host of this.hosts) {
				host.offMs = 0;
				host.book.sweep(this.nowMs, this.planted !== "lease not returned");
				this.exchangeDue(host);
				this.sendBatch(host);
			}
			while (this.messages.length > 0) this.deliver(0, true);
			this.nowMs += 300;
		}
		for (const [name, requests] of this.usage) {
			if (this.store.usage.get(name) !== requests)
				throw new InvariantBroken(
					`usage of ${name}: ${this.store.usage.get(name) ?? 0} in the store, ${requests} served`,
				);
		}
		if (!this.lossless) return;
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
		if (kind === "minute") return Number(tag) - 1 === Math.floor(this.nowMs / MINUTE_MS);
		if (kind === "day") return Number(tag) - 1 === Math.floor(this.nowMs / DAY_MS);
		const now = new Date(this.nowMs);
		return Number(tag) - 1 === (now.getUTCFullYear() - 1970) * 12 + now.getUTCMonth();
	}

	/** One request: takes from the leases, or asks for one and comes back. */
	private request(host: SimulatedHost, key: LeasedKey, first: boolean): void {
		const nowMs = this.nowMs + host.offMs;
		const tags = tagsAt(nowMs);
		const taken: number[] = [];
		for (const kind of LIMITED[key.slot]) {
			if (host.words.take(key.slot, kind, tags[kind], 1) >= 0) {
				taken.push(kind);
				continue;
			}
			for (const back of taken) host.words.giveBack(key.slot, back, tags[back], 1);
			if (!first || LIMITED[key.slot].some((each) => host.words.isFull(key.slot, each, tags[each]))) return;
			const { run } = host;
			const again = () => {
				if (host.run === run) this.request(host, key, false);
			};
			host.book.ask(key, 1, again, nowMs);
			this.exchange(host, key.slot);
			return;
		}
		for (const kind of taken) this.serve(key, kind, tags[kind]);
		const day = Math.floor(this.nowMs / DAY_MS);
		const name = `${key.id}/${day}`;
		this.usage.set(name, (this.usage.get(name) ?? 0) + 1);
		host.outbox.post(key.id, day, [1], Math.floor(this.nowMs / 1_000));
		if (
			taken.some((kind) => host.words.left(key.slot, kind, tags[kind]) < host.words.lowWater(key.slot, kind))
		) {
			host.book.ask(key, 0, () => undefined, nowMs);
			this.exchange(host, key.slot);
		}
	}

	private serve(key: LeasedKey, kind: number, tag: number): void {
		const name = `rollcall:1:{${key.id}}:lease:${["minute", "day", "month"][kind]}:${tag}`;
		const served = (this.served.get(name) ?? 0) + 1;
		this.served.set(name, served);
		if (served > key.limits[kind])
			throw new InvariantBroken(`${name}: ${served} served, the limit is ${key.limits[kind]}`);
	}

	private exchangeDue(host: SimulatedHost): void {
		for (const slot of host.book.due) this.exchange(host, slot);
	}

	private exchange(host: SimulatedHost, slot: number): void {
		const { run, book } = host;
		const exchange = book.begin(slot, this.nowMs + host.offMs);
		if (exchange === null) return;
		const sentMs = this.nowMs;
		this.messages.push({
			host,
			run,
			arrive: () => {
				const { keys, values } = exchange;
				const sent = this.planted === "lease renewed whole" ? withoutRest(values) : values;
				const reply = this.store.exchange(keys, sent, this.nowMs);
				return { host, run, arrive: () => this.finishExchange(host, run, exchange, reply, sentMs) };
			},
		});
	}

	private finishExchange(
		host: SimulatedHost,
		run: number,
		exchange: Exchange,
		reply: number[],
		sentMs: number,
	): null {
		if (host.run !== run) return null;
		// It was given up before.
		if (this.nowMs - sentMs > this.replyMsMax) {
			this.lossless = false;
			host.book.fail(exchange, false);
		} else {
			host.book.finish(exchange, reply, this.nowMs + host.offMs);
			this.checkLeases(host, exchange);
		}
		this.exchange(host, exchange.slot);
		return null;
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
		const batch = host.outbox.waiting() ?? host.outbox.seal();
		if (batch === null) return;
		const entries = batch.entries.map(({ keyId, day, requests }) => ({
			name: `${keyId}/${day}`,
			requests: requests[0],
		}));
		this.messages.push({
			host,
			run: host.run,
			arrive: () => {
				const number =
					this.planted === "batch counted twice"
						? (this.store.batches.get(host.name) ?? 0) + 1
						: batch.number;
				this.store.apply(host.name, number, entries);
				this.checkUsage();
				return { host, run: host.run, arrive: () => this.acknowledge(host, batch.number) };
			},
		});
	}

	private acknowledge(host: SimulatedHost, number: number): null {
		host.outbox.acknowledge(number);
		return null;
	}

	private checkUsage(): void {
		for (const [name, requests] of this.store.usage) {
			if (requests > (this.usage.get(name) ?? 0))
				throw new InvariantBroken(
					`usage of ${name}: ${requests} in the store, ${this.usage.get(name) ?? 0} served`,
				);
		}
	}

	private deliver(amount: number, once: boolean): void {
		if (this.messages.length === 0) return;
		const place = amount % this.messages.length;
		const message = this.messages[place];
		if (once) this.messages.splice(place, 1);
		const answer = message.arrive();
		if (answer !== null) this.messages.push(answer);
	}

	private readIndex(host: SimulatedHost, revision: number): void {
		const taken = this.planted === "old index taken" ? revision : newestRevision(host.revision, revision);
		if (taken < host.revision)
			throw new InvariantBroken(`${host.name} went from index ${host.revision} back to ${taken}`);
		host.revision = taken;
	}
}

function newLeases(host: string, run: number): { words: LeaseWords; book: LeaseBook } {
	const words = LeaseWords.allocate(KEYS.length);
	const book = new LeaseBook({ words, host, run: `r${run}` });
	book.hosts = HOSTS;
	return { words, book };
}

function tagsAt(nowMs: number): [number, number, number] {
	const date = new Date(nowMs);
	const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
	return [Math.floor(nowMs / MINUTE_MS) + 1, Math.floor(nowMs / DAY_MS) + 1, month + 1];
}
