/**
 * Verification of the published months beside the service: a thread reads what the threads that serve
 * take on trust, and months found damaged are taken out of service until they are mended.
 */

import { Worker } from "node:worker_threads";
import type { Fence } from "../../engine/library.js";
import type { Log } from "../log.js";
import type { VerifiedMessage, VerifyingData } from "./messages.js";

/** Wait before a thread that died is replaced. */
const REPLACE_DELAY_MS = 5_000;

export interface VerificationOptions extends VerifyingData {
	/** Takes exactly these months out of service. */
	readonly fence: (fences: readonly Fence[]) => void;
	readonly log: Log;
}

export class Verification {
	private readonly options: VerificationOptions;
	private worker: Worker | null = null;
	private timer: NodeJS.Timeout | null = null;
	private known: VerifiedMessage = { fences: [], sound: [] };

	constructor(options: VerificationOptions) {
		this.options = options;
	}

	start(): void {
		const { dataFolder, bytesPerSecond, log } = this.options;
		const workerData: VerifyingData = { dataFolder, bytesPerSecond };
		const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData });
		this.worker = worker;
		// It does not keep the process alive.
		worker.unref();
		worker.on("message", (message: VerifiedMessage) => this.take(message));
		worker.on("error", (error) => log.error({ err: error }, "the verifying thread died and is replaced"));
		worker.once("exit", () => {
			if (this.worker !== worker) return;
			this.timer = setTimeout(() => this.start(), REPLACE_DELAY_MS).unref();
		});
	}

	/** Months out of service, and why. */
	get fences(): readonly Fence[] {
		return this.known.fences;
	}

	/** Months of which every byte was read and found sound. */
	get sound(): readonly string[] {
		return this.known.sound;
	}

	async close(): Promise<void> {
		if (this.timer !== null) clearTimeout(this.timer);
		const { worker } = this;
		this.worker = null;
		await worker?.terminate();
	}

	private take(message: VerifiedMessage): void {
		const { log, fence } = this.options;
		const before = new Map(this.known.fences.map((old) => [old.month, old]));
		const changed = JSON.stringify(message.fences) !== JSON.stringify(this.known.fences);
		this.known = message;
		for (const { month, code, path, message: fault } of message.fences) {
			const old = before.get(month);
			before.delete(month);
			if (old?.path === path && old.message === fault) continue;
			log.error({ month, code, file: path, fault }, "month is damaged and fenced off");
		}
		for (const month of before.keys()) log.info({ month }, "month is no longer fenced off");
		if (changed) fence(message.fences);
	}
}
