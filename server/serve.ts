/**
 * Starts a whole server: the main thread, which writes counts to the store, and the serving threads. With one
 * worker everything runs in the calling thread.
 */

import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import type { Worker } from "node:worker_threads";
import { type QuarantinedMonth, requireDataFolder } from "../engine/library.js";
import { invariant, mappingFault } from "../formats/index.js";
import { SharedMetrics } from "./admin/thread-metrics.js";
import { type Clock, SYSTEM_CLOCK } from "./clock.js";
import { urlOfAddress } from "./http/address-url.js";
import { claimPort } from "./http/claim-port.js";
import { resolveTransport, workersOf } from "./http/select-transport.js";
import type { Log } from "./log.js";
import type { MonthPuller } from "./months/month-puller.js";
import { OpenedPublications } from "./months/opened-publications.js";
import { type Access, openAccess } from "./open-access.js";
import type { SelfServe, SelfServeOptions } from "./open-self-serve.js";
import { RepeatedFaults } from "./repeated-faults.js";
import { TIMERS } from "./scheduler.js";
import { Scrubber } from "./scrubbing/scrubber.js";
import type { Config } from "./settings/config.js";
import { parseSharedAddress } from "./shared-state/address.js";
import { HostLeases } from "./shared-state/host-leases.js";
import type { SharedState } from "./shared-state/shared-state.js";
import { WorkerPool } from "./workers/pool.js";
import { endThreads, startThread } from "./workers/start-thread.js";

const MIB = 1024 * 1024;

export interface RunningServer {
	readonly host: string;
	readonly port: number;
	readonly transport: "uws" | "node";
	readonly workers: number;
	/** 0: there is none. */
	readonly admin_port: number;
	/** 0: there is none. */
	readonly signup_port: number;
	/** Completes the requests in progress and stores every count. */
	close(): Promise<void>;
}

/**
 * Starts a server. `threads`: waiting threads (start-thread.ts) for it to use; it ends those that it does not need.
 * Rejects with ListenError, TransportUnavailableError, EngineError `no_such_folder`
 * and the errors of the store.
 */
