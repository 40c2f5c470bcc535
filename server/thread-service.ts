/**
 * Makes the service of one thread from its settings: what answers requests, of the parts that app.ts keeps because it
 * clears, counts or ends them.
 */

import type { ByteSink, Library } from "../engine/index.js";
import { invariant } from "../formats/index.js";
import { AccessLog } from "./admin/access-log.js";
import { Spans } from "./admin/spans.js";
import type { ThreadMetrics } from "./admin/thread-metrics.js";
import { Admission } from "./api/admission.js";
import { Arrivals } from "./api/bulk/arrivals.js";
import { Cursors } from "./api/bulk/cursor.js";
import { SlicedWorks } from "./api/bulk/sliced-works.js";
import { STREAM_LIMIT_MAX } from "./api/bulk/walk.js";
import { WalkPages } from "./api/bulk/walk-pages.js";
import type { BodyCache } from "./api/caches/body-cache.js";
import type { JsonCache } from "./api/caches/json-cache.js";
import { StatsCache } from "./api/caches/stats-cache.js";
import { ClientLimits } from "./api/client-limits.js";
import { healthRoute } from "./api/endpoints/health.js";
import { ERROR_CODES } from "./api/errors.js";
import { allOf, type Observer } from "./api/observer.js";
import { openapiDocument } from "./api/openapi/document.js";
import type { Services } from "./api/operation.js";
import { OPERATIONS } from "./api/operation-table.js";
import { RecentCalls } from "./api/recent-calls.js";
import type { Compressor } from "./api/responses/compression.js";
import { Service, type ServiceOptions } from "./api/service.js";
import type { StreamLimit } from "./api/stream-limit.js";
import type { Clock } from "./clock.js";
import { ExportCatalog } from "./exports/export-catalog.js";
import { Pace } from "./exports/pace.js";
import { urlOfAddress } from "./http/address-url.js";
import { BodiesInFlight } from "./http/bodies-in-flight.js";
import { ClientAddresses } from "./http/client-address.js";
import { ConnectionLimits } from "./http/connection-limits.js";
import type { Load } from "./http/load.js";
import { AddressLimit } from "./limits/address-limit.js";
import { SharedCounters } from "./limits/counters.js";
import { KeyErrors } from "./limits/key-errors.js";
import { MessageLimit } from "./limits/message-limit.js";
import type { Log } from "./log.js";
import { AccessTokens, type IssuerOptions } from "./mcp/oauth/access-tokens.js";
import { metadataRoutes } from "./mcp/oauth/resource-metadata.js";
import { type AddedOffers, offeringOf } from "./mcp/offering.js";
import { mcpRoute } from "./mcp/route.js";
import type { Subscriptions } from "./mcp/subscriptions.js";
import { builtAtReader } from "./months/built-at.js";
import type { Access } from "./open-access.js";
import { documentationRoutes } from "./reference/routes.js";
import { securityTxtRoutes } from "./reference/security-txt.js";
import type { Config } from "./settings/config.js";

const MIB = 1024 * 1024;

export interface ThreadOptions {
	readonly config: Config;
	/** Keys, limits and usage; closed by the caller. */
	readonly access: Pick<
		Access,
		"authenticator" | "limits" | "usage" | "counters" | "fault" | "cursorSecret" | "keysBehind"
	>;
	readonly clock: Clock;
	readonly log: Log;
	/** Metrics of this thread; null: none are collected. */
	readonly metrics: ThreadMetrics | null;
	/** Tests' additions to the tools; absent: none. */
	readonly addedOffers?: AddedOffers;
}

/** What the thread itself clears, counts or ends. */
export interface ThreadParts {
	readonly library: Library;
	readonly load: Load;
	/** Where bodies are rendered. */
	readonly sink: ByteSink;
	readonly compressor: Compressor;
	readonly jsonCache: JsonCache;
	readonly answers: BodyCache;
	readonly streams: StreamLimit;
	readonly subscriptions: Subscriptions;
	readonly failedKeys: AddressLimit;
}

/** The services of the thread's operations and tools. */
export function servicesOf({ config, access, clock, log }: ThreadOptions, parts: ThreadParts): Services {
	return {
		loaded: parts.library,
		limits: access.limits,
		usage: access.usage,
		stats: new StatsCache(),
		builtAt: builtAtReader(config.data, log),
		sink: parts.sink,
		jsonCache: parts.jsonCache,
		cursors: new Cursors(access.cursorSecret),
		exports: new ExportCatalog(config.data),
		works: new SlicedWorks(clock),
		arrivals: new Arrivals(),
		recentCalls: new RecentCalls(),
		walkPages: new WalkPages(STREAM_LIMIT_MAX),
		onMissingChanges: (error) => log.error({ err: error }, "changes between months are missing"),
	};
}

/** The service of the thread, over `services`. */
export function serviceOf(options: ThreadOptions, parts: ThreadParts, services: Services): Service {
	const { config, access, clock, log } = options;
	const addresses = new ClientAddresses(config.trusted_proxies);
	const clientLimits = new ClientLimits({
		addresses,
		keyless: new AddressLimit("address", config.keyless_per_minute),
		failedKeys: parts.failedKeys,
		clock,
	});
	const { authenticator, limits, keysBehind } = access;
	const { streams, load, answers } = parts;
	const admission = new Admission({ authenticator, limits, clientLimits, streams, keysBehind });
	const keyErrors = new KeyErrors(new SharedCounters(access.counters), ERROR_CODES);
	return new Service({
		operations: OPERATIONS,
		routes: routesOf(options, parts, { admission, services, addresses }),
		admission,
		services,
		clock,
		load,
		connections: new ConnectionLimits({
			max: config.connections_max,
			perAddressMax: config.connections_per_address,
			addresses,
		}),
		responses: {
			cors: { origins: config.cors_origins },
			compressor: parts.compressor,
			clientLimits,
			keyErrors: (slot, code) => keyErrors.count(slot, code, clock.now()),
			observer: observerOf(options),
		},
		downloads: new Pace(config.exports_mib_s * MIB, () => performance.now()),
		answers,
		onFault: (error, requestId, traceId) =>
			log.error(
				{ err: error, requestId, ...(traceId === null ? {} : { trace_id: traceId }) },
				"request failed",
			),
	});
}

interface RouteParts {
	readonly admission: Admission;
	readonly services: Services;
	readonly addresses: ClientAddresses;
}

/** The paths that are not operations. */
function routesOf(
	{ config, access, clock, addedOffers }: ThreadOptions,
	{ library, subscriptions }: ThreadParts,
	{ admission, services, addresses }: RouteParts,
): ServiceOptions["routes"] {
	const issuer = issuerOf(config);
	return [
		healthRoute({ loaded: library, fault: () => access.fault() }),
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
				added: addedOffers,
			}),
			subscriptions,
		}),
	];
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

function observerOf({ config, log, metrics, clock }: ThreadOptions): Observer | null {
	const observers: Observer[] = [];
	if (metrics !== null) observers.push(metrics);
	if (config.access_log_share > 0) observers.push(new AccessLog(log, config.access_log_share));
	if (config.spans) observers.push(new Spans(() => clock.now()));
	return allOf(observers);
}
