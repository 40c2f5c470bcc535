/**
 * Walks of a whole month by cursor as CSV over HTTP, with stored rows and without: rows per second on one core,
 * memory, what a page costs deep in the walk, and what other clients notice. The bytes of every walk are compared
 * with those that the engine renders.
 */

import { crc32 } from "node:zlib";
import { ByteSink, type Snapshot } from "../../engine/index.js";
import { median } from "../http/rounds.js";
import type { ServerSide } from "../http/server-side.js";
import { percentiles } from "../measure/samples.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { BulkClient, rest, walk } from "./bulk-client.js";
import { type Download, downloadApart } from "./download-process.js";
import { atLeast, atMost, type Figure, mib, ms, perSecond, times } from "./figure.js";

const STREAM_ROWS = 100_000;
const ROWS_PER_SECOND = 700_000;
const MEMORY_BYTES = 40 * 2 ** 20;
const MEMORY_LOOK_MS = 50;
/** Pages whose latency is measured around each depth. */
const PAGES = 100;
/** Interval of the other client's requests, in milliseconds. */
const OTHERS_MS = 4;

const MONTH_PATH = `/v1/licenses?format=csv&limit=${STREAM_ROWS}`;

/** Rate and memory of a whole walk, after one that warms the server. Throws if a byte differs from `expected`. */
export async function measureWholeWalk(
	server: ServerSide,
	snapshot: Snapshot,
	expected: number,
): Promise<Figure[]> {
	const client = new BulkClient(server.port, server.authorization);
	try {
		await walk(client, MONTH_PATH);
		const memory = [server.ownBytes()];
		const cpuUs = server.cpuUs();
		const begunMs = performance.now();
		const look = setInterval(() => memory.push(server.ownBytes()), MEMORY_LOOK_MS);
		const { crc } = await walk(client, MONTH_PATH);
		clearInterval(look);
		const seconds = (performance.now() - begunMs) / 1000;
		const cpuSeconds = (server.cpuUs() - cpuUs) / 1e6;
		if (crc !== expected) throw new Error(`${server.name}: the walk differs from the engine's rows`);
		const span = Math.max(...memory) - Math.min(...memory);
		return [
			atLeast(`walk as CSV, ${server.name}, wall clock`, snapshot.rows / seconds, ROWS_PER_SECOND, perSecond),
			atLeast(`walk as CSV, ${server.name}, CPU`, snapshot.rows / cpuSeconds, ROWS_PER_SECOND, perSecond),
			atMost(`memory during it, greatest less least`, span, MEMORY_BYTES, mib),
		];
	} finally {
		client.close();
	}
}

/** CRC-32 of the bodies of a whole walk, as the engine renders them. Cost O(rows). */
export function expectedWalk(snapshot: Snapshot): number {
	const sink = new ByteSink();
	const rows = new Uint32Array(1_000);
	let crc = 0;
	for (let first = 0; first < snapshot.rows; first += rows.length) {
		const count = Math.min(rows.length, snapshot.rows - first);
		for (let i = 0; i < count; i++) rows[i] = first + i;
		sink.reset();
		snapshot.renderRows(rows.subarray(0, count), WHOLE_ROW, "csv", sink, first % STREAM_ROWS === 0);
		crc = crc32(sink.view(), crc);
	}
	return crc;
}

/** A depth of a walk: the number of its page and the cursor of it. */
interface Depth {
	readonly page: number;
	cursor: string;
	readonly milliseconds: number[];
}