export async function serve(
	wanted: Config,
	log: Log,
	threads: readonly Worker[] = [],
): Promise<RunningServer> {
	// A host that takes its months from an object store may start without a data folder.
	if (wanted.months_from !== "") mkdirSync(wanted.data, { recursive: true });
	requireDataFolder(wanted.data);
	const resolved = resolveTransport(wanted.transport, (message) => log.warn(message));
	const transport = resolved.name;
	if (resolved.uwsBinary !== null) log.info({ binary: resolved.uwsBinary }, "serving over uWebSockets.js");
	const unmapped = mappingFault();
	if (unmapped !== null) log.warn(unmapped);
	const workers = sharedWorkers(wanted, transport, log);
	const port = await claimPort(wanted.host, wanted.port);
	const config: Config = { ...wanted, transport, workers, port };
	const leases = config.shared === "" ? null : new HostLeases(config.shared_lost === "deny");
	const publications = OpenedPublications.allocate(workers);
	const monthClock = leases?.sharedClock(SYSTEM_CLOCK) ?? SYSTEM_CLOCK;
	const puller = await openPuller(config, publications, monthClock, log);
	const faults = new RepeatedFaults(log, "refreshing keys or storing counts failed");
	const access = openAccess({
		dataFolder: config.data,
		...(leases === null ? {} : { leases: leases.line }),
		clock: SYSTEM_CLOCK,
		staleAfterMs: config.keys_stale_after_s * 1_000,
		onError: (error) => faults.report(error),
	});
	// Closed in reverse order, also if a later part fails to open.
	const closers: ((graceMs: number) => Promise<void>)[] = [() => access.close()];
	let stopping = false;
	const close = async (graceMs: number) => {
		stopping = true;
		const failures: unknown[] = [];
		// Whatever is left open would keep the process from ending, as when counts cannot be stored on a full disk.
		for (const closer of closers.reverse())
			await closer(graceMs).catch((error: unknown) => failures.push(error));
		if (failures.length > 0) throw failures[0];
	};
	const signup: { current: SelfServe | null } = { current: null };
	let signupPort = 0;
	closers.push(async () => puller?.close());
	try {
		const shared = leases === null ? null : await openShared(leases, config, access, log);
		closers.push(async () => shared?.close());
		const metrics = config.admin_port === 0 ? null : SharedMetrics.allocate(workers);
		const { uwsBinary } = resolved;
		const parts = { config, access, leases, metrics, publications, log, threads, uwsBinary };
		const serving = await (workers === 1 ? serveHere : serveInThreads)(parts);
		closers.push((graceMs) => serving.close(graceMs));
		const scrubber = new Scrubber({
			dataFolder: config.data,
			bytesPerSecond: config.verify_mib_s * MIB,
			quarantine: (quarantined) => serving.quarantine(quarantined),
			log,
		});
		closers.push(() => scrubber.close());
		// Before readiness is reported: until the index has been read, this host is not ready.
		puller?.start();
		if (metrics !== null) {
			const { openAdmin } = await import("./open-admin.js");
			const sources = { config, access, metrics, scrubber, puller, shared, log };
			const admin = openAdmin({
				...sources,
				servingThreads: () => serving.ready(),
				signups: () => (stopping ? null : (signup.current?.summary() ?? null)),
				stopping: () => stopping,
			});
			// Closed last, so that readiness is reported until the end.
			closers.unshift(() => admin.close());
			await admin.listen(config.admin_host, config.admin_port);
		}
		await serving.listen();
		warnOfRefusedGrants(config, access, log);
		signup.current = await openSelfServe({ config, access, shared, log });
		if (signup.current !== null) {
			const { current } = signup;
			closers.push(() => current.close());
			signupPort = await current.listen();
		}
		scrubber.start();
	} catch (error) {
		await close(0);
		throw error;
	}
	return {
		host: config.host,
		port,
		transport,
		workers,
		admin_port: config.admin_port,
		signup_port: signupPort,
		close: () => close(config.shutdown_grace_s * 1000),
	};
}

/** To clients it looks as if their tokens were at fault, so only the log can tell the operator of a mistyped id. */
function warnOfRefusedGrants({ oauth_grants }: Config, { authenticator }: Access, log: Log): void {
	for (const [scope, id] of oauth_grants) {
		const found = authenticator.authenticateId(id, SYSTEM_CLOCK.now());
		if (found.ok) continue;
		const reason = found.key === null ? "no key has this id" : found.message;
		log.warn({ scope, key_id: id, reason }, "--oauth-grants: access tokens with this scope are refused");
	}
}

type SelfServeParts = Pick<SelfServeOptions, "config" | "access" | "shared" | "log">;

/** Signup, which does not listen yet; null if it is off. */
async function openSelfServe(parts: SelfServeParts): Promise<SelfServe | null> {
	const { host, port, signup_port } = parts.config;
	if (signup_port === 0) return null;
	// Loaded on demand: its packages are optional.
	const { SelfServe } = await import("./open-self-serve.js");
	const apiAddress = urlOfAddress(host, port);
	return SelfServe.open({ ...parts, clock: SYSTEM_CLOCK, scheduler: TIMERS, apiAddress });
}

/** The state that hosts share, connected if the shared store replies. */
async function openShared(
	leases: HostLeases,
	config: Config,
	access: Access,
	log: Log,
): Promise<SharedState> {
	// Loaded on demand: its package is large, and most servers run alone.
	const { SharedState } = await import("./shared-state/shared-state.js");
	invariant(access.outbox !== null, "access was opened with leases");
	const shared = await SharedState.open({
		address: parseSharedAddress(config.shared),
		store: access.store,
		words: leases.words,
		outbox: access.outbox,
		keyOf: (slot) => access.keyOfSlot(slot),
		says: () => ({ address: `${config.host}:${config.port}`, name: hostname(), pid: process.pid }),
		clock: SYSTEM_CLOCK,
		scheduler: TIMERS,
		log,
		keysStaleAfterMs: config.keys_stale_after * 1_000,
		flush: () => access.settle(),
	});
	leases.connect(shared);
	return shared;
}

