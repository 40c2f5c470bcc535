/**
 * The threads that serve one port. A thread that dies is told of in the log and replaced, while the
 * others go on serving; the kernel spreads connections over whoever listens.
 */

import { Worker } from "node:worker_threads";
import type { Config } from "../config.js";
import { ListenError } from "../http/transport.js";
import type { Log } from "../log.js";
import type { CloseMessage, ThreadData, ThreadMessage } from "./messages.js";

/** Wait before a dead thread is replaced, so that one that dies at once does not spin. */
const REPLACE_DELAY_MS = 250;
/** Threads are ended by force this long after the grace. */
const TERMINATE_DELAY_MS = 2_000;

export interface WorkerPoolOptions {
	/** With the transport and the port resolved. */
	readonly config: Config;
	readonly counters: SharedArrayBuffer;
	readonly log: Log;
}

export class WorkerPool {
	private readonly options: WorkerPoolOptions;
	private readonly workers = new Set<Worker>();
	private closing = false;

	constructor(options: WorkerPoolOptions) {
		this.options = options;
	}

	/** Starts every thread. Resolves when all listen; rejects with ListenError where one can't. */
	async listen(): Promise<{ port: number }> {
		const { config } = this.options;
		await Promise.all(Array.from({ length: config.workers }, () => this.start()));
		return { port: config.port };
	}

	/** Lets requests in flight finish for at most `graceMs` and ends every thread. */
	async close(graceMs: number): Promise<void> {
		this.closing = true;
		const message: CloseMessage = { kind: "close", graceMs };
		await Promise.all(
			[...this.workers].map(async (worker) => {
				const ended = new Promise((resolve) => worker.once("exit", resolve));
				worker.postMessage(message);
				const force = setTimeout(() => worker.terminate(), graceMs + TERMINATE_DELAY_MS);
				await ended;
				clearTimeout(force);
			}),
		);
	}

	private start(): Promise<void> {
		const { config, counters, log } = this.options;
		const workerData: ThreadData = { config, counters };
		const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData });
		this.workers.add(worker);
		let fault: unknown;
		worker.on("error", (error) => {
			fault = error;
		});
		return new Promise((resolve, reject) => {
			let listening = false;
			worker.on("message", (message: ThreadMessage) => {
				if (message.kind === "refused") {
					reject(new ListenError(config.host, config.port, message.message));
					return;
				}
				listening = true;
				resolve();
			});
			worker.once("exit", (code) => {
				this.workers.delete(worker);
				if (!listening) reject(fault ?? new Error(`a serving thread ended with code ${code}`));
				else if (!this.closing) {
					log.error({ err: fault, code }, "a serving thread died and is replaced");
					this.replace();
				}
			});
		});
	}

	private replace(): void {
		setTimeout(() => {
			if (this.closing) return;
			this.start().catch((error) => {
				this.options.log.error({ err: error }, "a serving thread could not be replaced");
				this.replace();
			});
		}, REPLACE_DELAY_MS);
	}
}