/** Latency of pages near the end of a walk, over that of pages near its beginning, by turns. */
export async function measureDepth(server: ServerSide, snapshot: Snapshot, sort: string): Promise<Figure> {
	const client = new BulkClient(server.port, server.authorization);
	try {
		const rows = Math.max(1, Math.min(1_000, Math.floor(snapshot.rows / (4 * PAGES))));
		const last = Math.floor(snapshot.rows / rows) - PAGES;
		const path = (limit: number) => `/v1/licenses?format=csv&sort=${sort}&limit=${limit}`;
		const depths: Depth[] = [];
		for (const page of [2, Math.min(2_400, last)])
			depths.push({ page, cursor: await cursorOf(client, path, (page - 1) * rows), milliseconds: [] });
		// The first pages warm the code up.
		for (let i = -PAGES / 4; i < PAGES * 0.75; i++) {
			for (const depth of i % 2 === 0 ? depths : depths.toReversed()) {
				const answer = await client.get(rest(path(rows), depth.cursor));
				if (i >= 0) depth.milliseconds.push(answer.milliseconds);
				depth.cursor = answer.next as string;
			}
		}
		const [near, deep] = depths.map(({ milliseconds }) => median(milliseconds));
		const name = `page ${depths[1].page} over page 2, ${rows} rows, by ${sort}, ${server.name}`;
		const figure = atMost(name, deep / near, 1.2, times);
		return { ...figure, measured: `${figure.measured} (${ms(deep)} and ${ms(near)})` };
	} finally {
		client.close();
	}
}

/** The cursor after the first `rows` rows. */
async function cursorOf(client: BulkClient, path: (limit: number) => string, rows: number): Promise<string> {
	let cursor = "*";
	for (let left = rows; left > 0; ) {
		const limit = Math.min(left, STREAM_ROWS);
		const { next } = await client.get(rest(path(limit), cursor));
		if (next === null) throw new Error(`the walk ends before row ${rows}`);
		cursor = next;
		left -= limit;
	}
	return cursor;
}

export interface OthersOptions {
	/** What the others ask for, in turn. */
	readonly paths: readonly string[];
	/** How long they ask without a download. */
	readonly quietMs: number;
	readonly download: Download;
}

/**
 * What a client that asks for single rows and pages notices of a download by a client in another process: the ratio
 * of its p99s.
 */
export async function measureOthers(
	server: ServerSide,
	name: string,
	{ paths, quietMs, download }: OthersOptions,
): Promise<Figure> {
	const ended = new AbortController();
	try {
		const { signal } = ended;
		await Promise.all([downloadApart(server, download, signal), askUntil(server, paths, sleep(quietMs))]);
		const quiet = percentiles(await askUntil(server, paths, sleep(quietMs)));
		const running = downloadApart(server, download, signal);
		// Reported where it is awaited, even if a request fails before that.
		running.catch(() => undefined);
		const during = percentiles(await askUntil(server, paths, running));
		const { bytes, milliseconds } = await running;
		const figure = atMost(`others' p99 during ${name}`, during.p99 / quiet.p99, 2, times);
		const medians = `p50 ${ms(quiet.p50)} to ${ms(during.p50)}; ${paths.length} paths in turn`;
		const rate = `${mib((bytes / milliseconds) * 1_000)}/s downloaded`;
		const p99s = `${ms(quiet.p99)} to ${ms(during.p99)}`;
		return { ...figure, measured: `${figure.measured} (${p99s}; ${medians}; ${rate})` };
	} finally {
		ended.abort();
	}
}

function sleep(milliseconds: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Asks the paths in turn until `ended`; resolves to the latencies. */
async function askUntil(
	server: ServerSide,
	paths: readonly string[],
	ended: Promise<unknown>,
): Promise<number[]> {
	const client = new BulkClient(server.port, server.authorization);
	const latencies: number[] = [];
	let isOver = false;
	const over = ended.finally(() => {
		isOver = true;
	});
	// Reported where it is awaited: if a request fails first, that is the error.
	over.catch(() => undefined);
	try {
		for (let i = 0; !isOver; i++) {
			latencies.push((await client.get(paths[i % paths.length])).milliseconds);
			await sleep(OTHERS_MS);
		}
		await over;
		return latencies;
	} finally {
		client.close();
	}
}

/** A whole month by cursor. */
export const MONTH_WALK: Download = { path: MONTH_PATH, kind: "walk" };
