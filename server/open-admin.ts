/** Opens the admin port: the metrics of every part of the server, its health, and the operator's console. */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMonth, readManifest, SNAPSHOTS_FOLDER } from "../formats/index.js";
import { AdminServer } from "./admin/admin-server.js";
import { addPuller, addShared, hostNotes } from "./admin/host-metrics.js";
import { createRegistry, type PublishedMonth } from "./admin/registry.js";
import type { SharedMetrics } from "./admin/thread-metrics.js";
import { SYSTEM_CLOCK } from "./clock.js";
import { openConsole } from "./console/open-console.js";
import type { Log } from "./log.js";
import type { MonthPuller } from "./months/month-puller.js";
import type { Access } from "./open-access.js";
import { TIMERS } from "./scheduler.js";
import type { Scrubber } from "./scrubbing/scrubber.js";
import type { Config } from "./settings/config.js";
import type { SharedState } from "./shared-state/shared-state.js";
import type { SignupSummary } from "./signup/signup-records.js";

export interface AdminParts {
	readonly config: Config;
	readonly access: Access;
	readonly metrics: SharedMetrics;
	/** Threads that accept requests now. */
	readonly servingThreads: () => number;
	readonly scrubber: Scrubber;
	/** Null: months are those of the data folder. */
	readonly puller: MonthPuller | null;
	/** Null: this host shares no state. */
	readonly shared: SharedState | null;
	/** Null: signup is off. */
	readonly signups: () => SignupSummary | null;
	readonly stopping: () => boolean;
	readonly log: Log;
}

/** The server of the admin port, which does not listen yet. */
export function openAdmin(parts: AdminParts): AdminServer {
	const { config, access, metrics, scrubber, puller, shared, signups, stopping, log } = parts;
	const nowMs = () => SYSTEM_CLOCK.now();
	const published = () => publishedMonths(config.data);
	const keysFault = () => access.fault();
	const registry = createRegistry({ metrics, published, keysFault, verification: scrubber, signups, nowMs });
	if (puller !== null) addPuller(registry, () => puller.state);
	if (shared !== null) addShared(registry, () => shared.status);
	const staleMs = 3 * config.months_poll_s * 1_000;
	const notes = () => hostNotes(puller?.state ?? null, shared?.status ?? null, staleMs);
	const notServing = () => {
		if (parts.servingThreads() === 0) return "no worker takes requests";
		if (metrics.gauge("snapshots").every((open) => open === 0)) return "no snapshot is open";
		return null;
	};
	const notReady = () => notServing() ?? keysFault() ?? puller?.notReady() ?? null;
	const quarantined = () => scrubber.quarantined;
	const onError = (error: unknown) => log.error({ err: error }, "the admin port failed to answer");
	const pages = openConsole({
		config,
		access,
		metrics,
		published,
		quarantined,
		notReady,
		hosts: () => shared?.hosts() ?? null,
		signups,
		clock: SYSTEM_CLOCK,
		scheduler: TIMERS,
		log,
		onError,
	});
	return new AdminServer({
		registry,
		metrics,
		notReady,
		notServing,
		quarantined,
		notes,
		stopping,
		onError,
		pages,
	});
}

/** The months in the folder, with when they were built. */
function publishedMonths(dataFolder: string): PublishedMonth[] {
	const folder = join(dataFolder, SNAPSHOTS_FOLDER);
	if (!existsSync(folder)) return [];
	return readdirSync(folder)
		.filter(isMonth)
		.map((month) => {
			const builtAt = readManifest(dataFolder, month)?.built_at;
			return { month, builtAtMs: builtAt === undefined ? null : Date.parse(builtAt) };
		});
}
