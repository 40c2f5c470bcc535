/**
 * One thread's server: the open snapshots, the keys and limits, the service and its transport. Several threads
 * serve one port; they share only the limits' counters and the mapped snapshots.
 */

import {
	ByteSink,
	type Library,
	openLibrary,
	type QuarantinedMonth,
	type ReloadReport,
} from "../engine/index.js";
import { invariant } from "../formats/index.js";
import { AccessLog } from "./admin/access-log.js";
import { Spans } from "./admin/spans.js";
import { reportGauges } from "./admin/thread-gauges.js";
import type { ThreadMetrics } from "./admin/thread-metrics.js";
import { Admission } from "./api/admission.js";
import { Arrivals } from "./api/bulk/arrivals.js";
import { Cursors } from "./api/bulk/cursor.js";
import { RowLists } from "./api/bulk/row-lists.js";
import { SlicedWorks } from "./api/bulk/sliced-works.js";
import { STREAMS_MAX, STREAMS_PER_KEY_MAX, StreamLimit } from "./api/bulk/stream-limit.js";
import { STREAM_LIMIT_MAX } from "./api/bulk/walk.js";
import { BodyCache } from "./api/caches/body-cache.js";
import { JsonCache } from "./api/caches/json-cache.js";
import { StatsCache } from "./api/caches/stats-cache.js";
import { ClientLimits } from "./api/client-limits.js";
import { healthRoute } from "./api/endpoints/health.js";
import { ANSWER_BYTES_MAX, ERROR_CODES } from "./api/errors.js";
import { allOf, type Observer } from "./api/observer.js";
import { openapiDocument } from "./api/openapi/document.js";
import type { Services } from "./api/operation.js";
import { OPERATIONS } from "./api/operation-table.js";
import { Compressor } from "./api/responses/compression.js";
import { Service } from "./api/service.js";
import type { Clock } from "./clock.js";
import type { Config } from "./config.js";
import { ExportCatalog } from "./exports/export-catalog.js";
import { Pace } from "./exports/pace.js";
import { giveBackSoon } from "./free-retired-months.js";
import { urlOfAddress } from "./http/address-url.js";
import { BodiesInFlight } from "./http/bodies-in-flight.js";
import { ClientAddresses } from "./http/client-address.js";
import { ConnectionLimits } from "./http/connection-limits.js";
import { createTransport } from "./http/create-transport.js";
import { Load } from "./http/load.js";
import type { Transport } from "./http/transport.js";
import { AddressLimit } from "./limits/address-limit.js";
import { SharedCounters } from "./limits/counters.js";
import { KeyErrors } from "./limits/key-errors.js";
import { MessageLimit } from "./limits/message-limit.js";
import type { Log } from "./log.js";
import { AccessTokens, type IssuerOptions } from "./mcp/oauth/access-tokens.js";
import { metadataRoutes } from "./mcp/oauth/resource-metadata.js";
import { type AddedOffers, offeringOf } from "./mcp/offering.js";
import { mcpRoute } from "./mcp/route.js";
import { HEARTBEAT_MS, Subscriptions } from "./mcp/subscriptions.js";
import { builtAtReader } from "./months/built-at.js";
import type { OpenedPublications } from "./months/opened-publications.js";
import { Reloading } from "./months/reloading.js";
import type { Access } from "./open-access.js";
import { documentationRoutes } from "./reference/routes.js";
import { securityTxtRoutes } from "./reference/security-txt.js";
import type { Scheduler } from "./scheduler.js";
import { askerOf } from "./warm-up/asker.js";
import { WAITS, WarmUp } from "./warm-up/warm-up.js";

const MIB = 1024 * 1024;

/** Initial size of the memory that responses are rendered in. */
const RENDER_BYTES = MIB / 4;

export interface AppOptions {
	readonly config: Config;
	/** Keys, limits and usage; closed by the caller. */
	readonly access: Pick<
		Access,
		"authenticator" | "limits" | "usage" | "counters" | "fault" | "cursorSecret" | "keysBehind"
	>;
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly log: Log;
	/** Metrics of this thread; null: none are collected. */
	readonly metrics: ThreadMetrics | null;
	/** Where this thread stores which months it has opened; null: nobody asks. */
	readonly opens: { readonly publications: OpenedPublications; readonly thread: number } | null;
	/** Tests' additions to the tools; absent: none. */
	readonly addedOffers?: AddedOffers;
}

