/**
 * One thread's server: the open snapshots, the keys and limits, the service and its transport. Several threads
 * serve one port; they share only the limits' counters and the mapped snapshots.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import {
	ByteSink,
	type Library,
	openLibrary,
	type Preparation,
	type QuarantinedMonth,
	type ReloadReport,
} from "../engine/index.js";
import { unpackUnicodeTables } from "../formats/index.js";
import { reportGauges } from "./admin/thread-gauges.js";
import { BodyCache } from "./api/caches/body-cache.js";
import { JsonCache } from "./api/caches/json-cache.js";
import { ANSWER_BYTES_MAX } from "./api/errors.js";
import { Compressor } from "./api/responses/compression.js";
import { LONG_ANSWERS, StreamLimit } from "./api/stream-limit.js";
import { giveBackSoon } from "./free-retired-months.js";
import { createTransport } from "./http/create-transport.js";
import { Load } from "./http/load.js";
import type { Transport } from "./http/transport.js";
import { AddressLimit } from "./limits/address-limit.js";
import { HEARTBEAT_MS, Subscriptions } from "./mcp/subscriptions.js";
import type { OpenedPublications } from "./months/opened-publications.js";
import { Reloading } from "./months/reloading.js";
import { RepeatedFaults } from "./repeated-faults.js";
import type { Scheduler } from "./scheduler.js";
import type { Config } from "./settings/config.js";
import { serviceOf, servicesOf, type ThreadOptions, type ThreadParts } from "./thread-service.js";
import { askerOf } from "./warm-up/asker.js";
import { precomputationOf } from "./warm-up/precomputation.js";
import { WAITS, WarmUp } from "./warm-up/warm-up.js";

const MIB = 1024 * 1024;

/** Polls of 200 ms within which published months are served, or withdrawn. */
const POLLS_MAX = 15;
/** Likewise on hosts that take months from an object store: these change together, soon after a time that was announced. */
const POLLS_TOGETHER_MAX = 3;
/** How long the warm-up of a new month may put off serving it. */
const PUBLISHING_MS_MAX = 2_000;
/** How long that of an older month may put off withdrawing the newest. */
const WITHDRAWING_MS_MAX = 400;

/** Initial size of the memory that responses are rendered in. */
const RENDER_BYTES = MIB / 4;

export interface AppOptions extends ThreadOptions {
	readonly scheduler: Scheduler;
	/** Where this thread stores which months it has opened; null: nobody asks. */
	readonly opens: { readonly publications: OpenedPublications; readonly thread: number } | null;
}

export class App {
	readonly transport: Transport;
	private readonly options: AppOptions;
	private readonly parts: ThreadParts;
	private readonly reloading: Reloading;
	private readonly stopReloading: () => void;
	private readonly stopBeating: () => void;
	private readonly stopReporting: () => void;
	private readonly warmUp: WarmUp;
	private listening = false;
	private closing = false;
	private closed = false;
	/** Failures of looking for published months and of preparing them. */
	private readonly faults: RepeatedFaults;
	/** Months that do not open and whose failure was logged, with the message. */
	private loggedFailures: ReadonlyMap<string, string> = new Map();

	/** Opens the snapshots. Throws EngineError if the data folder does not exist. */
	constructor(options: AppOptions) {
		const { config, clock, scheduler, log } = options;
		this.options = options;
		// Otherwise the first request with a name would wait for it.
		unpackUnicodeTables();
		this.faults = new RepeatedFaults(log, "looking for published snapshots, or preparing them, failed");
		const newest = options.opens?.publications.newest ?? 0;
		this.parts = partsOf(config);
		this.opened(newest, this.library.failed);
		this.logFailures(this.library.failed);
		const services = servicesOf(options, this.parts);
		this.warmUp = new WarmUp(
			services,
			askerOf(services, () => clock.now()),
			precomputationOf,
			log,
			{
				ms: config.warm_up_ms,
				now: () => performance.now(),
				isOver: () => this.closing,
				...WAITS,
			},
		);
		const service = serviceOf(options, this.parts, services);
		const sharesPort = config.workers > 1;
		this.transport = createTransport(config.transport, service, sharesPort, (message) => log.warn(message));
		this.reloading = new Reloading({
			prepare: () => this.prepareReload(),
			pollsMax: config.months_from === "" ? POLLS_MAX : POLLS_TOGETHER_MAX,
			reload: (wasPrepared) => this.reload(wasPrepared),
			onFault: (error) => this.faults.report(error),
			isOver: () => this.closing,
			thread: options.opens,
			clock,
		});
		this.stopReloading = this.reloading.start(scheduler);
		this.stopBeating = scheduler.every(HEARTBEAT_MS, () => this.parts.subscriptions.beat(clock.now()));
		this.stopReporting = reportParts(options, this.parts);
	}

	get library(): Library {
		return this.parts.library;
	}

	get load(): Load {
		return this.parts.load;
	}

	/** Starts to serve. Rejects with ListenError. */
	async listen(host: string, port: number): Promise<{ port: number }> {
		const listening = await this.transport.listen(host, port);
		this.listening = true;
		void this.warmUp.run();
		return listening;
	}

