/**
 * A server under test: the real service over the fixture's months, in this process, on a free port,
 * with a clock and a scheduler that stand still until a test moves them.
 */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { z } from "zod";
import type { RunCompileTask } from "../../builder/compile/tasks.js";
import { MANIFESTS_FOLDER, manifestFile, SNAPSHOTS_FOLDER, snapshotFolder } from "../../formats/index.js";
import { SharedMetrics } from "../../server/admin/thread-metrics.js";
import { errorResponse } from "../../server/api/schemas/endpoint-responses.js";
import { App } from "../../server/app.js";
import type { Scope } from "../../server/keys/key.js";
import { createKey, type KeyRequest } from "../../server/keys/lifecycle.js";
import { createLog } from "../../server/log.js";
import type { AddedOffers } from "../../server/mcp/offering.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { type Access, openAccess } from "../../server/open-access.js";
import type { Scheduler } from "../../server/scheduler.js";
import { type Config, resolveConfig } from "../../server/settings/config.js";
import { Store } from "../../server/store/store.js";
import { SetClock } from "../keys/scratch.js";
import { Draw } from "../oracle/draw.js";
import { prebuilt } from "../prebuilt.js";
import { checkAnswer } from "./document-check.js";
import { type DropRow, MONTHS, monthRows } from "./drop-rows.js";
import { TRANSPORTS, type TransportName, whyNotOver } from "./transports.js";

/** How long the event loop may go without a turn before requests are shed. */
const SHED_AFTER_MS = 60_000;

/** Runs its tasks when a test says so. */
export class HandScheduler implements Scheduler {
	private readonly tasks = new Set<() => void>();

	every(_intervalMs: number, task: () => void): () => void {
		this.tasks.add(task);
		return () => this.tasks.delete(task);
	}

	everyAligned(intervalMs: number, task: () => void): () => void {
		return this.every(intervalMs, task);
	}

	/** Runs every task once. */
	tick(): void {
		for (const task of this.tasks) task();
	}
}

/** Publishes `rows` as `month` into `dataFolder`. */
export async function publish(dataFolder: string, month: string, rows: readonly DropRow[]): Promise<void> {
	// Most files take the months that another one has built, and do without the code that builds.
	const { compileMonth, writeRowStore } = await import("../../builder/compile/compile-month.js");
	const { COMPILE_TASK_HANDLERS } = await import("../../builder/compile/tasks.js");
	const { parsedMonth } = await import("../oracle/parsed-month.js");
	const runHere: RunCompileTask = async (kind, input) => COMPILE_TASK_HANDLERS[kind](input);
	const folder = snapshotFolder(dataFolder, month);
	mkdirSync(folder, { recursive: true });
	await compileMonth(parsedMonth(rows, new Draw(rows.length)), { month, folder, run: runHere });
	await writeRowStore(folder, rows.length, runHere);
	mkdirSync(join(dataFolder, MANIFESTS_FOLDER), { recursive: true });
	const manifest = {
		month,
		rows: rows.length,
		built_at: `${month}-28T00:00:00.000Z`,
		built_by: "test",
		sources: [],
		rejects: 0,
		accepted: [],
	};
	writeFileSync(manifestFile(dataFolder, month), JSON.stringify(manifest));
}

/** A data folder with the fixture's months. */
export async function fixtureFolder(): Promise<string> {
	return prebuilt("http", async (folder) => {
		mkdirSync(join(folder, SNAPSHOTS_FOLDER));
		for (const month of MONTHS) await publish(folder, month, monthRows(month));
	});
}

export interface KeyOptions {
	readonly name?: string;
	readonly tier?: KeyRequest["tier"];
	readonly scope?: Partial<Scope>;
	readonly rate_limits?: KeyRequest["rate_limits"];
	readonly lifetimeMs?: KeyRequest["lifetimeMs"];
}

export interface Answered {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

export interface RequestOptions {
	readonly method?: string;
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

/** An error answer, validated against its schema. */
export interface Refusal {
	readonly status: number;
	readonly headers: Headers;
	readonly code: string;
	readonly message: string;
	readonly param: string | undefined;
}

export class ServedFixture {
	port = 0;

	private constructor(
		readonly dataFolder: string,
		readonly clock: SetClock,
		readonly scheduler: HandScheduler,
		readonly app: App,
		readonly access: Access,
		private readonly store: Store,
		/** Of the one thread; gauges are sampled by the scheduler. */
		readonly metrics: SharedMetrics,
		/** Lines logged; only where `log_level` says so. */
		readonly logged: readonly string[],
		/** Of the one thread. */
		readonly publications: OpenedPublications,
	) {}