export class App {
	readonly library: Library;
	readonly transport: Transport;
	readonly load: Load;
	private readonly options: AppOptions;
	private readonly reloading: Reloading;
	private readonly stopReloading: () => void;
	private readonly stopBeating: () => void;
	private readonly stopReporting: () => void;
	private readonly subscriptions = new Subscriptions();
	private readonly compressor: Compressor;
	private readonly jsonCache = new JsonCache();
	private readonly sink = new ByteSink(RENDER_BYTES, ANSWER_BYTES_MAX);
	private readonly streams = new StreamLimit(STREAMS_PER_KEY_MAX, STREAMS_MAX, giveBackSoon);
	private readonly warmUp: WarmUp;
	private listening = false;
	private closing = false;
	private closed = false;
	/** Months whose failure to open was logged, with the message. */
	private readonly loggedFailures = new Map<string, string>();

	/** Opens the snapshots. Throws EngineError if the data folder does not exist. */
	constructor(options: AppOptions) {
		const { config, access, clock, scheduler, log } = options;
		this.options = options;
		const newest = options.opens?.publications.newest ?? 0;
		this.library = openLibrary({ dataFolder: config.data, hugePages: config.huge_pages });
		this.opened(newest, this.library.failed);
		this.logFailures(this.library.failed);
		const failedKeys = new AddressLimit("failed-keys", config.failed_keys_per_minute);
		const addresses = new ClientAddresses(config.trusted_proxies);
		const clientLimits = new ClientLimits({
			addresses,
			keyless: new AddressLimit("address", config.keyless_per_minute),
			failedKeys,
			clock,
		});
		const { authenticator, limits } = access;
		const admission = new Admission({
			authenticator,
			limits,
			clientLimits,
			streams: this.streams,
			keysBehind: access.keysBehind,
		});
		const services: Services = {
			loaded: this.library,
			limits: access.limits,
			usage: access.usage,
			stats: new StatsCache(),
			builtAt: builtAtReader(config.data, log),
			sink: this.sink,
			jsonCache: this.jsonCache,
			cursors: new Cursors(access.cursorSecret),
			exports: new ExportCatalog(config.data),
			works: new SlicedWorks(clock),
			arrivals: new Arrivals(),
			rowLists: new RowLists(STREAM_LIMIT_MAX),
			onMissingChanges: (error) => log.error({ err: error }, "changes between months are missing"),
		};
		this.warmUp = new WarmUp(
			services,
			askerOf(services, () => clock.now()),
			log,
			{
				ms: config.warm_up_ms,
				now: () => performance.now(),
				isOver: () => this.closing,
				...WAITS,
			},
		);
		this.compressor = new Compressor(config.compression_cache_mib * MIB);
		this.load = new Load({
			pendingMax: config.pending_requests_max,
			turnMsMax: config.shed_after_ms,
			heldBytesMax: config.slow_readers_mib * MIB,
		});
		const issuer = issuerOf(config);
		const keyErrors = new KeyErrors(new SharedCounters(access.counters), ERROR_CODES);
		const service = new Service({
			operations: OPERATIONS,
			routes: [
				healthRoute({ loaded: this.library, fault: () => access.fault() }),
				...documentationRoutes(() => openapiDocument(OPERATIONS)),
				...securityTxtRoutes(config.security_contact, clock),
				...metadataRoutes(issuer),
				mcpRoute({
					admission,
					services,
					clock,
					bodies: new BodiesInFlight(addresses),
					messages: new MessageLimit(config.mcp_messages_per_minute),
					tokens: issuer === null ? null : new AccessTokens(issuer, clock),
					origins: config.cors_origins,
					offering: offeringOf({
						connectors: config.mcp_connectors,
						apiUrl: config.api_url === "" ? urlOfAddress(config.host, config.port) : config.api_url,
						added: options.addedOffers,
					}),
					subscriptions: this.subscriptions,
				}),
			],
			admission,
			services,
			clock,
			load: this.load,
			connections: new ConnectionLimits({
				max: config.connections_max,
				perAddressMax: config.connections_per_address,
				addresses,
			}),
			responses: {
				cors: { origins: config.cors_origins },
				compressor: this.compressor,
				clientLimits,
				keyErrors: (slot, code) => keyErrors.count(slot, code, clock.now()),
				observer: observerOf(options),
			},
			downloads: new Pace(config.exports_mib_s * MIB, () => performance.now()),
			answers: new BodyCache(config.answer_cache_mib * MIB),
			onFault: (error, requestId, traceId) =>
				log.error(
					{ err: error, requestId, ...(traceId === null ? {} : { trace_id: traceId }) },
					"request failed",
				),
		});
		const sharesPort = config.workers > 1;
		this.transport = createTransport(config.transport, service, sharesPort, (message) => log.warn(message));
		this.reloading = new Reloading({
			library: this.library,
			reload: () => this.reload(),
			onFault: (error) => log.error({ err: error }, "preparing published snapshots failed"),
			isOver: () => this.closing,
			thread: options.opens,
			clock,
		});
		this.stopReloading = this.reloading.start(scheduler);
		this.stopBeating = scheduler.every(HEARTBEAT_MS, () => this.subscriptions.beat(clock.now()));
		this.stopReporting = this.tell(options, failedKeys);
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
		this.subscriptions.end();
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
		this.reload();
	}