/** Takes months from the configured object store; null: months are those of the data folder. */
async function openPuller(
	config: Config,
	publications: OpenedPublications,
	clock: Clock,
	log: Log,
): Promise<MonthPuller | null> {
	if (config.months_from === "") return null;
	// Loaded on demand: most servers have the months of their data folder.
	const { MonthPuller } = await import("./months/month-puller.js");
	const { openStore } = await import("../formats/object-store/index.js");
	return new MonthPuller({
		store: openStore(config.months_from, process.env),
		dataFolder: config.data,
		publications,
		clock,
		scheduler: TIMERS,
		log,
		pollMs: config.months_poll_s * 1_000,
		keepMonths: config.keep_months,
		bytesPerSecond: config.pull_mib_s === 0 ? Number.POSITIVE_INFINITY : config.pull_mib_s * MIB,
	});
}

interface Serving {
	listen(): Promise<unknown>;
	/** Number of threads that accept requests now. */
	ready(): number;
	/** Takes exactly these months out of service. */
	quarantine(quarantined: readonly QuarantinedMonth[]): void;
	close(graceMs: number): Promise<void>;
}

interface ServingParts {
	readonly config: Config;
	readonly access: Access;
	readonly leases: HostLeases | null;
	readonly metrics: SharedMetrics | null;
	readonly publications: OpenedPublications;
	readonly log: Log;
	/** Threads that have been started and wait. */
	readonly threads: readonly Worker[];
	/** Null: over node:net. */
	readonly uwsBinary: string | null;
}

async function serveHere(parts: ServingParts): Promise<Serving> {
	const { config, access, metrics, publications, log, threads } = parts;
	void endThreads(threads);
	// Loaded on demand: with several threads the main thread does not need it, and starts faster.
	const { App } = await import("./app.js");
	const app = new App({
		config,
		access,
		clock: SYSTEM_CLOCK,
		scheduler: TIMERS,
		log,
		metrics: metrics?.thread(0) ?? null,
		opens: { publications, thread: 0 },
	});
	// uWebSockets.js may abort a process that ends while it listens.
	process.once("exit", () => app.abort());
	let ready = 0;
	return {
		async listen() {
			await app.listen(config.host, config.port);
			ready = 1;
		},
		ready: () => ready,
		quarantine: (quarantined) => app.quarantine(quarantined),
		close(graceMs) {
			ready = 0;
			return app.close(graceMs);
		},
	};
}

async function serveInThreads({
	config,
	access,
	leases,
	metrics,
	publications,
	log,
	threads,
	uwsBinary,
}: ServingParts): Promise<Serving> {
	const spare = [...threads];
	const pool = new WorkerPool({
		config,
		uwsBinary,
		counters: access.counters,
		leases: leases === null ? null : { buffer: leases.words.buffer, ask: leases.ask },
		metrics: metrics?.buffer ?? null,
		publications,
		startThread: () => spare.pop() ?? startThread(),
		log,
	});
	return {
		listen: () => pool.listen(),
		ready: () => pool.ready,
		quarantine: (quarantined) => pool.quarantine(quarantined),
		close: (graceMs) => pool.close(graceMs),
	};
}

/** Number of serving threads: as configured, unless this Node cannot share a port between threads. */
function sharedWorkers(config: Config, transport: "uws" | "node", log: Log): number {
	const workers = workersOf(transport, config.workers);
	if (workers < config.workers)
		log.warn(
			`serving with ${workers} worker instead of ${config.workers}: node:net threads share a port on Node 22.12 and later; on this Node, uWebSockets.js does`,
		);
	return workers;
}
