/**
 * The months of one simulated host: production decides (month-schedule.ts); this is what the host has on its disk, and
 * what it does about months.
 *
 * Checked whenever a month goes live: it was downloaded, its time has come, and it is no older version than the one
 * before. Checked at every live check: a host that lacks a month of its index that is live, or has a thread that has not
 * opened it, says that it is behind, and,
 * if it knew of the month in time, from the month's instant on; and a host that has not tried to read the index since it
 * was started, or has read only older ones than before, is not ready. Checked at the end: every host has every month, and is
 * ready. A host that is cut off from the object store before it has downloaded a month so serves what it has, and says
 * that it is behind.
 */

import type { MonthIndex } from "../../formats/object-store/index.js";
import { LATE_MS } from "../../server/months/deadlines.js";
import {
	MonthSchedule,
	type MonthsHere,
	OLDER_MS_MAX,
	READ_MS_MAX,
} from "../../server/months/month-schedule.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { CLOCK_ERROR_MS_MAX, InvariantBroken } from "./invariants.js";
import { versionOf } from "./published-indexes.js";
import type { SimulatedHost } from "./simulated-host.js";
import type { Planted } from "./steps.js";

/** Serving threads of a host. */
const THREADS = 2;
/** Announced so long before it goes live, a month was announced in time. */
const IN_TIME_MS = 2_000 + CLOCK_ERROR_MS_MAX;
/** How much later than it happens a change is noticed: by the next live check of the simulation. */
const CHECK_MS_MAX = 500;

export class SimulatedMonths implements MonthsHere {
	readonly #host: SimulatedHost;
	readonly #planted: Planted;
	#schedule: MonthSchedule;
	/** Versions by month: published, kept over restarts; and downloaded ones that wait. */
	readonly #published = new Map<string, string>();
	#downloaded = new Map<string, string>();
	/** Versions by month that each thread has opened. */
	#threads: ReadonlyMap<string, string>[] = [];
	#publications = OpenedPublications.allocate(THREADS);
	/** By month, the number of its publication. */
	readonly #numbers = new Map<string, number>();
	/** Versions that were ever downloaded. */
	readonly #pulled = new Set<string>();
	/** The index that the host keeps on its disk. */
	#kept: MonthIndex | null = null;
	/** The index that it follows, as it was published, and when each of its versions was first read; Infinity: unknown. */
	#followed: MonthIndex | null = null;
	readonly #readMs = new Map<string, number>();
	/** Since when each reading of the index is awaited, and by when it is given up. */
	#readings: { readonly sinceMs: number; readonly untilMs: number }[] = [];

	constructor(host: SimulatedHost, planted: Planted, nowMs: number) {
		this.#host = host;
		this.#planted = planted;
		this.#schedule = new MonthSchedule(this, 0, null, this.#timeMs(nowMs));
		this.#reloadAll();
	}

	isDownloaded(month: string, manifest: string): boolean {
		return this.#planted === "live without being here" || this.#downloaded.get(month) === manifest;
	}

