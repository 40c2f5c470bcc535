/** Changes between the two newest months over HTTP: pages under various filters, and all of them streamed. */

import { crc32 } from "node:zlib";
import { CHANGE_KINDS, type ChangeSet, type Filters } from "../../engine/index.js";
import type { ServerSide } from "../http/server-side.js";
import { percentiles } from "../measure/samples.js";
import { Choices } from "../shapes/choices.js";
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

const STREAM_ROWS = 100_000;
/** Walks before those that are measured, and these: one takes a fraction of a second, which the clock of CPU time shows in hundredths. */
const WARMING_WALKS = 2;
const WALKS = 3;
const CHANGES_PER_SECOND = 500_000;
const PAGE_MS = 5;
const PAGES = 400;
const PEER_PAGES = 60;

/** Latency of pages of changes, each question asked once, ours and the peers'. Throws if a peer answers otherwise. */
export async function measurePages(
	server: ServerSide,
	set: ChangeSet,
	peers: readonly KeysetPeer[],
	seed: number,
): Promise<Figure> {
	const client = new BulkClient(server.port, server.authorization);
	try {
		const choices = new Choices(seed, 1);
		const asked: { question: ChangesQuestion; milliseconds: number; body: Buffer }[] = [];
		// Answers are read after the last of them, so that none waits for a collection of garbage here.
		for (let i = -PAGES / 4; i < PAGES; i++) {
			const question = drawQuestion(set, choices);
			const { milliseconds, body } = await client.get(pathOf(question), 0, true);
			if (i >= 0) asked.push({ question, milliseconds, body });
		}
		for (const { question, body } of asked)
			requireEqual("the engine", answerOfEngine(set, question), answerOf(body), question);
		const latencies = asked.map(({ milliseconds }) => milliseconds);
		const theirs: Record<string, number[]> = Object.fromEntries(peers.map(({ name }) => [name, []]));
		for (const { question, body } of asked.slice(0, PEER_PAGES)) {
			for (const peer of peers) {
				const begunMs = performance.now();
				const told = await peer.changesPage(question);
				theirs[peer.name].push(performance.now() - begunMs);
				requireEqual(peer.name, told, answerOf(body), question);
			}
		}
		const { p50, p99 } = percentiles(latencies);
		const figure = atMost(`changes page of ${PAGE_ROWS}, p99`, p99, PAGE_MS, ms);
		const pair = (of: readonly number[]) => `${ms(percentiles(of).p50)} / ${ms(percentiles(of).p99)}`;
		const told = Object.fromEntries(Object.entries(theirs).map(([name, of]) => [name, pair(of)]));
		return { ...figure, measured: `${figure.measured} (p50 ${ms(p50)})`, peers: told };
	} finally {
		client.close();
	}
}

function drawQuestion(set: ChangeSet, choices: Choices): ChangesQuestion {
	const row = choices.below(set.to.rows);
	return {
		state: choices.oneIn(3) ? null : String(set.to.value(row, "state")),
		status: choices.oneIn(3) ? (set.to.value(row, "member_license_status") as string | null) : null,
		kinds: choices.oneIn(2) ? CHANGE_KINDS : [choices.pick(CHANGE_KINDS)],
	};
}

function pathOf({ state, status, kinds }: ChangesQuestion): string {
	const asked = new URLSearchParams({ limit: String(PAGE_ROWS), kind: kinds.join(",") });
	if (state !== null) asked.set("state", state);
	if (status !== null) asked.set("license_status", status);
	return `/v1/changes?${asked}`;
}

function answerOf(body: Buffer): ChangesAnswer {
	const { data, meta } = JSON.parse(body.toString()) as {
		data: { license_number: string }[];
		meta: { totals: ChangesAnswer["totals"] };
	};
	return { totals: meta.totals, numbers: data.map((entry) => entry.license_number) };
}

function answerOfEngine(set: ChangeSet, { state, status, kinds }: ChangesQuestion): ChangesAnswer {
	const filters: Filters = {
		...(state !== null && { state: [state] }),
		...(status !== null && { license_status: [status] }),
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
	const client = new BulkClient(server.port, server.authorization);
	const path = `/v1/changes?format=${format}&limit=${STREAM_ROWS}`;
	try {
		for (let i = 0; i < WARMING_WALKS; i++) await walk(client, path);
		const expected = expectedStream(set, format);
		const cpuUs = server.cpuUs();
		const begunMs = performance.now();
		for (let i = 0; i < WALKS; i++) {
			const { crc } = await walk(client, path);
			if (crc !== expected) throw new Error("the streamed changes differ from the engine's");
		}
		const seconds = (performance.now() - begunMs) / 1000 / WALKS;
		const cpuSeconds = (server.cpuUs() - cpuUs) / 1e6 / WALKS;
		const { totals } = set.changes;
		const count = CHANGE_KINDS.reduce((sum, kind) => sum + totals[kind], 0);
		const share = percent(totals.changed / set.from.rows);
		const what = `${count.toLocaleString("en-US")} changes (${share} changed) streamed as ${format.toUpperCase()}`;
		const told: Record<string, string> = {};
		for (const peer of peers) told[peer.name] = perSecond(await peer.changesRate(format));
		return [
			{ ...atLeast(`${what}, wall clock`, count / seconds, CHANGES_PER_SECOND, perSecond), peers: told },
			atLeast(`${what}, CPU`, count / cpuSeconds, CHANGES_PER_SECOND, perSecond),
		];
	} finally {
		client.close();
	}
}

/** CRC-32 of all streamed bodies, as the engine writes them. */
function expectedStream(set: ChangeSet, format: "csv" | "ndjson"): number {
	let crc = 0;
	for (const bytes of streamedChanges(set, format, STREAM_ROWS)) crc = crc32(bytes, crc);
	return crc;
}