	/** Completes the requests in progress, for at most `graceMs`, and releases the snapshots. */
	async close(graceMs: number): Promise<void> {
		this.closing = true;
		this.stopReloading();
		this.stopReporting();
		this.stopBeating();
		this.parts.subscriptions.end();
		await this.transport.close(graceMs);
		this.closed = true;
		this.load.close();
		this.library.close();
	}

	/** Closes the port and every connection now. Safe after {@link close}. */
	abort(): void {
		if (!this.closed) this.transport.abort();
		this.closed = true;
	}

	/** Whether months are being prepared, to be served at a later poll. */
	get isPreparing(): boolean {
		return this.reloading.isPreparing;
	}

	/** Takes exactly these months out of service. */
	quarantine(quarantined: readonly QuarantinedMonth[]): void {
		if (this.closed) return;
		this.library.quarantine(quarantined);
		this.reload(this.isPreparing);
		this.reloading.abandon();
	}

	private *prepareReload(): Preparation {
		const { library } = this;
		const next = yield* library.prepareReload();
		if (next === null || this.options.config.months_from !== "") return;
		yield* this.warmUp.ahead(next, library.snapshots.includes(next) ? WITHDRAWING_MS_MAX : PUBLISHING_MS_MAX);
	}

	/** Opens newly published months and closes retired ones. `wasPrepared`: whether something was prepared for it, maybe in part. */
	reload(wasPrepared = false): void {
		const { log } = this.options;
		const newest = this.options.opens?.publications.newest ?? 0;
		let report: ReloadReport;
		try {
			report = this.library.reload();
		} catch (error) {
			// The folder may be temporarily unreadable; open months continue to be served.
			this.faults.report(error);
			return;
		}
		const { opened, closed } = report;
		if (opened.length + closed.length > 0) log.info({ opened, closed }, "snapshots changed");
		// A republished month closes its previous version, and is reported as opened.
		if (opened.length + closed.length > 0) this.forgetMonths();
		// What was prepared is not served after all: as with a retired month, its files take space until they are collected.
		else if (wasPrepared) giveBackSoon();
		this.opened(newest, report.failed);
		if (this.listening) void this.warmUp.run();
		if (opened.length + closed.length > 0) void this.keepUsed();
		this.logFailures(report.failed);
	}

	/** Lets requests be answered between the slices of what a reload left to do. */
	private async keepUsed(): Promise<void> {
		for (const _ of this.library.keepUsedInSlices()) {
			await nextTurn();
			if (this.closing) return;
		}
	}

	/** Tells the main thread that this one serves what was published up to `newest`, or not all if a month did not open. */
	private opened(newest: number, failed: ReloadReport["failed"]): void {
		const { opens } = this.options;
		const isOpen = failed.every(({ isQuarantined }) => isQuarantined);
		opens?.publications.opened(opens.thread, isOpen ? newest : 0);
	}

	/** Clears cached bodies, since months were retired, replaced or repaired, and notifies subscribers. */
	private forgetMonths(): void {
		const { compressor, jsonCache, answers, subscriptions, streams } = this.parts;
		compressor.clear();
		jsonCache.clear();
		answers.clear();
		subscriptions.monthsChanged();
		streams.monthsChanged();
		giveBackSoon();
	}

	/** Logs each failure once, not at every scan, and again if the month has opened in between. */
	private logFailures(failed: ReloadReport["failed"]): void {
		for (const { month, error } of failed) {
			if (this.loggedFailures.get(month) === error.message) continue;
			this.options.log.error({ month, err: error }, "snapshot does not open");
		}
		this.loggedFailures = new Map(failed.map(({ month, error }) => [month, error.message]));
	}
}

/** The parts of a thread, with the months that open. Throws EngineError if the data folder does not exist. */
function partsOf(config: Config): ThreadParts {
	return {
		library: openLibrary({ dataFolder: config.data, hugePages: config.huge_pages }),
		load: new Load({
			pendingMax: config.pending_requests_max,
			turnMsMax: config.shed_after_ms,
			heldBytesMax: config.slow_readers_mib * MIB,
		}),
		sink: new ByteSink(RENDER_BYTES, ANSWER_BYTES_MAX),
		compressor: new Compressor(config.compression_cache_mib * MIB),
		jsonCache: new JsonCache(),
		answers: new BodyCache(config.answer_cache_mib * MIB),
		streams: new StreamLimit({ ...LONG_ANSWERS, outlived: giveBackSoon }),
		subscriptions: new Subscriptions(),
		failedKeys: new AddressLimit("failed-keys", config.failed_keys_per_minute),
	};
}

/** Reports the gauges of the parts. Returns what ends that. */
function reportParts({ metrics, scheduler }: AppOptions, parts: ThreadParts): () => void {
	if (metrics === null) return () => undefined;
	const { library, load, sink, streams, failedKeys } = parts;
	const sources = {
		load,
		failedKeys,
		snapshots: () => library.snapshots.length,
		renderBytes: () => sink.bytes.length + library.gzipBytes,
		streams: () => streams.inProgress,
	};
	return reportGauges(metrics, sources, scheduler);
}
