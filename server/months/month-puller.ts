/**
 * Months from an object store: watches its index, gets what this host lacks, and publishes each month in
 * the data folder when the index says that it is live, so that all hosts change over together.
 *
 * - A host that does not have a month by then reports that it is not ready, rather than answering from
 *   the months before: no client sees months go back.
 * - With the store away, what is published is served on; the age of the index is reported.
 * - An index with a lower revision than one seen before is an old copy and is ignored, also after a restart.
 *
 * Invariants: one poll runs at a time; the worker threads learn of months from the data folder alone.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	FormatError,
	hex,
	isMonth,
	PULLS_FOLDER,
	publications,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import {
	documentBytes,
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type MonthIndex,
	type ObjectStore,
	ObjectStoreError,
	parseIndex,
	readStoredManifest,
} from "../../formats/object-store/index.js";
import { type PulledMonth, pullMonth, retire } from "../../formats/object-store/pull-month.js";
import type { Clock } from "../clock.js";
import type { Log } from "../log.js";
import type { Scheduler } from "../scheduler.js";
import { newestRevision } from "./newest-index.js";

/** Where the last index taken is kept, below the data folder. */
const KEPT_INDEX = join(PULLS_FOLDER, "index.json");

/** How late a month may go live before the host reports that it is not ready. */
const LATE_MS = 1_000;

/** How often it is looked whether a month that is here has gone live. */
const LIVE_CHECK_MS = 100;

export interface MonthPullerOptions {
	readonly store: ObjectStore;
	readonly dataFolder: string;
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly log: Log;
	readonly pollMs: number;
	/** Newest months that are kept here; 0: all. Stored rows are kept of the newest alone. */
	readonly keepMonths: number;
	readonly bytesPerSecond: number;
}

/** For metrics. */
export interface PullerState {
	/** Revision of the index in force; 0: none was ever read. */
	readonly revision: number;
	/** When the store last answered; null: not since the start. */
	readonly heardMs: number | null;
	/** Months that are in the index and not here. */
	readonly missing: readonly string[];
	readonly pulledBytes: number;
}

interface Wanted {
	readonly month: string;
	/** Digest of the manifest. */
	readonly manifest: string;
	readonly liveAtMs: number;
	readonly rowStore: boolean;
}

export class MonthPuller {
	private index: MonthIndex | null;
	private etag: string | undefined;
	private heardMs: number | null = null;
	private pulledBytes = 0;
	private polling: Promise<void> | null = null;
	private lastFault = "";
	/** Whole months that wait to go live, by month. */
	private readonly ready = new Map<string, PulledMonth & { readonly digest: string }>();
	/** Digest of the snapshot that a manifest's digest stands for; manifests never change. */
	private readonly digests = new Map<string, string>();
	/** Digests of published snapshots, each with what tells its folder from the next of its name. */
	private readonly published = new Map<string, { readonly stamp: string; readonly digest: string | null }>();
	private readonly stops: (() => void)[] = [];
	private readonly closing = new AbortController();

	constructor(private readonly options: MonthPullerOptions) {
		this.index = readKeptIndex(options.dataFolder, options.log);
	}

	start(): void {
		const { scheduler, pollMs } = this.options;
		this.stops.push(
			scheduler.every(pollMs, () => void this.poll()),
			scheduler.every(LIVE_CHECK_MS, () => this.goLive()),
		);
		void this.poll();
	}

	async close(): Promise<void> {
		this.closing.abort();
		for (const stop of this.stops.splice(0)) stop();
		await this.polling;
	}

	get state(): PullerState {
		const { index, heardMs, pulledBytes } = this;
		return { revision: index?.revision ?? 0, heardMs, missing: this.missing(), pulledBytes };
	}

	/** Why this host must not answer; null: it may. */
	notReady(): string | null {
		if (this.index === null) return "the object store's index has not been read yet";
		const nowMs = this.options.clock.now();
		const late = this.wanted().find(
			({ liveAtMs, month, manifest }) => liveAtMs + LATE_MS < nowMs && !this.isPublished(month, manifest),
		);
		return late === undefined ? null : `${late.month} is live and is not here yet`;
	}

	/** Reads the index and gets what is missing. Runs once at a time; a failure is logged and tried again. */
	poll(): Promise<void> {
		this.polling ??= this.pollOnce()
			.then(() => {
				this.lastFault = "";
			})
			.catch((error: unknown) => this.reportFault(error))
			.finally(() => {
				this.polling = null;
			});
		return this.polling;
	}

	private async pollOnce(): Promise<void> {
		await this.readIndex();
		for (const wanted of this.wanted()) {
			if (this.closing.signal.aborted) return;
			await this.learnDigest(wanted.manifest);
			if (this.isPublished(wanted.month, wanted.manifest)) continue;
			if (this.ready.get(wanted.month)?.digest === wanted.manifest) continue;
			await this.pull(wanted);
			this.goLive();
		}
		this.goLive();
		this.retireOthers();
	}

