/** Changes between the two newest months over HTTP: pages under various filters, and all of them streamed. */

import { crc32 } from "node:zlib";
import { CHANGE_KINDS, type ChangeSet, type Filters } from "../../engine/index.js";
import type { ColumnName } from "../../formats/index.js";
import type { ServerSide } from "../http/server-side.js";
import { percentiles } from "../measure/samples.js";
import { Choices } from "../shapes/choices.js";
import { type Asked, askApart } from "./asking-process.js";
import { BulkClient, walk } from "./bulk-client.js";
import {
	ALL_FIELDS,
	type ChangesAnswer,
	type ChangesQuestion,
	PAGE_ROWS,
	streamedChanges,
} from "./changes-question.js";
import { atLeast, atMost, type Figure, ms, percent, perSecond } from "./figure.js";
import type { KeysetPeer } from "./keyset-peers.js";
import { walkApart } from "./walking-process.js";

const STREAM_ROWS = 100_000;
/** Walks before those that are measured, and these; one takes a fraction of a second. */
const WARMING_WALKS = 6;
const WALKS = 5;
const CHANGES_PER_SECOND = 500_000;
const PAGE_MS = 5;
const PAGES = 400;
/** Pages before any that is measured. */
const WARMING_PAGES = 100;
/** The fewest pages measured; small months are asked for fewer than large ones. */
const PAGES_MIN = 50;
/**
 * Pages before those that the target applies to, fewer of small months: until then the server's threads also compile
 * code, in bursts of some milliseconds.
 */
const SETTLING_PAGES = 3_000;
const PEER_PAGES = 60;
/** Others that each peer is asked before. */
const PEER_WARMING_PAGES = 20;
/** Successive draws without a new question after which a month is taken to have no more. */
const FRUITLESS_DRAWS_MAX = 1_000;

/**
 * Latency of pages of changes, each question asked once, ours and the peers'. `server` is not pinned: it and its one
 * client take turns, and threads that compile its code need a core meanwhile. First of a server that has not read most
 * of its files' pages yet, then of one that has sent all changes once and many other pages, to which the target applies.
 * Throws if a peer answers otherwise.
 */
export async function measurePages(
	server: ServerSide,
	set: ChangeSet,
	peers: readonly KeysetPeer[],
	seed: number,
): Promise<Figure[]> {
	const client = new BulkClient(server.port, server.authorization);
	try {
		// Drawn before the questions of the warm-up, which would leave few of a kind that there are few of.
		const drawn = new DistinctQuestions(set, seed);
		const pages = Math.min(PAGES, Math.max(PAGES_MIN, Math.ceil(set.to.rows / 100)));
		const questions = drawn.next(pages);
		const atStart = drawn.next(pages);
		await askApart(server, drawn.next(WARMING_PAGES).map(pathOf));
		const first = await askApart(server, atStart.map(pathOf));
		for (const format of ["csv", "ndjson"]) await walk(client, allChanges(format));
		const settling = Math.min(SETTLING_PAGES, Math.ceil(set.to.rows / 100));
		const others = drawn.next(settling);
		const asked = await askApart(server, [...others, ...questions].map(pathOf), others.length);
		for (const question of others.slice(-PEER_WARMING_PAGES)) {
			const { body } = await client.get(pathOf(question), 0, true);
			for (const peer of peers)
				requireEqual(peer.name, await peer.changesPage(question), answerOf(body), question);
		}
		const theirs: Record<string, number[]> = Object.fromEntries(peers.map(({ name }) => [name, []]));
		for (const [i, question] of questions.entries()) {
			const { body } = await client.get(pathOf(question), 0, true);
			if (crc32(body) !== asked[i].crc) throw new Error("the same question is answered otherwise");
			requireEqual("the engine", answerOfEngine(set, question), answerOf(body), question);
			for (const peer of i < PEER_PAGES ? peers : []) {
				const begunMs = performance.now();
				const told = await peer.changesPage(question);
				theirs[peer.name].push(performance.now() - begunMs);
				requireEqual(peer.name, told, answerOf(body), question);
			}
		}
		const pair = (of: readonly number[]) =>
			`${ms(percentiles(of).p50)} / ${ms(percentiles(of).p99)} of ${of.length}`;
		const told = Object.fromEntries(Object.entries(theirs).map(([name, of]) => [name, pair(of)]));
		const what = `changes page of ${PAGE_ROWS}, p99`;
		return [
			{ ...pagesFigure(`${what} after start`, first), target: "", reached: null },
			{ ...pagesFigure(what, asked), peers: told },
		];
	} finally {
		client.close();
	}
}

function pagesFigure(name: string, asked: readonly Asked[]): Figure {
	const latency = percentiles(asked.map(({ milliseconds }) => milliseconds));
	const cpu = percentiles(asked.map(({ cpuMs }) => cpuMs));
	const wait = percentiles(asked.map(({ waitMs }) => waitMs));
	const figure = atMost(name, latency.p99, PAGE_MS, ms);
	const times = `CPU p50 ${ms(cpu.p50)}, p99 ${ms(cpu.p99)}; waiting for a core p99 ${ms(wait.p99)}`;
	const measured = `${ms(latency.p99)} (of ${asked.length}, each asked once; p50 ${ms(latency.p50)}; ${times})`;
	return { ...figure, measured };
}

