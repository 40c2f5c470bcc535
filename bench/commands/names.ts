/**
 * `bench names`: the filter `name` compared with trigram indexes, over full names misspelled, reordered,
 * without marks or with a nickname, whose original is known. Each is searched once, after others; recall is the share
 * of queries whose original, its words in any order, is among the first ten results, precision that for which it
 * is the first.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { DEFAULT_QUERY, type Snapshot } from "../../engine/index.js";
import { nicknamesOf } from "../../engine/names/nicknames.js";
import { askedNameFault, looseWords, nameCompounds } from "../../formats/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData, rowsDigest } from "../data/bench-month.js";
import { milliseconds, percentiles } from "../measure/samples.js";
import { type NamePeer, openNamePeers } from "../peers/name-peers.js";
import { Choices } from "../shapes/choices.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface NamesFlags extends DataFlags {
	readonly questions: number;
	readonly peers: boolean;
	readonly peerSeconds: number;
	readonly json: boolean;
}

/** A query, and the full name that it was derived from, with the state of a row that has it. */
export interface NameQuestion {
	readonly asked: string;
	readonly truth: string;
	readonly state: string;
}

export interface NameFigures {
	readonly name: string;
	readonly questions: number;
	/** Milliseconds. */
	readonly p50: number;
	readonly p99: number;
	/** Its times over those of the first search for the same questions. */
	readonly times: { readonly p50: number; readonly p99: number };
	/** Shares of the queries. */
	readonly recallAt10: number;
	readonly precisionAt1: number;
}

/** Number of results that are examined. */
const ANSWERS = 10;

/** Questions of one search before the next has its turn. */
const TURN_QUESTIONS = 20;
/** Other questions that each is asked before it is measured, in a tenth of its time at most. */
const WARM_UP_QUESTIONS = 1_000;

export function namesCommand(): Command {
	const command = new Command("names")
		.description("measure the filter name against pg_trgm (GIN, GiST) and SQLite FTS5 trigrams")
		.option("--questions <n>", "questions, each asked once", wholeNumber, 2_000)
		.option("--no-peers", "ask no peer")
		.option("--peer-seconds <n>", "most seconds one peer is asked", wholeNumber, 120)
		.option("--json", "print one JSON document", false);
	return withDataOptions(command).action(async (flags: NamesFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const snapshot = openSnapshot(data);
		const folder = join(data.folder, `names-${rowsDigest(data)}`);
		mkdirSync(folder, { recursive: true, mode: 0o755 });
		const peers = flags.peers ? await openNamePeers(folder, snapshot, tell) : [];
		try {
			const questions = drawQuestions(snapshot, flags.questions, flags.seed);
			const others = drawQuestions(snapshot, WARM_UP_QUESTIONS, flags.seed + 1);
			const engine = [enginePeer(snapshot), stateEnginePeer(snapshot)];
			const searches = [...engine, ...peers];
			await measureNames(searches, others, flags.peerSeconds / 10);
			const figures = await measureNames(searches, questions, flags.peerSeconds);
			process.stdout.write(flags.json ? `${JSON.stringify(figures)}\n` : `${table(figures)}\n`);
		} finally {
			for (const peer of peers) await peer.close();
		}
	});
}

/** The engine's own search, as a peer. */
export function enginePeer(snapshot: Snapshot): NamePeer {
	return {
		name: "engine",
		ask(name) {
			const page = snapshot.query({ ...DEFAULT_QUERY, filters: { name }, sort: [], limit: ANSWERS });
			return Array.from(page.rows, (row) => String(snapshot.value(row, "member_full_name")));
		},
		async close() {},
	};
}

/** The engine's own search within the state of the name sought. */
function stateEnginePeer(snapshot: Snapshot): NamePeer {
	return {
		name: "engine, with the state",
		ask(name, state) {
			const filters = { name, state: [state] };
			const page = snapshot.query({ ...DEFAULT_QUERY, filters, sort: [], limit: ANSWERS });
			return Array.from(page.rows, (row) => String(snapshot.value(row, "member_full_name")));
		},
		async close() {},
	};
}

/**
 * Asks every search the questions by turns of some, each search for at most `secondsMax`: its figures say how many it
 * answered, and its ratios are to what the first search took for these.
 */
