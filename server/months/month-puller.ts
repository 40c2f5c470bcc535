/**
 * Months from an object store: polls its index, downloads missing months, and publishes each month in the data
 * folder at the time given in the index, so that all hosts switch together.
 *
 * - A host that will not have a month by then, or whose threads have not all opened it, reports that it is not ready
 *   (month-schedule.ts), rather than answering from earlier months, so no client sees an older month after a newer one.
 * - While the store is unreachable, published months are served; the age of the index is reported.
 * - An index with a lower revision than one seen before is an old copy and is ignored, also after a restart.
 * - A process that was started, or stopped and continued, is not ready until it has tried to read the index: a month
 *   may have been replaced in the meantime. An older index than one seen before does not tell, so it is read again.
 * - The index is followed while months are downloaded: what it announces, moves or withdraws takes effect meanwhile. A
 *   month that cannot be downloaded keeps back no other month.
 *
 * Invariants: one reading for a poll, and one download, run at a time; the worker threads learn of months only from the
 * data folder.
 */

import { setTimeout as delay } from "node:timers/promises";
import { publishRetainingRows } from "../../formats/index.js";
import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type ObjectStore,
	parseStoredIndex,
	readStoredManifest,
} from "../../formats/object-store/index.js";
import { type PulledMonth, pullMonth } from "../../formats/object-store/pull-month.js";
import { removeUnwantedPulls, type Wanted } from "../../formats/object-store/wanted-months.js";
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { Scheduler } from "../scheduler.js";
import { FaultLog } from "./fault-log.js";
import { IndexKeeper, keepDigests, noIndexError, readKeptDigests, readKeptIndex } from "./kept-index.js";
import { MonthRemoval } from "./month-removal.js";
import { MonthSchedule, type MonthsHere, OLDER_MS_MAX, READ_MS_MAX } from "./month-schedule.js";
import type { OpenedPublications } from "./opened-publications.js";
import { PublishedDigests } from "./published-digests.js";

/** Interval at which downloaded months are checked for going live, in milliseconds. */
const LIVE_CHECK_MS = 100;

/** Pause before an index older than one seen before is read again, in milliseconds. */
const REREAD_MS = 500;

export interface MonthPullerOptions {
	readonly store: ObjectStore;
	readonly dataFolder: string;
	/** Tells which published months the serving threads have opened. */
	readonly publications: OpenedPublications;
	/** The same on all hosts as nearly as can be: months go live by it. */
	readonly clock: Clock;
	readonly scheduler: Pick<Scheduler, "every">;
	readonly log: Log;
	readonly pollMs: number;
	/** Number of newest months to keep; 0: all. Stored rows are kept for the newest only. */
	readonly keepMonths: number;
	readonly bytesPerSecond: number;
}

/** For metrics. */
export interface PullerState {
	/** Revision of the index in use; 0: none was ever read. */
	readonly revision: number;
	/** Milliseconds since the store last replied with an index, or that it is unchanged; null: it has not since the start. */
	readonly heardAgoMs: number | null;
	/** Months of the index that are not here. */
	readonly missing: readonly string[];
	/** Those that are live. */
	readonly late: readonly string[];
	readonly pulledBytes: number;
	/** Times that the store returned an index older than the one in use. */
	readonly oldIndexes: number;
}

export class MonthPuller implements MonthsHere {
	private readonly schedule: MonthSchedule;
	private etag: string | undefined;
	private heardMs: number | null = null;
	private pulledBytes = 0;
	private oldIndexes = 0;
	private following: Promise<boolean> | null = null;
	private downloading: Promise<void> | null = null;
	/** What is being downloaded, and what ends that. */
	private current: (Wanted & { readonly ending: AbortController }) | null = null;
	private readonly faults: FaultLog;
	private readonly keeper: IndexKeeper;
	/** Complete months waiting to go live, by month. */
	private readonly ready = new Map<string, PulledMonth & { readonly digest: string }>();
	/** By digest of a manifest, the digest of its snapshot; manifests never change. */
	private readonly digests: Map<string, string>;
	private readonly published: PublishedDigests;
	private readonly removal: MonthRemoval;
	/** By month, the number of its publication by this process. */
	private readonly numbers = new Map<string, number>();
	/** Revision of the older index that was reported last; null: the newest reading was of a current one. */
	private reportedRevision: number | null = null;
	private readonly stops: (() => void)[] = [];
	private readonly closing = new AbortController();