/** All changes by cursor. */
function allChanges(format: string): string {
	return `/v1/changes?format=${format}&limit=${STREAM_ROWS}`;
}

/** Draws questions, none of them twice. */
class DistinctQuestions {
	private readonly drawn = new Set<string>();
	private readonly choices: Choices;

	constructor(
		private readonly set: ChangeSet,
		seed: number,
	) {
		this.choices = new Choices(seed, 1);
	}

	/** Up to `count` questions; fewer of a month that has no more. */
	next(count: number): ChangesQuestion[] {
		const questions: ChangesQuestion[] = [];
		for (let fruitless = 0; questions.length < count && fruitless < FRUITLESS_DRAWS_MAX; fruitless++) {
			const question = drawQuestion(this.set, this.choices);
			const path = pathOf(question);
			if (this.drawn.has(path)) continue;
			this.drawn.add(path);
			questions.push(question);
			fruitless = 0;
		}
		return questions;
	}
}

function drawQuestion(set: ChangeSet, choices: Choices): ChangesQuestion {
	const row = choices.below(set.to.rows);
	const textOf = (column: ColumnName) => set.to.value(row, column) as string | null;
	return {
		state: choices.oneIn(3) ? null : textOf("state"),
		status: choices.oneIn(3) ? null : textOf("member_license_status"),
		city: choices.oneIn(2) ? textOf("member_city") : null,
		kinds: choices.oneIn(2) ? CHANGE_KINDS : [choices.pick(CHANGE_KINDS)],
	};
}

function pathOf({ state, status, city, kinds }: ChangesQuestion): string {
	const asked = new URLSearchParams({ limit: String(PAGE_ROWS), kind: kinds.join(",") });
	if (state !== null) asked.set("state", state);
	if (status !== null) asked.set("license_status", status);
	if (city !== null) asked.set("city", city);
	return `/v1/changes?${asked}`;
}

function answerOf(body: Buffer): ChangesAnswer {
	const { data, meta } = JSON.parse(body.toString()) as {
		data: { license_number: string }[];
		meta: { totals: ChangesAnswer["totals"] };
	};
	return { totals: meta.totals, numbers: data.map((entry) => entry.license_number) };
}

function answerOfEngine(set: ChangeSet, { state, status, city, kinds }: ChangesQuestion): ChangesAnswer {
	const filters: Filters = {
		...(state !== null && { state: [state] }),
		...(status !== null && { license_status: [status] }),
		...(city !== null && { city: [city] }),
	};
	const query = { filters, geography: null, kinds, fields: ALL_FIELDS, after: null, limit: PAGE_ROWS };
	const { runs, totals } = set.query(query);
	const numbers = runs.flatMap(({ kind, rows }) => {
		const month = kind === "gone" ? set.from : set.to;
		return Array.from(rows, (row) => String(month.value(row, "member_state_license_number")));
	});
	return { totals, numbers };
}

function requireEqual(who: string, told: ChangesAnswer, ours: ChangesAnswer, asked: ChangesQuestion): void {
	const text = ({ totals, numbers }: ChangesAnswer) =>
		JSON.stringify([totals.new, totals.changed, totals.gone, numbers]);
	if (text(told) !== text(ours)) throw new Error(`${who} answers ${JSON.stringify(asked)} otherwise`);
}

/** Mean rate of all changes streamed, after walks that warm the server. Throws if a byte differs from the engine's. */
export async function measureStream(
	server: ServerSide,
	set: ChangeSet,
	format: "csv" | "ndjson",
	peers: readonly KeysetPeer[],
): Promise<Figure[]> {
	const expected = expectedStream(set, format);
	const { milliseconds, serverMs, clientMs, crcs } = await walkApart(
		server,
		allChanges(format),
		WARMING_WALKS,
		WALKS,
	);
	if (crcs.some((crc) => crc !== expected)) throw new Error("the streamed changes differ from the engine's");
	const { totals } = set.changes;
	const count = CHANGE_KINDS.reduce((sum, kind) => sum + totals[kind], 0);
	const share = percent(totals.changed / set.from.rows);
	const what = `${count.toLocaleString("en-US")} changes (${share} changed) streamed as ${format.toUpperCase()}, ${server.name}`;
	const told: Record<string, string> = {};
	for (const peer of peers) told[peer.name] = perSecond(await peer.changesRate(format));
	const clock = atLeast(`${what}, wall clock`, (count * 1000) / milliseconds, CHANGES_PER_SECOND, perSecond);
	const [ours, theirs] = [serverMs, clientMs].map((cpuMs) => percent(cpuMs / milliseconds));
	const measured = `${clock.measured} (server busy ${ours}, client ${theirs})`;
	return [
		{ ...clock, measured, peers: told },
		atLeast(`${what}, CPU`, (count * 1000) / serverMs, CHANGES_PER_SECOND, perSecond),
	];
}

/** CRC-32 of all streamed bodies, as the engine writes them. */
function expectedStream(set: ChangeSet, format: "csv" | "ndjson"): number {
	let crc = 0;
	for (const bytes of streamedChanges(set, format, STREAM_ROWS)) crc = crc32(bytes, crc);
	return crc;
}
