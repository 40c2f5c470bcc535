/**
 * Hot swaps of a server under a light load: the newest of two months is retired and restored by turns, while clients ask.
 * A swap is seen from outside, by the longest response and the time between the first and the last thread that answers
 * from the other month; and from inside, by the longest time that a serving thread was held (watch-holds.ts).
 */

import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { restoreMonth, retireMonth } from "../../builder/months/retire.js";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import type { BenchData } from "../data/bench-month.js";
import { ServerSide } from "../http/server-side.js";
import { HOLDS_VARIABLE, type Hold } from "./watch-holds.js";

const WATCH = new URL("./watch-holds.js", import.meta.url);
/** Connections for each thread, so that nearly surely every thread has one. */
const CONNECTIONS_EACH = 6;
/** Pause of a connection between two requests. */
const PAUSE_MS = 2;
/** Before the first swap, until code is compiled. */
const WARM_UP_MS = 4_000;
/** A month is served or withdrawn within three seconds; on a machine that does other work, later. */
const SERVED_WITHIN_MS = 20_000;
const LOOK_MS = 50;
/** After a swap: collections and copies into huge pages follow it for some seconds. */
const WATCHED_MS = 4_000;

/** `none`: the same time without a swap, which holds of the load alone are told by. */
export const CHANGES = ["none", "retire", "restore"] as const;
export type Change = (typeof CHANGES)[number];

export interface SwapOptions {
	readonly threads: number;
	/** Times that the newest month is retired and restored. */
	readonly rounds: number;
	/** Flags of the Node that serves. */
	readonly nodeFlags: readonly string[];
}

/** In milliseconds. */
export interface Swap {
	readonly change: Change;
	readonly longestResponseMs: number;
	/** Between the first answers of connections from the other month. */
	readonly spreadMs: number;
	/** Of serving threads, until the next swap. */
	readonly longestHoldMs: number;
	/** The longest hold without the time that its thread waited for a core. */
	readonly longestNetHoldMs: number;
	/** The most that a thread ran in one hold. */
	readonly longestRunMs: number;
}

interface Answer {
	readonly connection: number;
	readonly atMs: number;
	readonly tookMs: number;
	readonly month: string;
}