	constructor(private readonly options: MonthPullerOptions) {
		this.faults = new FaultLog(options.log, this.closing.signal);
		this.keeper = new IndexKeeper(options.dataFolder, this.faults);
		this.published = new PublishedDigests(options.dataFolder);
		this.digests = readKeptDigests(options.dataFolder, options.log);
		const index = readKeptIndex(options.dataFolder, options.log);
		this.schedule = new MonthSchedule(this, options.keepMonths, index, options.clock.now());
		const { schedule, published, digests } = this;
		this.removal = new MonthRemoval({ ...options, schedule, published, digests });
	}

	start(): void {
		const { scheduler, pollMs } = this.options;
		this.stops.push(scheduler.every(pollMs, () => void this.poll()));
		this.stops.push(scheduler.every(LIVE_CHECK_MS, () => this.liveCheck()));
		void this.awaitIndex();
		void this.poll();
	}

	async close(): Promise<void> {
		this.closing.abort();
		for (const stop of this.stops.splice(0)) stop();
		await this.following;
		await this.downloading;
	}

	get state(): PullerState {
		const { schedule, heardMs, pulledBytes, oldIndexes } = this;
		const nowMs = this.options.clock.now();
		const heardAgoMs = heardMs === null ? null : Math.max(0, nowMs - heardMs);
		const lacking = schedule.lacking(nowMs);
		return {
			revision: schedule.revision,
			heardAgoMs,
			missing: [...new Set(lacking.map(({ month }) => month))],
			late: lacking.filter(({ liveAtMs }) => liveAtMs <= nowMs).map(({ month }) => month),
			pulledBytes,
			oldIndexes,
		};
	}

	/** Why this host must not answer; null: it may. */
	notReady(): string | null {
		return this.schedule.notReady(this.options.clock.now());
	}

	/** Follows the index, and downloads missing months where that is not under way. A failure is logged and retried. */
	async poll(): Promise<void> {
		this.following ??= this.follow().finally(() => {
			this.following = null;
		});
		if (!(await this.following)) return;
		this.downloading ??= this.download().finally(() => {
			this.downloading = null;
		});
		await this.downloading;
	}

	/** Reads the index, and does what needs no download. Resolves to whether it could be read. */
	private async follow(): Promise<boolean> {
		try {
			await this.readIndex();
			this.faults.succeeded("index");
			this.keeper.keep();
		} catch (error) {
			this.faults.failed("index", error);
			return false;
		}
		this.goLive();
		const { current } = this;
		if (current !== null && !this.isWanted(current.month, current.manifest)) current.ending.abort();
		this.retireOthers();
		return true;
	}

	/** Downloads the months that are missing, also those that the index announces meanwhile; each is tried once. */
	private async download(): Promise<void> {
		this.faults.attempt("removing downloads", () => this.forgetUnwanted());
		const tried = new Set<string>();
		const next = () =>
			this.wanted.find(({ month, manifest }) => !tried.has(manifest) && !this.isDownloaded(month, manifest));
		for (let wanted = next(); wanted !== undefined; wanted = next()) {
			tried.add(wanted.manifest);
			try {
				await this.learnDigest(wanted.manifest);
				if (this.isPublished(wanted.month, wanted.manifest)) continue;
				await this.pull(wanted);
				this.faults.succeeded(wanted.month);
			} catch (error) {
				if (this.closing.signal.aborted) return;
				if (this.current?.ending.signal.aborted !== true) this.faults.failed(wanted.month, error);
			} finally {
				this.current = null;
			}
			this.goLive();
		}
		// What is published now may be what older months were kept for.
		this.retireOthers();
	}