export async function measureNames(
	searches: readonly NamePeer[],
	questions: readonly NameQuestion[],
	secondsMax = Number.POSITIVE_INFINITY,
): Promise<NameFigures[]> {
	const runs = searches.map((search) => ({ search, times: [] as number[], spentMs: 0, found: 0, first: 0 }));
	for (let from = 0; from < questions.length; from += TURN_QUESTIONS) {
		const turn = questions.slice(from, from + TURN_QUESTIONS);
		for (const i of runs.keys()) {
			// Another search begins in each turn.
			const run = runs[(i + from / TURN_QUESTIONS) % runs.length];
			for (const { asked, truth, state } of turn) {
				if (run.spentMs >= secondsMax * 1_000) break;
				const startedMs = performance.now();
				const names = await run.search.ask(asked, state);
				const tookMs = performance.now() - startedMs;
				run.times.push(tookMs);
				run.spentMs += tookMs;
				const at = names.map(nameKey).indexOf(nameKey(truth));
				if (at >= 0) run.found++;
				if (at === 0) run.first++;
			}
		}
	}
	return runs.map(({ search, times, found, first }) => {
		const { n, p50, p99 } = percentiles(times);
		const own = percentiles(runs[0].times.slice(0, n));
		const shares = { recallAt10: found / n, precisionAt1: first / n };
		return {
			name: search.name,
			questions: n,
			p50,
			p99,
			times: { p50: p50 / own.p50, p99: p99 / own.p99 },
			...shares,
		};
	});
}

/** Equal for one name in any order of its words: rosters have both "Marc Robinson" and "ROBINSON, MARC". */
function nameKey(name: string): string {
	return looseWords(name).sort().join(" ");
}

/** Queries derived from names of the month, drawn uniformly from its rows. */
export function drawQuestions(snapshot: Snapshot, count: number, seed: number): NameQuestion[] {
	const random = new Choices(seed, 0);
	const questions: NameQuestion[] = [];
	while (questions.length < count) {
		const row = random.below(snapshot.rows);
		const truth = snapshot.value(row, "member_full_name");
		if (truth === null || looseWords(String(truth)).length < 2) continue;
		const asked = otherwise(looseWords(String(truth)), questions.length % 4, random);
		if (askedNameFault(nameCompounds(asked)) === null)
			questions.push({ asked, truth: String(truth), state: String(snapshot.value(row, "state")) });
	}
	return questions;
}

/** A name in another form: misspelled, misspelled and reordered, with a nickname, or only without marks. */
function otherwise(words: readonly string[], way: number, random: Choices): string {
	if (way === 0) return misspelled(words, random).join(" ");
	if (way === 1) {
		const changed = misspelled(words, random);
		return `${changed[changed.length - 1]}, ${changed.slice(0, -1).join(" ")}`;
	}
	if (way === 2) {
		const nicknames = [...nicknamesOf(words[0])];
		if (nicknames.length > 0) return [nicknames[random.below(nicknames.length)], ...words.slice(1)].join(" ");
	}
	return words.join(" ");
}

/** The words with one edit in the longest: a letter deleted, doubled, replaced, or transposed with the next. */
function misspelled(words: readonly string[], random: Choices): string[] {
	const longest = words.reduce((best, word, i) => (word.length > words[best].length ? i : best), 0);
	const letters = [...words[longest]];
	const at = 1 + random.below(Math.max(1, letters.length - 2));
	const edits = [
		() => letters.splice(at, 1),
		() => letters.splice(at, 0, letters[at] ?? "a"),
		() => letters.splice(at, 1, "e"),
		() => letters.splice(at, 2, letters[at + 1] ?? "", letters[at] ?? ""),
	];
	edits[random.below(edits.length)]();
	return words.map((word, i) => (i === longest ? letters.join("") : word));
}

function table(figures: readonly NameFigures[]): string {
	return formatTable(
		["search", "questions", "p50 ms", "p99 ms", "recall@10", "precision@1", "p50 ÷ engine", "p99 ÷ engine"],
		figures.map((f) => [
			f.name,
			String(f.questions),
			milliseconds(f.p50),
			milliseconds(f.p99),
			f.recallAt10.toFixed(3),
			f.precisionAt1.toFixed(3),
			f.times.p50.toFixed(1),
			f.times.p99.toFixed(1),
		]),
	);
}
