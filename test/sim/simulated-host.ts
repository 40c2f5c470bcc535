/**
 * One host of the simulation: the classes of production that decide (leases, recovery, shared clock, outbox), and what
 * a host stores. Its clock is off, and may be set.
 */

import { LeaseWords } from "../../server/limits/lease-words.js";
import { MINUTE_MS } from "../../server/limits/windows.js";
import type { Exchange, LeasedKey } from "../../server/shared-state/lease-exchange.js";
import { LeaseTable } from "../../server/shared-state/lease-table.js";
import { Recovery } from "../../server/shared-state/recovery.js";
import type { Beat } from "../../server/shared-state/script-calls.js";
import { SharedClock } from "../../server/shared-state/shared-clock.js";
import {
	type OutboxHead,
	type OutboxRow,
	type OutboxRows,
	UsageOutbox,
} from "../../server/shared-state/usage-outbox.js";

export const KEYS: readonly LeasedKey[] = [
	{ id: "a", slot: 0, limits: [7, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] },
	{ id: "b", slot: 1, limits: [20, 60, Number.POSITIVE_INFINITY] },
	{ id: "c", slot: 2, limits: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 40] },
];
export const LIMITED = KEYS.map(({ limits }) =>
	[0, 1, 2].filter((kind) => limits[kind] !== Number.POSITIVE_INFINITY),
);
export const DAY_MS = 86_400_000;

/** Without a reply after so long a command is given up, as by redis.ts. */
const REPLY_MS_MAX = 1_000;
const BEAT_MS = 1_000;
/** As link-health.ts. */
const RECONNECT_GRACE_MS = 250;

class Rows<T> implements OutboxRows<T> {
	private readonly rows = new Map<string, T>();
	get = (key: string) => this.rows.get(key);
	put = (key: string, value: T) => void this.rows.set(key, value);
	remove = (key: string) => void this.rows.delete(key);
	entries({ limit = Number.POSITIVE_INFINITY } = {}) {
		return [...this.rows].slice(0, limit).map(([key, value]) => ({ key, value }));
	}
}

export class SimulatedHost {
	readonly name: string;
	readonly outbox = new UsageOutbox(new Rows<OutboxRow>(), new Rows<OutboxHead>());
	words: LeaseWords = LeaseWords.allocate(KEYS.length);
	table: LeaseTable;
	recovery: Recovery;
	/** Number of the connection, so that a reply on an earlier one is not taken. */
	connection = 0;
	/** Until when there is no connection, and until when all messages are lost. */
	cutUntilMs = 0;
	silentUntilMs = 0;
	#run = 0;
	#clock = new SharedClock();
	#hasReadClock = false;
	/** The machine's clock minus the world's. */
	#offMs: number;
	#jumpedMs = Number.NEGATIVE_INFINITY;
	#downMs: number | null = null;
	#beatMs = Number.NEGATIVE_INFINITY;
	/** Epoch that it has stored. */
	#epoch: string | null = null;
	readonly #pending = new Map<Exchange, number>();
	/** Requests counted in each window, by slot, window and tag, and by key and day; stored. */
	readonly #counted = new Map<string, number>();
	readonly #usage = new Map<string, { keyId: string; day: number; requests: number }>();

	/**
	 * `offMs`: how far its clock is ahead of the world's. `hosts`: how many there are. `isPatient`: replies are awaited
	 * however long they take.
	 */
	constructor(
		at: number,
		offMs: number,
		private readonly hosts: number,
		private readonly isPatient: boolean,
	) {
		this.name = `h${at}`;
		this.#offMs = offMs;
		this.table = this.#newTable();
		this.recovery = new Recovery(this.table);
	}

	/** The shared clock as it is known here, at `nowMs` of the world. */
	sharedMs(nowMs: number): number {
		const machineMs = nowMs + this.#offMs;
		return machineMs + this.#clock.offsetMs(machineMs, nowMs);
	}

	/** As {@link sharedMs}, as serving threads know it. */
	requestMs(nowMs: number): number {
		return nowMs + this.#offMs + this.words.clockOffsetMs;
	}

	/** Whether the shared clock was read since the process was started; until then the machine's is used. */
	get hasReadClock(): boolean {
		return this.#hasReadClock;
	}

	/** The machine's clock at `nowMs` of the world. */
	machineMs(nowMs: number): number {
		return nowMs + this.#offMs;
	}

	/** Whether serving threads know the shared clock: it is published every 100 ms. */
	knowsTime(nowMs: number): boolean {
		return nowMs - this.#jumpedMs > 100;
	}

	/** The machine's clock is set. */
	jump(toMs: number, nowMs: number): void {
		this.#offMs = toMs;
		this.#jumpedMs = nowMs;
	}

	isCut(nowMs: number): boolean {
		return nowMs < this.cutUntilMs;
	}