	/** Two polls for published months, and between them what the first prepares. */
	async reload(): Promise<void> {
		this.scheduler.tick();
		while (this.app.isPreparing) await nextTurn();
		this.scheduler.tick();
	}

	/** Serves the fixture over `transport`; `settings` override the configuration. */
	static async start(
		transport: TransportName,
		settings: Partial<Config> = {},
		addedOffers?: AddedOffers,
	): Promise<ServedFixture> {
		const dataFolder = settings.data ?? (await fixtureFolder());
		const clock = new SetClock();
		const scheduler = new HandScheduler();
		const { config } = resolveConfig({
			// This process is the client and builds months too, and other processes may have the cores.
			flags: {
				data: dataFolder,
				port: 0,
				transport,
				log_level: "silent",
				shed_after_ms: SHED_AFTER_MS,
				...settings,
			},
			environment: {},
			file: undefined,
		});
		const access = openAccess({ dataFolder, clock, onError: (error) => Promise.reject(error) });
		const logged: string[] = [];
		const log = createLog(config.log_level, { write: (line) => logged.push(line) });
		const metrics = SharedMetrics.allocate(1);
		const publications = OpenedPublications.allocate(1);
		const app = new App({
			config,
			access,
			clock,
			scheduler,
			log,
			metrics: metrics.thread(0),
			opens: { publications, thread: 0 },
			addedOffers,
		});
		const store = Store.open({ dataFolder, create: true });
		const served = new ServedFixture(
			dataFolder,
			clock,
			scheduler,
			app,
			access,
			store,
			metrics,
			logged,
			publications,
		);
		served.port = (await app.listen("127.0.0.1", 0)).port;
		return served;
	}

	/** Makes a key and makes the server load it. */
	async key(options: KeyOptions = {}): Promise<string> {
		return (await this.keyWithId(options)).text;
	}

	async keyWithId(options: KeyOptions = {}): Promise<{ id: string; text: string }> {
		const scope: Scope = { geography: null, columns: null, history: { mode: "all" }, ...options.scope };
		const { record, text } = await createKey(
			this.store,
			{ tier: "enterprise", name: "test", rate_limits: {}, ...options, scope },
			{ by: "test", nowMs: this.clock.now() },
		);
		await this.access.settle();
		return { id: record.id, text };
	}

	/** The store of keys, for commands beside the running server. */
	get keys(): Store {
		return this.store;
	}

	/** Sends a request with `key` as a bearer token, and checks the answer against the OpenAPI document. */
	async request(path: string, key: string | null = null, init: RequestOptions = {}): Promise<Answered> {
		const headers: Record<string, string> = { ...init.headers };
		if (key !== null) headers.authorization = `Bearer ${key}`;
		const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { ...init, headers });
		const text = await response.text();
		checkAnswer(init.method ?? "GET", path, response.status, response.headers, text);
		return { status: response.status, headers: response.headers, text };
	}

	/** The JSON body of a 200, validated against `schema`. */
	async ok<T>(schema: z.ZodType<T>, path: string, key: string | null): Promise<T> {
		const { status, text } = await this.request(path, key);
		assert.equal(status, 200, `${path}: ${text}`);
		return schema.parse(JSON.parse(text));
	}

	/** An answer that is an error. */
	async refused(path: string, key: string | null, init: RequestOptions = {}): Promise<Refusal> {
		const { status, headers, text } = await this.request(path, key, init);
		assert.ok(status >= 400, `${path}: ${status} ${text}`);
		return { status, headers, param: undefined, ...errorResponse.parse(JSON.parse(text)).error };
	}

	/** Stops the server and leaves its data. */
	async stop(): Promise<void> {
		await this.app.close(1_000);
		await this.access.close();
		await this.store.close();
	}

	/** Stops the server and removes its data. */
	async close(): Promise<void> {
		await this.stop();
		rmSync(this.dataFolder, { recursive: true, force: true });
	}
}

/** Runs `tests` once per transport, each over a server of its own. */
export function overBothTransports(
	name: string,
	tests: (served: () => ServedFixture, transport: TransportName) => void,
	settings: Partial<Config> = {},
): void {
	for (const transport of TRANSPORTS) {
		describe(`${name}, over ${transport}`, { skip: whyNotOver(transport) }, () => {
			let fixture: ServedFixture | null = null;
			before(async () => {
				fixture = await ServedFixture.start(transport, settings);
			});
			after(() => fixture?.close());
			tests(() => {
				assert.ok(fixture !== null);
				return fixture;
			}, transport);
		});
	}
}
