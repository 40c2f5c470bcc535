/**
 * `bench bulk`: whole results over HTTP: changes between the two newest months of a data folder, walks of the newest
 * by cursor, downloads beside other clients, and what changes and exports cost the builder. Every answer is compared
 * with the engine's, pages of changes with the peers' too.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { type ChangeSet, openLibrary, type Snapshot } from "../../engine/index.js";
import { type Figure, figuresTable, ms, perSecond } from "../bulk/figure.js";
import { type KeysetPeer, openKeysetPeers } from "../bulk/keyset-peers.js";
import { measurePages, measureStream } from "../bulk/measure-changes.js";
import { exportLargestState, measureExports } from "../bulk/measure-exports.js";
import { measureDisk, measureExport, measurePublishing, scratchOf } from "../bulk/measure-files.js";
import {
	expectedWalk,
	MONTH_WALK,
	measureDepth,
	measureOthers,
	measureWholeWalk,
} from "../bulk/measure-walks.js";
import type { BenchData } from "../data/bench-month.js";
import { prepareChangedMonths } from "../data/changed-months.js";
import { SERVER_CORE } from "../http/load.js";
import { ONE_BY_ID, pathsOf, Values } from "../http/requests.js";
import { ServerSide } from "../http/server-side.js";
import { openDatabase } from "../peers/open-peers.js";
import { tell, wholeNumber, withDataOptions } from "./options.js";

const PARTS = ["changes", "walk", "others", "exports", "files", "publishing"] as const;

export interface BulkFlags {
	/** Absent: two months made for this, of which a known share changed. */
	readonly data?: string;
	readonly rows: number;
	readonly seed: number;
	readonly only?: string;
	readonly drop?: string;
	readonly rounds: number;
	/** Seconds that others ask without a download beside them. */
	readonly quiet: number;
	readonly peers: boolean;
	readonly work: string;
}

export function bulkCommand(): Command {
	const command = new Command("bulk")
		.description("stream changes, walk a whole month by cursor beside other clients, and export it")
		.option(
			"--data <dir>",
			"data folder with two months or more; nothing in it is written (default: made of --rows)",
		)
		.option("--only <parts>", `of ${PARTS.join(", ")}, comma-separated`)
		.option("--drop <file>", "drop of the newest month: measures how much publishing grows by the changes")
		.option("--rounds <n>", "rounds of exports and of publishing; the least counts", wholeNumber, 2)
		.option("--quiet <s>", "seconds of requests without a download beside them", wholeNumber, 3)
		.option("--no-peers", "ask no peer");
	return withDataOptions(command).action(async (flags: BulkFlags) => {
		const figures = await measureBulk(flags);
		process.stdout.write(`${figuresTable(figures)}\n`);
	});
}

/** Measures the parts that `flags` select. Throws if an answer is wrong. */
export async function measureBulk(flags: BulkFlags): Promise<Figure[]> {
	const wanted = new Set(flags.only?.split(",") ?? PARTS);
	const data = flags.data ?? (await prepareChangedMonths(flags, tell)).dataFolder;
	const library = openLibrary({ dataFolder: data });
	const [newer, older] = library.snapshots;
	if (older === undefined) throw new Error(`${data} has less than two months`);
	const bench = new BulkBench({ ...flags, data }, newer, library.changes(older, newer));
	const figures: Figure[] = [];
	try {
		if (wanted.has("changes")) figures.push(...(await bench.changes()));
		if (wanted.has("walk")) figures.push(...(await bench.walks()));
		if (wanted.has("others")) figures.push(...(await bench.others()));
		if (wanted.has("exports")) figures.push(...(await bench.exports()));
		if (wanted.has("files")) figures.push(...(await bench.files()));
		if (wanted.has("publishing")) figures.push(...(await bench.publishing()));
	} finally {
		await bench.close();
	}
	return figures;
}

class BulkBench {
	private readonly data: BenchData;
	private opened: Promise<KeysetPeer[]> | null = null;

	constructor(
		private readonly flags: BulkFlags & { readonly data: string },
		private readonly newest: Snapshot,
		private readonly set: ChangeSet,
	) {
		const folder = join(flags.work, `${newest.rows}-${flags.seed}`);
		this.data = { folder, dataFolder: flags.data, months: [newest.month] };
	}

	/** Of months that both have stored rows, and of which only the newer one has, as after publishing. */
	async changes(): Promise<Figure[]> {
		const { flags, set } = this;
		const { data, seed } = flags;
		const peers = await this.peers();
		const streams = async (server: ServerSide, asked: readonly KeysetPeer[]) => [
			...(await measureStream(server, set, "csv", asked)),
			...(await measureStream(server, set, "ndjson", asked)),
		];
		return [
			...(await this.onServer(data, "pages", (server) => measurePages(server, set, peers, seed), null)),
			...(await this.onServer(data, "stored rows", (server) => streams(server, peers))),
			...(await this.withRowsOf([this.newest.month], "newer stored rows", (server) => streams(server, []))),
		];
	}

