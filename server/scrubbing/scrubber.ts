/**
 * Scrubbing of the published months: a background thread reads every byte and compares checksums, which the
 * serving threads do not do, and damaged months are quarantined until repaired.
 */

import { Worker } from "node:worker_threads";
import type { QuarantinedMonth } from "../../engine/library.js";
import { entryPoint } from "../entry-points.js";
import type { Log } from "../log.js";
import { RepeatedFaults } from "../repeated-faults.js";
import type { ScrubbingData, ScrubReport } from "./messages.js";

/** Delay before a thread that died is replaced. */
const REPLACE_DELAY_MS = 5_000;

export interface ScrubberOptions extends ScrubbingData {
	/** Quarantines exactly these months. */
	readonly quarantine: (quarantined: readonly QuarantinedMonth[]) => void;
	readonly log: Log;
}

export class Scrubber {
	private readonly options: ScrubberOptions;
	private readonly faults: RepeatedFaults;
	private worker: Worker | null = null;
	private timer: NodeJS.Timeout | null = null;
	private known: ScrubReport = { quarantined: [], sound: [] };

	constructor(options: ScrubberOptions) {
		this.options = options;
		this.faults = new RepeatedFaults(options.log, "the scrubbing thread died; a new one is starting");
	}

	start(): void {
		const { dataFolder, bytesPerSecond } = this.options;
		const workerData: ScrubbingData = { dataFolder, bytesPerSecond };
		const worker = new Worker(entryPoint("scrubbing/thread.js"), { workerData });
		this.worker = worker;
		// Must not keep the process alive.
		worker.unref();
		worker.on("message", (message: ScrubReport) => this.take(message));
		worker.on("error", (error) => this.faults.report(error));
		worker.once("exit", () => {
			if (this.worker !== worker) return;
			this.timer = setTimeout(() => this.start(), REPLACE_DELAY_MS).unref();
		});
	}

	/** Quarantined months, with the damage found. */
	get quarantined(): readonly QuarantinedMonth[] {
		return this.known.quarantined;
	}

	/** Months whose every byte was read and matched its checksum. */
	get sound(): readonly string[] {
		return this.known.sound;
	}

	async close(): Promise<void> {
		if (this.timer !== null) clearTimeout(this.timer);
		const { worker } = this;
		this.worker = null;
		await worker?.terminate();
	}

	private take(message: ScrubReport): void {
		const { log, quarantine } = this.options;
		const before = new Map(this.known.quarantined.map((old) => [old.month, old]));
		const changed = JSON.stringify(message.quarantined) !== JSON.stringify(this.known.quarantined);
		this.known = message;
		for (const { month, code, path, message: fault } of message.quarantined) {
			const old = before.get(month);
			before.delete(month);
			if (old?.path === path && old.message === fault) continue;
			log.error({ month, code, file: path, fault }, "month is damaged and quarantined");
		}
		for (const month of before.keys()) log.info({ month }, "month is no longer quarantined");
		if (changed) quarantine(message.quarantined);
	}
}
