/** A real store, two months to push to it, and hosts that take months from it by polls that a test calls for. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { announce } from "../../builder/object-store/index-changes.js";
import { type PushedMonth, pushFiles } from "../../builder/object-store/push-month.js";
import { openLibrary } from "../../engine/index.js";
import { snapshotFolder } from "../../formats/index.js";
import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	type MonthIndex,
	type ObjectStore,
	openStore,
	parseIndex,
} from "../../formats/object-store/index.js";
import { MonthPuller } from "../../server/months/month-puller.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { type Ended, runBuilder } from "../builder/builder-process.js";
import { prebuilt } from "../prebuilt.js";
import { build } from "./months-rig.js";
import { type SwiftStore, startSwift } from "./swift-store.js";

export const MONTHS = ["2026-10", "2026-11"];

/** A host over a folder of its own, whose clock stands where it is put. */
export interface PullingHost {
	readonly data: string;
	readonly clock: { nowMs: number; now(): number };
	readonly puller: MonthPuller;
	/** Of two threads, neither of which serves. */
	readonly publications: OpenedPublications;
	/** Lines of its log. */
	readonly lines: readonly string[];
	/** Months that it serves, newest first; each of them opens. */
	served(): string[];
	/** What is to be done at intervals, once; nothing unless the puller was started. */
	tick(): void;
}

export class StoreRig {
	#prefixes = 0;
	/** Months by prefix and data folder that the store has; a few hundred requests each. */
	readonly #pushed = new Map<string, PushedMonth>();

	private constructor(
		readonly folder: string,
		/** A data folder with {@link MONTHS}. */
		readonly origin: string,
		/** A data folder with another edition of {@link MONTHS}[1]. */
		readonly other: string,
		readonly swift: SwiftStore,
	) {}

	static async start(): Promise<StoreRig> {
		const starting = startSwift();
		let folder = "";
		try {
			folder = await prebuilt("store-months", async (built) => {
				for (const month of MONTHS) await build(join(built, "origin"), built, month, 1);
				await build(join(built, "other"), built, MONTHS[1], 2);
			});
			return new StoreRig(folder, join(folder, "origin"), join(folder, "other"), await starting);
		} catch (error) {
			await starting.then(
				(swift) => swift.close(),
				() => undefined,
			);
			if (folder !== "") rmSync(folder, { recursive: true, force: true });
			throw error;
		}
	}

	async close(): Promise<void> {
		await this.swift.close();
		rmSync(this.folder, { recursive: true, force: true });
	}

	/** An empty prefix of the store. */
	freshUrl(): string {
		this.#prefixes++;
		return this.swift.url(`months-${this.#prefixes}`);
	}

	/**
	 * The same prefix each time, without an index, but with the files that were pushed to it before: for tests
	 * that leave the objects as they are.
	 */
	async stockedUrl(): Promise<string> {
		const url = this.swift.url("stocked");
		await this.open(url).remove(INDEX_NAME);
		return url;
	}

	/** `endpoint`: a relay to the store, by default the store itself. */
	open(url: string, endpoint?: string): ObjectStore {
		return openStore(url, this.environment(endpoint));
	}

	environment(endpoint?: string): Readonly<Record<string, string>> {
		return endpoint === undefined
			? this.swift.environment
			: { ...this.swift.environment, AWS_ENDPOINT_URL: endpoint };
	}

	builder(...args: string[]): Promise<Ended> {
		return runBuilder(args, this.swift.environment);
	}

	host(
		url: string,
		{
			keepMonths = 0,
			endpoint,
			data,
			bytesPerSecond = Number.POSITIVE_INFINITY,
		}: { keepMonths?: number; endpoint?: string; data?: string; bytesPerSecond?: number } = {},
	): PullingHost {
		const dataFolder = data ?? mkdtempSync(join(this.folder, "host-"));
		const clock = { nowMs: Date.parse("2026-12-05T00:00:00Z"), now: () => clock.nowMs };
		const lines: string[] = [];
		const acts: (() => void)[] = [];
		const publications = OpenedPublications.allocate(2);
		const puller = new MonthPuller({
			store: this.open(url, endpoint),
			dataFolder,
			publications,
			clock,
			scheduler: {
				every: (_, act) => {
					acts.push(act);
					return () => {};
				},
			},
			log: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
			pollMs: 1_000,
			keepMonths,
			bytesPerSecond,
		});
		const served = () => {
			const library = openLibrary({ dataFolder });
			assert.deepEqual(library.failed, []);
			return library.snapshots.map(({ month }) => month);
		};
		const tick = () => {
			for (const act of acts) act();
		};
		return { data: dataFolder, clock, puller, publications, lines, served, tick };
	}

	/** A data folder with {@link MONTHS} as a host has pulled them: for tests that begin with them, and pull others. */
	pulledFolder(): string {
		const data = mkdtempSync(join(this.folder, "host-"));
		cpSync(this.origin, data, { recursive: true });
		// A host has stored rows of the newest month alone.
		rmSync(join(snapshotFolder(data, MONTHS[0]), "rows"), { recursive: true });
		return data;
	}

	/**
	 * Pushes months of `data`, live from `liveAtMs` on, as `builder push` does at `nowMs`, by which it knows what is live
	 * already; files once only.
	 */
	async announceAt(
		url: string,
		liveAtMs: number,
		months = MONTHS,
		data = this.origin,
		nowMs: () => number = Date.now,
	): Promise<MonthIndex> {
		const store = this.open(url);
		const pushed = [];
		for (const month of months) {
			const key = `${url} ${data} ${month}`;
			const files = this.#pushed.get(key) ?? (await pushFiles(store, data, month));
			this.#pushed.set(key, files);
			pushed.push(files);
		}
		return announce(store, pushed, liveAtMs, nowMs);
	}

	async indexOf(url: string): Promise<MonthIndex> {
		const document = await this.open(url).read(INDEX_NAME, INDEX_BYTES_MAX);
		assert.ok(document !== null && document !== "unchanged");
		return parseIndex(document.bytes, url);
	}
}