	/** Opens newly published months and closes retired ones. */
	reload(): void {
		const { log } = this.options;
		const newest = this.options.opens?.publications.newest ?? 0;
		let report: ReloadReport;
		try {
			report = this.library.reload();
		} catch (error) {
			// The folder may be temporarily unreadable; open months continue to be served.
			log.error({ err: error }, "looking for published snapshots failed");
			return;
		}
		const { opened, closed } = report;
		if (opened.length + closed.length > 0) log.info({ opened, closed }, "snapshots changed");
		// A republished month closes its previous version, and is reported as opened.
		if (opened.length + closed.length > 0) this.forgetMonths();
		this.opened(newest, report.failed);
		if (this.listening) void this.warmUp.run();
		this.logFailures(report.failed);
	}

	/** Tells the main thread that this one serves what was published up to `newest`, or not all if a month did not open. */
	private opened(newest: number, failed: ReloadReport["failed"]): void {
		const { opens } = this.options;
		const isOpen = failed.every(({ isQuarantined }) => isQuarantined);
		opens?.publications.opened(opens.thread, isOpen ? newest : 0);
	}

	/** Clears cached bodies of months that were retired, replaced or repaired, and notifies subscribers. */
	private forgetMonths(): void {
		this.compressor.clear();
		this.jsonCache.clear();
		this.subscriptions.monthsChanged();
		this.streams.monthsChanged();
		giveBackSoon();
	}

	private tell({ metrics, scheduler }: AppOptions, failedKeys: AddressLimit): () => void {
		if (metrics === null) return () => undefined;
		const { library, load, sink } = this;
		const sources = {
			load,
			failedKeys,
			snapshots: () => library.snapshots.length,
			renderBytes: () => sink.bytes.length + library.gzipBytes,
			streams: () => this.streams.inProgress,
		};
		return reportGauges(metrics, sources, scheduler);
	}

	/** Logs each failure once, not at every scan. */
	private logFailures(failed: ReloadReport["failed"]): void {
		for (const { month, error } of failed) {
			if (this.loggedFailures.get(month) === error.message) continue;
			this.loggedFailures.set(month, error.message);
			this.options.log.error({ month, err: error }, "snapshot does not open");
		}
	}
}

/** The OAuth issuer whose tokens the tool server accepts; null: none. */
function issuerOf({
	oauth_issuer: issuer,
	oauth_resource: resource,
	oauth_grants: grants,
}: Config): IssuerOptions | null {
	if (issuer === "") return null;
	invariant(resource !== "" && grants.length > 0, "setting-conflicts.ts refuses an issuer alone");
	return { issuer, resource, grants: new Map(grants) };
}

function observerOf({ config, log, metrics, clock }: AppOptions): Observer | null {
	const observers: Observer[] = [];
	if (metrics !== null) observers.push(metrics);
	if (config.access_log_share > 0) observers.push(new AccessLog(log, config.access_log_share));
	if (config.spans) observers.push(new Spans(() => clock.now()));
	return allOf(observers);
}