	/** Walks of the month as it is, and without its stored rows. */
	async walks(): Promise<Figure[]> {
		const expected = expectedWalk(this.newest);
		const figures = await this.onServer(this.flags.data, "stored rows", async (server) => [
			...(await measureWholeWalk(server, this.newest, expected)),
			await measureDepth(server, this.newest, "id"),
		]);
		figures.push(
			...(await this.withoutRows(async (server) => [
				...(await measureWholeWalk(server, this.newest, expected)),
				await measureDepth(server, this.newest, "id"),
				await measureDepth(server, this.newest, "office_name"),
			])),
		);
		for (const peer of await this.peers()) {
			for (const sort of ["id", "office_name"] as const) {
				const { nearMs, deepMs, rowsPerSecond } = await peer.walk(sort, Math.floor(this.newest.rows * 0.96));
				const measured = `pages of 1,000: ${ms(nearMs)} near, ${ms(deepMs)} deep; ${perSecond(rowsPerSecond)}`;
				figures.push({
					name: `keyset walk by ${sort}`,
					measured: "",
					target: "",
					reached: null,
					peers: { [peer.name]: measured },
				});
			}
		}
		return figures;
	}

	/** What others notice of downloads by cursor, with stored rows and without. */
	async others(): Promise<Figure[]> {
		const paths = this.othersPaths();
		const quietMs = this.flags.quiet * 1_000;
		const figure = (server: ServerSide) =>
			measureOthers(server, `a walk of the month, ${server.name}`, {
				paths,
				quietMs,
				// For as long: one walk is over after a few hundred requests of the others.
				download: { ...MONTH_WALK, forMs: quietMs },
			});
		return [
			...(await this.onServer(this.flags.data, "stored rows", async (server) => [await figure(server)])),
			...(await this.withoutRows(async (server) => [await figure(server)])),
		];
	}

	/** What others notice of downloads of exported files, and what such a download gives. */
	async exports(): Promise<Figure[]> {
		const scratch = scratchOf(this.flags.data, [this.newest.month], this.flags.work);
		try {
			await exportLargestState(scratch, this.newest);
			const options = { paths: this.othersPaths(), quietMs: this.flags.quiet * 1_000 };
			return await this.onServer(scratch, "exported files", (server) => measureExports(server, options));
		} finally {
			rmSync(scratch, { recursive: true });
		}
	}

	/** What other clients ask for: single rows and pages. */
	private othersPaths(): string[] {
		const paths = pathsOf(ONE_BY_ID, new Values(this.newest, this.flags.seed), 500);
		return [...paths, ...paths.map((_, i) => `/v1/licenses?state=CA&page=${1 + (i % 400)}`)];
	}

	async files(): Promise<Figure[]> {
		const { flags, newest, set } = this;
		const duckdb = flags.peers ? await openDatabase("duckdb", this.data, newest) : null;
		try {
			return [
				...measureDisk(flags.data, set.from, set.to),
				await measureExport(flags.data, newest.month, duckdb, flags.rounds, flags.work),
			];
		} finally {
			await duckdb?.close();
		}
	}

	async publishing(): Promise<Figure[]> {
		const { drop, data, work } = this.flags;
		if (drop === undefined) {
			tell("how much publishing grows is measured with --drop FILE");
			return [];
		}
		const { rounds } = this.flags;
		const [from, to] = [this.set.from.month, this.newest.month];
		return [await measurePublishing(data, { from, to, drop, work, rounds })];
	}

	async close(): Promise<void> {
		for (const peer of (await this.opened) ?? []) await peer.close();
	}

	private peers(): Promise<KeysetPeer[]> {
		this.opened ??= this.flags.peers ? openKeysetPeers(this.data, this.set, tell) : Promise.resolve([]);
		return this.opened;
	}

	private withoutRows(measure: (server: ServerSide) => Promise<Figure[]>): Promise<Figure[]> {
		return this.withRowsOf([], "no stored rows", measure);
	}

	/** On a server of both months, of which these have stored rows. */
	private async withRowsOf(
		withRows: readonly string[],
		name: string,
		measure: (server: ServerSide) => Promise<Figure[]>,
	): Promise<Figure[]> {
		const months = [this.set.from.month, this.newest.month];
		const scratch = scratchOf(this.flags.data, months, this.flags.work, withRows);
		try {
			return await this.onServer(scratch, name, measure);
		} finally {
			rmSync(scratch, { recursive: true });
		}
	}

	private async onServer(
		dataFolder: string,
		name: string,
		measure: (server: ServerSide) => Promise<Figure[]>,
		core: number | null = SERVER_CORE,
	): Promise<Figure[]> {
		tell(`measuring with ${name}`);
		const server = await ServerSide.start({
			name,
			dataFolder,
			node: process.execPath,
			flags: ["--workers", "1"],
			core,
			bulk: true,
		});
		try {
			return await measure(server);
		} finally {
			await server.stop();
		}
	}
}
