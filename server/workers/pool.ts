/**
 * The threads that serve one port. A thread that dies is logged and replaced while the others go on
 * serving; the kernel distributes connections over the threads that listen.
 */

import type { Worker } from "node:worker_threads";
import type { QuarantinedMonth } from "../../engine/library.js";
import { mappingMode } from "../../formats/index.js";
import { ListenError } from "../http/transport.js";
import type { LeaseAnswer, LeaseAsk, UsageAnswer, UsageAsk } from "../limits/lease-line.js";
import type { Log } from "../log.js";
import type { OpenedPublications } from "../months/opened-publications.js";
import type { Config } from "../settings/config.js";
import type { QuarantineMessage, ServeMessage, ThreadMessage } from "./messages.js";
import { SharedFiles } from "./shared-files.js";
import { closeThread } from "./start-thread.js";

/** Delay before a dead thread is replaced, so that one that dies at once does not use a core. */
const REPLACE_DELAY_MS = 250;
/** How often deleted files are released, if files are held in memory. */
const PRUNE_INTERVAL_MS = 5_000;
/** A thread that has not ended this long after the grace period is abandoned. */
const GIVE_UP_DELAY_MS = 2_000;

/** Leases of all threads, and what answers a thread that asks for more. */
export interface SharedLeases {
	readonly buffer: SharedArrayBuffer;
	readonly ask: (ask: LeaseAsk | UsageAsk, answer: (answer: LeaseAnswer | UsageAnswer) => void) => void;
}

export interface WorkerPoolOptions {
	/** With the transport and the port resolved. */
	readonly config: Config;
	readonly counters: SharedArrayBuffer;
	/** Leases of limits that hosts share; null: this host alone has the keys. */
	readonly leases: SharedLeases | null;
	readonly metrics: SharedArrayBuffer | null;
	readonly publications: OpenedPublications;
	/** Starts a thread, or returns one that has been started and waits (start-thread.ts). */
	readonly startThread: () => Worker;
	readonly log: Log;
	/** The uWebSockets.js binary that threads load; null: they look for one themselves if they need it. */
	readonly uwsBinary: string | null;
}

export class WorkerPool {
	private readonly options: WorkerPoolOptions;
	/** The threads that run. */
	readonly threads: ReadonlySet<Worker>;
	private readonly workers = new Set<Worker>();
	/** Null if this machine maps files. */
	private readonly files = mappingMode() === "mmap" ? null : new SharedFiles();
	private pruning: NodeJS.Timeout | null = null;
	/** Threads that listen. */
	private listening = 0;
	private closing = false;
	private quarantined: readonly QuarantinedMonth[] = [];

	constructor(options: WorkerPoolOptions) {
		this.options = options;
		this.threads = this.workers;
	}

	/** Starts every thread. Resolves when all listen; rejects with ListenError if one cannot. */
	async listen(): Promise<{ port: number }> {
		const { config } = this.options;
		const { files } = this;
		if (files !== null) this.pruning = setInterval(() => files.prune(), PRUNE_INTERVAL_MS);
		await Promise.all(Array.from({ length: config.workers }, (_, slot) => this.start(slot)));
		return { port: config.port };
	}

	/**
	 * Lets requests in flight finish for at most `graceMs` and ends every thread. One that hangs is
	 * abandoned: terminating it could abort the process before its counts are stored.
	 */
	async close(graceMs: number): Promise<void> {
		this.closing = true;
		if (this.pruning !== null) clearInterval(this.pruning);
		const closings = [...this.workers].map(async (worker) => {
			if (await closeThread(worker, graceMs, graceMs + GIVE_UP_DELAY_MS)) return;
			this.options.log.error("a serving thread does not end and is given up");
		});
		await Promise.all(closings);
	}

	/** Takes these months, and no others, out of service in every thread, future replacements included. */
	quarantine(quarantined: readonly QuarantinedMonth[]): void {
		this.quarantined = quarantined;
		const message: QuarantineMessage = { kind: "quarantine", quarantined };
		for (const worker of this.workers) worker.postMessage(message);
	}

	/** Threads that accept requests now. */
	get ready(): number {
		return this.closing ? 0 : this.listening;
	}

	private start(slot: number): Promise<void> {
		const { config, counters, leases, metrics, publications, startThread, log, uwsBinary } = this.options;
		const files = this.files?.openLine() ?? null;
		const { quarantined } = this;
		const data = {
			config,
			counters,
			leases: leases?.buffer ?? null,
			metrics,
			publications: publications.buffer,
			slot,
			quarantined,
			files,
			uwsBinary,
		};
		const worker = startThread();
		worker.ref();
		const message: ServeMessage = { kind: "serve", data };
		worker.postMessage(message, files === null ? [] : [files.port]);
		this.workers.add(worker);
		let fault: unknown;
		worker.on("error", (error) => {
			fault = error;
		});
		return new Promise((resolve, reject) => {
			let listening = false;
			worker.on("message", (message: ThreadMessage) => {
				if (message.kind === "lease" || message.kind === "usage") {
					leases?.ask(message, (answer) => worker.postMessage(answer));
					return;
				}
				if (message.kind === "refused") {
					reject(new ListenError(config.host, config.port, message.reason));
					return;
				}
				listening = true;
				this.listening++;
				resolve();
			});
			worker.once("exit", (code) => {
				this.workers.delete(worker);
				publications.ended(slot);
				if (listening) this.listening--;
				if (!listening) reject(fault ?? new Error(`a serving thread ended with code ${code}`));
				else if (!this.closing) {
					log.error({ err: fault, code }, "a serving thread died and is replaced");
					this.replace(slot);
				}
			});
		});
	}

	private replace(slot: number): void {
		setTimeout(() => {
			if (this.closing) return;
			this.start(slot).catch((error) => {
				this.options.log.error({ err: error }, "a serving thread could not be replaced");
				this.replace(slot);
			});
		}, REPLACE_DELAY_MS);
	}
}