	count(key: LeasedKey, kinds: readonly number[], tags: readonly number[], day: number, nowMs: number): void {
		for (const kind of kinds) {
			const name = `${key.slot}/${kind}/${tags[kind]}`;
			this.#counted.set(name, (this.#counted.get(name) ?? 0) + 1);
		}
		const row = this.#usage.get(`${key.id}/${day}`) ?? { keyId: key.id, day, requests: 0 };
		row.requests++;
		this.#usage.set(`${key.id}/${day}`, row);
		this.outbox.post(key.id, day, [1], Math.floor(nowMs / 1_000));
	}

	/** Begins an exchange; null: none is due, or none may be made. */
	begin(slot: number, nowMs: number, anyway: boolean): Exchange | null {
		if (this.isCut(nowMs) || !(this.recovery.greeted || anyway)) return null;
		const exchange = this.table.begin(slot, this.sharedMs(nowMs));
		if (exchange !== null) this.#pending.set(exchange, nowMs);
		return exchange;
	}

	/** Whether the reply of the exchange is still awaited; it is not any more. */
	awaited(exchange: Exchange): boolean {
		return this.#pending.delete(exchange);
	}

	/** Whether a heartbeat is to be sent now; then it is. */
	takeBeat(nowMs: number): boolean {
		const waits = this.recovery.greeted ? BEAT_MS : REPLY_MS_MAX;
		if (this.isCut(nowMs) || nowMs - this.#beatMs < waits) return false;
		this.#beatMs = nowMs;
		return true;
	}

	/** The epoch to be begun if the store has none. */
	newEpoch(at: number): string {
		return `${this.#epoch === null ? "n" : "r"}${at}`;
	}

	/** A heartbeat was answered. `claims`: whether it claims what was lost. Returns whether the answer came in time. */
	heard(beat: Beat, sentMs: number, nowMs: number, claims: boolean): boolean {
		if (nowMs - sentMs > REPLY_MS_MAX) return false;
		this.#clock.read(beat.nowMs, sentMs, nowMs);
		this.#hasReadClock = true;
		this.publishClock(nowMs);
		this.table.hosts = this.hosts;
		const loss = this.recovery.heard(beat, this.#epoch);
		if (loss.newEpoch) {
			this.#epoch = beat.epoch;
			const entries = [...this.#usage.values()].map(({ keyId, day, requests }) => ({
				keyId,
				day,
				requests: [requests],
				lastUsed: 0,
			}));
			this.outbox.restart(entries);
		}
		this.recovery.recovered(claims ? loss : { ...loss, claims: false }, () => KEYS, this.sharedMs(nowMs));
		this.words.linked = true;
		this.#downMs = null;
		return true;
	}

	/** Windows of exchanges whose replies are awaited. */
	get claimed(): ReadonlySet<string> {
		return new Set([...this.#pending.keys()].flatMap(({ keys }) => keys));
	}

	publishClock(nowMs: number): void {
		const machineMs = nowMs + this.#offMs;
		this.words.clockOffsetMs = this.#clock.offsetMs(machineMs, nowMs);
	}

	/** The connection ends: no reply on it is taken. */
	disconnect(nowMs: number): void {
		this.connection++;
		this.recovery.disconnected();
		this.#beatMs = Number.NEGATIVE_INFINITY;
		this.#downMs ??= nowMs;
		for (const exchange of this.#pending.keys()) this.table.fail(exchange, true);
		this.#pending.clear();
	}

	/** What happens every 100 ms. Returns whether an exchange was given up. */
	tick(nowMs: number): boolean {
		this.publishClock(nowMs);
		if (this.#downMs !== null && nowMs - this.#downMs > RECONNECT_GRACE_MS) this.#lose();
		if (this.isPatient) return false;
		const overdue = [...this.#pending].filter(([, sentMs]) => nowMs - sentMs > REPLY_MS_MAX);
		for (const [exchange] of overdue) {
			this.#pending.delete(exchange);
			this.table.fail(exchange, false);
			this.#lose();
		}
		return overdue.length > 0;
	}

	/** The process ends without a word, and starts again. */
	kill(nowMs: number): void {
		this.disconnect(nowMs);
		this.#run++;
		this.words = LeaseWords.allocate(KEYS.length);
		this.table = this.#newTable();
		this.recovery = new Recovery(this.table);
		this.#clock = new SharedClock();
		this.#hasReadClock = false;
		this.#downMs = null;
	}

	#lose(): void {
		this.words.linked = false;
		this.table.abandon();
	}

	#newTable(): LeaseTable {
		const stored = new Map(this.#counted);
		const of = (slot: number, kind: number, tag: number) => stored.get(`${slot}/${kind}/${tag}`) ?? 0;
		return new LeaseTable({ words: this.words, host: this.name, run: `r${this.#run}`, earlier: { of } });
	}
}

/** Tags of the windows that contain `nowMs`. */
export function tagsAt(nowMs: number): [number, number, number] {
	const date = new Date(nowMs);
	const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
	return [Math.floor(nowMs / MINUTE_MS) + 1, Math.floor(nowMs / DAY_MS) + 1, month + 1];
}