/** Serves the two months of `data`, oldest first, from a copy of hard links. Rejects where an answer is not 200. */
export async function measureSwaps(
	data: BenchData,
	paths: () => string,
	options: SwapOptions,
): Promise<Swap[]> {
	const folder = mkdtempSync(join(data.folder, "swaps-"));
	try {
		for (const month of data.months)
			linkFolder(
				join(data.dataFolder, SNAPSHOTS_FOLDER, month),
				join(folder, "data", SNAPSHOTS_FOLDER, month),
			);
		return await swapIn(folder, data.months, paths, options);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function swapIn(
	folder: string,
	[older, newest]: readonly string[],
	paths: () => string,
	options: SwapOptions,
): Promise<Swap[]> {
	const dataFolder = join(folder, "data");
	const holds = join(folder, "holds");
	mkdirSync(holds);
	const server = await ServerSide.start({
		name: "server",
		dataFolder,
		node: process.execPath,
		nodeFlags: [...options.nodeFlags, "--import", WATCH.href],
		flags: ["--workers", String(options.threads)],
		environment: { [HOLDS_VARIABLE]: holds },
		core: null,
	});
	const clients = new Clients(server, paths, options.threads * CONNECTIONS_EACH);
	try {
		await pause(WARM_UP_MS);
		const swaps: Swap[] = [];
		for (let round = 0; round < options.rounds; round++)
			for (const change of CHANGES) {
				clients.answers.length = 0;
				const begunMs = Date.now();
				if (change === "retire") retireMonth(dataFolder, newest);
				else if (change === "restore") restoreMonth(dataFolder, newest);
				const month = change === "retire" ? older : newest;
				const watched = clients.untilAllAnswerFrom(month).then(() => pause(WATCHED_MS));
				await Promise.race([watched, clients.failed]);
				const held = readHolds(holds).filter(
					({ atMs, isMainThread }) => atMs >= begunMs && isMainThread === (options.threads === 1),
				);
				swaps.push({
					change,
					longestResponseMs: Math.max(...clients.answers.map(({ tookMs }) => tookMs)),
					spreadMs: change === "none" ? 0 : spreadOf(clients.answers, month),
					longestHoldMs: Math.max(0, ...held.map(({ heldMs }) => heldMs)),
					longestNetHoldMs: Math.max(0, ...held.map(({ heldMs, waitedMs }) => heldMs - waitedMs)),
					longestRunMs: Math.max(0, ...held.map(({ ranMs }) => ranMs)),
				});
			}
		return swaps;
	} finally {
		await clients.stop();
		await server.stop();
	}
}

/** Connections that ask one question at a time, with a pause after each. */
class Clients {
	/** Since it was last emptied. */
	readonly answers: Answer[] = [];
	/** Rejects at the first request that fails; never resolves. */
	readonly failed: Promise<never>;
	private stopped = false;
	private readonly loops: Promise<void>[];
	private fail: (error: Error) => void = () => undefined;

	constructor(
		private readonly server: ServerSide,
		private readonly paths: () => string,
		connections: number,
	) {
		this.failed = new Promise((_, reject) => {
			this.fail = reject;
		});
		this.failed.catch(() => undefined);
		this.loops = Array.from({ length: connections }, (_, i) => this.loop(i));
	}

	/** Resolves once every connection has answered from `month`. Rejects after {@link SERVED_WITHIN_MS}. */
	async untilAllAnswerFrom(month: string): Promise<void> {
		for (const begunMs = performance.now(); ; await pause(LOOK_MS)) {
			const answering = new Set(
				this.answers.filter((answer) => answer.month === month).map(({ connection }) => connection),
			);
			if (answering.size === this.loops.length) return;
			if (performance.now() - begunMs > SERVED_WITHIN_MS)
				throw new Error(`${this.loops.length - answering.size} connections do not answer from ${month}`);
		}
	}

	async stop(): Promise<void> {
		this.stopped = true;
		await Promise.all(this.loops);
	}

	private async loop(connection: number): Promise<void> {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		try {
			while (!this.stopped) {
				const begunMs = performance.now();
				const month = await this.ask(agent);
				const atMs = performance.now();
				this.answers.push({ connection, atMs, tookMs: atMs - begunMs, month });
				await pause(PAUSE_MS);
			}
		} catch (error) {
			this.fail(error as Error);
		} finally {
			agent.destroy();
		}
	}

	/** The month that a question was answered from. */
	private ask(agent: Agent): Promise<string> {
		const { port, authorization } = this.server;
		const path = this.paths();
		return new Promise((resolve, reject) => {
			const request = get({ host: "127.0.0.1", port, path, agent, headers: { authorization } }, (answer) => {
				const chunks: Buffer[] = [];
				answer.on("data", (chunk: Buffer) => chunks.push(chunk));
				answer.on("end", () => {
					const text = Buffer.concat(chunks).toString("utf8");
					if (answer.statusCode === 200)
						resolve((JSON.parse(text) as { meta: { snapshot: string } }).meta.snapshot);
					else reject(new Error(`${path} answers ${answer.statusCode}: ${text}`));
				});
				answer.on("error", reject);
			});
			request.on("error", reject);
		});
	}
}

/** Time between the first answers from `month`, each of another connection. */
function spreadOf(answers: readonly Answer[], month: string): number {
	const first = new Map<number, number>();
	for (const { connection, atMs, month: answered } of answers)
		if (answered === month && !first.has(connection)) first.set(connection, atMs);
	return Math.max(...first.values()) - Math.min(...first.values());
}

function readHolds(folder: string): Hold[] {
	return readdirSync(folder).flatMap((file) =>
		readFileSync(join(folder, file), "utf8")
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => JSON.parse(line) as Hold),
	);
}

/** Hard links of the files in `from` and its folders. */
function linkFolder(from: string, to: string): void {
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		if (entry.isDirectory()) linkFolder(join(from, entry.name), join(to, entry.name));
		else linkSync(join(from, entry.name), join(to, entry.name));
	}
}