	isPublished(month: string, manifest: string): boolean {
		if (this.#planted === "behind without saying so") return this.#published.has(month);
		return this.#published.get(month) === manifest;
	}

	isServed(month: string): boolean {
		if (this.#planted === "ready before its threads") return true;
		return this.#publications.isServed(this.#numbers.get(month) ?? 0);
	}

	/** A thread opens what is published. */
	reload(thread: number): void {
		this.#threads[thread % THREADS] = new Map(this.#published);
		this.#publications.opened(thread % THREADS, this.#publications.newest);
	}

	/** The index was read; null: it could not be. */
	read(index: MonthIndex | null, nowMs: number): void {
		const isOlder = index !== null && !this.#follow(index, nowMs);
		if (!isOlder) {
			for (const _ of this.#readings.splice(0)) this.#schedule.readingEnded();
		} else if (this.#planted === "ready by an old index") {
			for (const _ of this.#readings) this.#schedule.readingEnded();
		} else
			this.#readings = this.#readings.map(({ sinceMs }) => ({ sinceMs, untilMs: sinceMs + OLDER_MS_MAX }));
	}

	/** Returns false if the index is older than one before. */
	#follow(index: MonthIndex, nowMs: number): boolean {
		const { revision } = this.#schedule;
		const given = this.#planted === "old index taken" ? { ...index, revision: revision + 1 } : index;
		if (!this.#schedule.follow(given, this.#timeMs(nowMs))) return false;
		const before = this.#followed?.revision ?? 0;
		if (index.revision < before)
			throw new InvariantBroken(`${this.#host.name} went from index ${before} back to ${index.revision}`);
		this.#followed = index;
		if (this.#planted !== "index not kept") this.#kept = given;
		// By the machine's clock a month may seem to be announced too late.
		const readMs = this.#host.hasReadClock ? nowMs : Number.POSITIVE_INFINITY;
		for (const { manifest } of Object.values(index.months))
			if (!this.#readMs.has(manifest)) this.#readMs.set(manifest, readMs);
		return true;
	}

	/** Downloads a month of the index that is not here. */
	pull(nowMs: number): void {
		const lacking = this.#schedule.wanted(this.#timeMs(nowMs)).find(({ month, manifest }) => {
			return this.#published.get(month) !== manifest && this.#downloaded.get(month) !== manifest;
		});
		if (lacking === undefined) return;
		this.#downloaded.set(lacking.month, lacking.manifest);
		this.#pulled.add(lacking.manifest);
		this.#schedule.downloaded(lacking, this.#timeMs(nowMs));
		this.#goLive(nowMs);
	}

	/** Nothing is in the way. */
	readAndPull(index: MonthIndex, nowMs: number): void {
		this.read(index, nowMs);
		this.pull(nowMs);
		this.#reloadAll();
	}

	#reloadAll(): void {
		for (let thread = 0; thread < THREADS; thread++) this.reload(thread);
	}

	/** The process ends without a word, and starts again. */
	restart(nowMs: number): void {
		this.#downloaded = new Map();
		this.#readings = [];
		this.#publications = OpenedPublications.allocate(THREADS);
		this.#numbers.clear();
		this.#reloadAll();
		this.#schedule = new MonthSchedule(this, 0, this.#kept, this.#timeMs(nowMs));
		this.#awaitReading(nowMs);
	}

	/** The live check, and what must hold then. */
	check(nowMs: number): void {
		const awaited = this.#readings.filter(({ untilMs }) => untilMs > nowMs);
		for (const _ of this.#readings.slice(awaited.length)) this.#schedule.readingEnded();
		this.#readings = awaited;
		if (this.#schedule.isOverdue(this.#timeMs(nowMs))) this.#awaitReading(nowMs);
		this.#schedule.checked(this.#timeMs(nowMs));
		this.#goLive(nowMs);
		if (this.#readings.length > 0 && this.#schedule.notReady(this.#timeMs(nowMs)) === null)
			throw new InvariantBroken(`${this.#host.name} is ready before it has read the index`);
		this.#checkSaysBehind(nowMs);
	}

	/** Everything was read and downloaded: nothing is lacking once it is live. */
	checkComplete(index: MonthIndex, nowMs: number): void {
		for (const [month, { manifest, live_at }] of Object.entries(index.months))
			if (live_at + CHECK_MS_MAX + CLOCK_ERROR_MS_MAX < nowMs && this.#published.get(month) !== manifest)
				throw new InvariantBroken(`${this.#host.name} has no version ${manifest} of ${month} in the end`);
		const reason = this.#schedule.notReady(this.#timeMs(nowMs));
		if (reason !== null) throw new InvariantBroken(`${this.#host.name} is not ready in the end: ${reason}`);
	}

	#awaitReading(nowMs: number): void {
		this.#schedule.awaitReading();
		this.#readings.push({ sinceMs: nowMs, untilMs: nowMs + READ_MS_MAX });
	}

	#goLive(nowMs: number): void {
		for (const { month, manifest, liveAtMs } of this.#schedule.dueToGoLive(this.#timeMs(nowMs))) {
			const { name, hasReadClock } = this.#host;
			const before = this.#published.get(month);
			if (!this.#pulled.has(manifest))
				throw new InvariantBroken(`${name} serves version ${manifest} of ${month}, which it does not have`);
			if (hasReadClock && nowMs < liveAtMs - CLOCK_ERROR_MS_MAX)
				throw new InvariantBroken(`${name} serves ${month} ${liveAtMs - nowMs} ms before it is live`);
			if (before !== undefined && versionOf(before) > versionOf(manifest))
				throw new InvariantBroken(`${name} went from version ${before} of ${month} back to ${manifest}`);
			this.#published.set(month, manifest);
			this.#numbers.set(month, this.#publications.publish());
			this.#downloaded.delete(month);
		}
	}

	#checkSaysBehind(nowMs: number): void {
		if (!this.#host.hasReadClock) return;
		for (const [month, { manifest, live_at }] of Object.entries(this.#followed?.months ?? {})) {
			if (this.#threads.every((opened) => opened.get(month) === manifest)) continue;
			const has = this.#downloaded.get(month) === manifest || this.#published.get(month) === manifest;
			const inTime = live_at - (this.#readMs.get(manifest) ?? nowMs) >= IN_TIME_MS && !has;
			const lateMs = inTime ? 0 : LATE_MS + CHECK_MS_MAX + CLOCK_ERROR_MS_MAX;
			if (nowMs <= live_at + lateMs) continue;
			if (this.#schedule.notReady(this.#timeMs(nowMs)) === null)
				throw new InvariantBroken(
					`${this.#host.name} lacks ${month}, live for ${nowMs - live_at} ms, and says it is ready`,
				);
		}
	}

	/** By what the host takes for the shared clock. */
	#timeMs(nowMs: number): number {
		const isByMachine = this.#planted === "live by the machine's clock";
		return isByMachine ? this.#host.machineMs(nowMs) : this.#host.sharedMs(nowMs);
	}
}
