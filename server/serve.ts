/**
 * A whole server: the one that writes counts to the store, and the threads that answer. With one
 * worker everything runs in the calling thread.
 */

import { existsSync } from "node:fs";
import { EngineError } from "../engine/index.js";
import { type Access, openAccess } from "./access.js";
import { App } from "./app.js";
import { SYSTEM_CLOCK } from "./clock.js";
import type { Config } from "./config.js";
import { claimPort } from "./http/claim-port.js";
import { resolveTransport } from "./http/select-transport.js";
import type { Log } from "./log.js";
import { TIMERS } from "./scheduler.js";
import { WorkerPool } from "./workers/pool.js";

export interface RunningServer {
	readonly host: string;
	readonly port: number;
	readonly transport: "uws" | "node";
	readonly workers: number;
	/** Finishes the requests in flight and stores every count. */
	close(): Promise<void>;
}

/**
 * Starts a server. Rejects with ListenError, TransportUnavailableError, EngineError `no_such_folder`
 * and the errors of the store.
 */
export async function serve(wanted: Config, log: Log): Promise<RunningServer> {
	if (!existsSync(wanted.data))
		throw new EngineError("no_such_folder", `data folder ${wanted.data} does not exist`);
	const transport = resolveTransport(wanted.transport, (message) => log.warn(message));
	const workers = sharedWorkers(wanted, transport, log);
	const port = await claimPort(wanted.host, wanted.port);
	const config: Config = { ...wanted, transport, workers, port };
	const access = openAccess({
		dataFolder: config.data,
		clock: SYSTEM_CLOCK,
		onError: (error) => log.error({ err: error }, "refreshing keys or storing counts failed"),
	});
	const graceMs = config.shutdown_grace_s * 1000;
	try {
		const serving = workers === 1 ? serveHere(config, access, log) : serveInThreads(config, access, log);
		await serving.listen();
		return {
			host: config.host,
			port,
			transport,
			workers,
			async close() {
				await serving.close(graceMs);
				await access.close();
			},
		};
	} catch (error) {
		await access.close();
		throw error;
	}
}

interface Serving {
	listen(): Promise<unknown>;
	close(graceMs: number): Promise<void>;
}

function serveHere(config: Config, access: Access, log: Log): Serving {
	const app = new App({ config, access, clock: SYSTEM_CLOCK, scheduler: TIMERS, log });
	return {
		listen: () => app.listen(config.host, config.port),
		close: (graceMs) => app.close(graceMs),
	};
}

function serveInThreads(config: Config, access: Access, log: Log): Serving {
	return new WorkerPool({ config, counters: access.counters, log });
}

/** node:http has no port that threads can share. */
function sharedWorkers(config: Config, transport: "uws" | "node", log: Log): number {
	if (transport === "uws" || config.workers === 1) return config.workers;
	log.warn(`serving with one worker instead of ${config.workers}: node:http threads can't share a port`);
	return 1;
}
