/** Puts the console together for the admin port. */

import { isIPv6 } from "node:net";
import type { SharedMetrics } from "../admin/thread-metrics.js";
import type { Clock } from "../clock.js";
import { ClientAddresses, isLoopback, normalAddress } from "../http/client-address.js";
import type { Log } from "../log.js";
import { PageServer } from "../pages/page-server.js";
import type { Scheduler } from "../scheduler.js";
import type { Config } from "../settings/config.js";
import { type ConsoleOptions, consoleRoutes } from "./console-pages.js";
import { MetricsHistory, SAMPLE_MS } from "./metrics-history.js";

/** Counted requests a minute of one address: a page asks six times. */
const REQUESTS_PER_MINUTE = 600;

export interface OpenConsoleOptions
	extends Pick<ConsoleOptions, "access" | "published" | "quarantined" | "notReady" | "hosts" | "signups"> {
	readonly config: Config;
	readonly metrics: SharedMetrics;
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly log: Log;
	readonly onError: (error: unknown) => void;
}

/** The console; null where the package that draws its charts is not installed. */
export function openConsole(options: OpenConsoleOptions): PageServer | null {
	const { config, metrics, clock, scheduler, log, onError } = options;
	const history = new MetricsHistory(metrics);
	const host = config.admin_host === "localhost" ? "127.0.0.1" : config.admin_host;
	const address = normalAddress(isIPv6(host) ? host : host.replace(/^\[|\]$/g, ""));
	try {
		const pages = new PageServer({
			routes: consoleRoutes({
				...options,
				dataFolder: config.data,
				history,
				token: config.operator_token,
				isLocal: isLoopback(address),
			}),
			addresses: new ClientAddresses([]),
			clock,
			perMinute: REQUESTS_PER_MINUTE,
			onError,
		});
		scheduler.every(SAMPLE_MS, () => history.sample(clock.now()));
		return pages;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
		log.warn("the console is off: the optional package uplot is not installed");
		return null;
	}
}