	private async readIndex(): Promise<void> {
		const { store, dataFolder, clock, log } = this.options;
		const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX, this.etag);
		if (document === null) {
			throw new ObjectStoreError(
				"missing_object",
				`${store.url}/${INDEX_NAME} is not there; builder push makes it`,
			);
		}
		this.heardMs = clock.now();
		if (document === "unchanged") return;
		const index = parseIndex(document.bytes, `${store.url}/${INDEX_NAME}`);
		if (this.index !== null && newestRevision(this.index.revision, index.revision) !== index.revision) {
			log.warn(
				{ revision: index.revision, seen: this.index.revision },
				"the object store gave an older index than before; it is ignored",
			);
			return;
		}
		this.etag = document.etag === "" ? undefined : document.etag;
		this.index = index;
		mkdirSync(join(dataFolder, PULLS_FOLDER), { recursive: true });
		writeFileSync(join(dataFolder, KEPT_INDEX), documentBytes(index));
	}

	private async learnDigest(manifest: string): Promise<void> {
		if (this.digests.has(manifest)) return;
		this.digests.set(manifest, (await readStoredManifest(this.options.store, manifest)).digest);
	}

	private async pull({ month, manifest, rowStore }: Wanted): Promise<void> {
		const { store, dataFolder, bytesPerSecond, log } = this.options;
		const startedMs = performance.now();
		const pulled = await pullMonth(store, manifest, dataFolder, {
			parallel: 4,
			bytesPerSecond,
			rowStore,
			signal: this.closing.signal,
			onBytes: (bytes) => {
				this.pulledBytes += bytes;
			},
		});
		this.ready.set(month, { ...pulled, digest: manifest });
		const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
		log.info({ month, bytes: pulled.pulledBytes, seconds }, "a month is here from the object store");
	}

	/** Publishes the months that are here and live. */
	private goLive(): void {
		const nowMs = this.options.clock.now();
		for (const { month, manifest, liveAtMs } of this.wanted()) {
			const ready = this.ready.get(month);
			if (ready?.digest !== manifest || liveAtMs > nowMs) continue;
			this.ready.delete(month);
			ready.publish();
			this.options.log.info({ month }, "a month of the object store is live");
		}
	}

	/** Retires published months that the index does not name, or that are older than those kept. */
	private retireOthers(): void {
		const { dataFolder, log } = this.options;
		const wanted = this.wanted();
		// An index without months is more likely a mistake than a wish to serve nothing.
		if (wanted.length === 0) return;
		for (const month of publications(dataFolder).keys()) {
			if (wanted.some((each) => each.month === month)) continue;
			retire(dataFolder, month);
			log.info({ month }, "a month that the object store does not list any more was retired");
		}
		this.removeStalePulls(wanted);
	}

	/** Removes what was got of months that are not wanted any more. */
	private removeStalePulls(wanted: readonly Wanted[]): void {
		const folder = join(this.options.dataFolder, PULLS_FOLDER);
		const current = new Set(wanted.map(({ month, manifest }) => `${month}.${manifest.slice(0, 16)}`));
		for (const name of readdirSync(folder)) {
			if (!isMonth(name.split(".")[0]) || current.has(name)) continue;
			rmSync(join(folder, name), { recursive: true, force: true });
		}
	}

	/** The months of the index that this host is to have, newest first. */
	private wanted(): Wanted[] {
		const { keepMonths } = this.options;
		const entries = Object.entries(this.index?.months ?? {}).sort(([a], [b]) => (a < b ? 1 : -1));
		const kept = keepMonths === 0 ? entries : entries.slice(0, keepMonths);
		return kept.map(([month, { manifest, live_at }], i) => ({
			month,
			manifest,
			liveAtMs: live_at,
			rowStore: i === 0,
		}));
	}

	private missing(): string[] {
		return this.wanted()
			.filter(({ month, manifest }) => !this.isPublished(month, manifest))
			.map(({ month }) => month);
	}

	/** Whether the published snapshot is that of the manifest. */
	private isPublished(month: string, manifest: string): boolean {
		const found = this.publishedDigest(month);
		const expected = this.digests.get(manifest);
		// Not known yet, with the store away since the start: what is here is what was published before.
		return found !== null && (expected === undefined || found === expected);
	}

	/** Digest of the published snapshot; null: there is none, or none that opens. Cost: a stat where it is known. */
	private publishedDigest(month: string): string | null {
		const folder = snapshotFolder(this.options.dataFolder, month);
		const stat = statSync(folder, { throwIfNoEntry: false, bigint: true });
		if (stat === undefined) return null;
		const stamp = `${stat.ino}:${stat.mtimeNs}`;
		const known = this.published.get(month);
		if (known?.stamp === stamp) return known.digest;
		const digest = digestOf(folder);
		this.published.set(month, { stamp, digest });
		return digest;
	}

	private reportFault(error: unknown): void {
		if (this.closing.signal.aborted) return;
		const message = error instanceof Error ? error.message : String(error);
		if (message === this.lastFault) return;
		this.lastFault = message;
		if (error instanceof ObjectStoreError) this.options.log.warn({ code: error.code }, message);
		else this.options.log.error({ err: error }, "getting months from the object store failed");
	}
}

function digestOf(folder: string): string | null {
	try {
		return hex(SnapshotFiles.open(folder).crc);
	} catch (error) {
		if (error instanceof FormatError) return null;
		throw error;
	}
}

/** The index that was taken last; null: none, or what is there is not one. */
function readKeptIndex(dataFolder: string, log: Log): MonthIndex | null {
	const path = join(dataFolder, KEPT_INDEX);
	if (!existsSync(path)) return null;
	try {
		return parseIndex(readFileSync(path), path);
	} catch (error) {
		log.warn((error as Error).message);
		return null;
	}
}