	/** Resolves to whether the store returned the current index, as far as this host can tell. */
	private async readIndex(): Promise<boolean> {
		const { store, clock, log } = this.options;
		const { etag, closing } = this;
		const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX, { etag, signal: closing.signal });
		if (document === null) throw noIndexError(store.url, this.schedule.revision);
		if (document === "unchanged") {
			this.heardMs = clock.now();
			this.reportedRevision = null;
			return true;
		}
		const index = parseStoredIndex(store, document.bytes);
		// What is no index, such as a page of a proxy, says nothing of the months.
		this.heardMs = clock.now();
		const seen = this.schedule.revision;
		if (!this.schedule.follow(index, clock.now())) {
			this.oldIndexes++;
			if (this.reportedRevision !== index.revision)
				log.warn(
					{ revision: index.revision, seen },
					"the object store gave an older index than before; it is ignored",
				);
			this.reportedRevision = index.revision;
			return false;
		}
		this.reportedRevision = null;
		this.etag = document.etag === "" ? undefined : document.etag;
		this.keeper.keep(index);
		return true;
	}

	private async learnDigest(manifest: string): Promise<void> {
		if (this.digests.has(manifest)) return;
		const { digest } = await readStoredManifest(this.options.store, manifest, this.closing.signal);
		this.digests.set(manifest, digest);
		const wanted = new Set(this.wanted.map((each) => each.manifest));
		keepDigests(this.options.dataFolder, new Map([...this.digests].filter(([each]) => wanted.has(each))));
	}

	private async pull(wanted: Wanted): Promise<void> {
		const { month, manifest, rowStore } = wanted;
		const { store, dataFolder, bytesPerSecond, log } = this.options;
		const startedMs = performance.now();
		const ending = new AbortController();
		this.current = { ...wanted, ending };
		const pulled = await pullMonth(store, manifest, dataFolder, {
			bytesPerSecond,
			rowStore,
			signal: AbortSignal.any([this.closing.signal, ending.signal]),
			onBytes: (bytes) => {
				this.pulledBytes += bytes;
			},
		});
		this.ready.set(month, { ...pulled, digest: manifest });
		this.schedule.downloaded(wanted, this.options.clock.now());
		const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
		log.info({ month, bytes: pulled.pulledBytes, seconds }, "a month is here from the object store");
	}

	private liveCheck(): void {
		const nowMs = this.options.clock.now();
		if (this.schedule.isOverdue(nowMs)) {
			this.options.log.warn("this process was stopped; it is not ready until the index has been read again");
			void this.awaitIndex();
		}
		this.schedule.checked(nowMs);
		this.goLive();
	}

	/** Reads the index beside the poll, which may be downloading, or have read it before the process was stopped. */
	private async awaitIndex(): Promise<void> {
		this.schedule.awaitReading();
		const pause = (ms: number, signal: AbortSignal) =>
			delay(ms, true, { ref: false, signal }).catch(() => true);
		// A store that fails, or does not reply in time, says nothing of the months here: they are served.
		const read = () => {
			const over = new AbortController();
			const reading = this.readIndex().catch((error: unknown) => {
				this.faults.failed("index", error);
				return true;
			});
			return Promise.race([reading, pause(READ_MS_MAX, over.signal)]).finally(() => over.abort());
		};
		const endMs = performance.now() + OLDER_MS_MAX;
		const { signal: closing } = this.closing;
		while (!(await read()) && performance.now() < endMs && !closing.aborted) await pause(REREAD_MS, closing);
		this.schedule.readingEnded();
	}

	/** Publishes the downloaded months that are live. One that cannot be is downloaded again. */
	private goLive(): void {
		for (const { month } of this.schedule.dueToGoLive(this.options.clock.now())) {
			const ready = this.ready.get(month);
			if (ready === undefined || !this.ready.delete(month)) continue;
			this.faults.attempt(`publishing ${month}`, () => this.publish(month, ready));
		}
	}

	private publish(month: string, ready: PulledMonth): void {
		const { dataFolder, publications, log } = this.options;
		const dropped = publishRetainingRows(dataFolder, false, () => ready.publish());
		this.numbers.set(month, publications.publish());
		if (dropped !== null) log.info({ month: dropped }, "stored rows of an older month were dropped");
		log.info({ month }, "a month of the object store is live");
	}

	private get wanted(): Wanted[] {
		return this.schedule.wanted(this.options.clock.now());
	}

	private isWanted(month: string, manifest: string): boolean {
		return this.wanted.some((each) => each.month === month && each.manifest === manifest);
	}

	private retireOthers(): void {
		this.faults.attempt("retiring", () => this.removal.run(this.options.clock.now()));
	}

	/** Forgets downloads of months that are no longer wanted, or are published. */
	private forgetUnwanted(): void {
		const { digests, ready, wanted } = this;
		if (wanted.length === 0) return;
		const isHere = (month: string, each: string) => digests.has(each) && this.isPublished(month, each);
		for (const [month, { digest }] of ready)
			if (!this.isWanted(month, digest) || isHere(month, digest)) ready.delete(month);
		removeUnwantedPulls(this.options.dataFolder, wanted, isHere);
	}

	/** Whether the month of the manifest is complete here, and waits to go live. */
	isDownloaded(month: string, manifest: string): boolean {
		return this.ready.get(month)?.digest === manifest;
	}

	/** Whether the published snapshot is that of the manifest. */
	isPublished(month: string, manifest: string): boolean {
		const found = this.published.of(month);
		const expected = this.digests.get(manifest);
		if (expected !== undefined) return found === expected;
		// A manifest that was never read was never pulled. None is known if an earlier version ran here, and the store
		// was unreachable since the start: the published months are those of that run.
		return found !== null && this.digests.size === 0;
	}

	isServed(month: string): boolean {
		return this.options.publications.isServed(this.numbers.get(month) ?? 0);
	}
}
