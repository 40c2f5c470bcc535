/**
 * `bench worst`: searches for the slowest valid questions of every kind but changes, of any grant, projection and format,
 * by random choice and by mutating the slowest known. What counts is the first time that a question is asked: a snapshot
 * keeps what it found of a selection, of a pair of dimensions and of a grant.
 */

import { Command } from "commander";
import { formatAnalysis, Snapshot } from "../../engine/index.js";
import { RowGzip } from "../../engine/render/gzip/row-gzip.js";
import { Scratch } from "../../engine/scratch.js";
import type { SnapshotFiles } from "../../formats/index.js";
import { DEFAULT_MONTH, openFiles, prepareData } from "../data/bench-month.js";
import { EngineSubject } from "../measure/engine-subject.js";
import { milliseconds, type Percentiles, percentiles } from "../measure/samples.js";
import { WARM_UP_MS } from "../measure/warm-sides.js";
import { type AnyQuestion, describe } from "../shapes/index.js";
import { mutate, randomOfAnyKind } from "../shapes/random-question.js";
import { ValueSource } from "../shapes/value-source.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface WorstFlags extends DataFlags {
	readonly seconds: number;
	readonly huntSeed: number;
	readonly json: boolean;
}

/** Times in milliseconds of random questions of one kind, when first asked and when asked again at once. */
interface RandomTimes {
	readonly first: number[];
	readonly again: number[];
}

interface Find {
	readonly question: AnyQuestion;
	readonly ms: number;
}

const FINDS_KEPT = 40;
const FINDS_TOLD = 10;
/**
 * Times that a question is asked again. Where it takes most of its first time again, the least of these is its time, so
 * that noise and compilation are not findings.
 */
const REPEATS = 4;
/** A question that takes this share of its first time again costs nothing extra the first time. */
const SAME_SHARE = 0.6;
/**
 * Snapshots that are asked for the first time where the first time took much longer; their least is its time. Each has
 * answered some others, as one of a server has: it opens what it needs when that is first needed.
 */
const FRESH = 2;
const OTHERS = 20;

export function worstCommand(): Command {
	const command = new Command("worst")
		.description(
			"hunt for the slowest valid queries; print the ten worst of each kind (lists, compressed lists, pages by cursor, suggestions, aggregates, statistics, offices, verifications, histories), each by the time of asking for it first, and what lists did",
		)
		.option("--seconds <n>", "how long to hunt", wholeNumber, 600)
		.option("--hunt-seed <n>", "seed of the hunt", wholeNumber, 1)
		.option("--json", "print the finds as one JSON document", false);
	return withDataOptions(command).action(async (flags: WorstFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const month = new HuntedMonth(openFiles(data), flags.huntSeed);
		month.warmUp(flags.huntSeed);
		const finds = slowestOfEachKind(hunt(month, flags.seconds, flags.huntSeed));
		if (flags.json) process.stdout.write(`${JSON.stringify(finds)}\n`);
		else for (const find of finds) process.stdout.write(formatFind(month.snapshot, find));
	});
}

/** Snapshots of one month's files that share the memory they work in, as a server's months do. */
export class HuntedMonth {
	readonly snapshot: Snapshot;
	private readonly scratch = new Scratch();
	private readonly rowGzip = new RowGzip();
	private readonly known: EngineSubject;
	private readonly others: readonly AnyQuestion[];

	constructor(
		private readonly files: SnapshotFiles,
		seed: number,
	) {
		this.snapshot = this.fresh(true);
		this.known = new EngineSubject(this.snapshot);
		const source = ValueSource.seeded(this.snapshot, seed, 1);
		this.others = Array.from({ length: OTHERS }, () => randomOfAnyKind(source));
	}

	/** Milliseconds of a question, of a snapshot that has answered all before. */
	time(question: AnyQuestion): number {
		return this.known.time(question);
	}

	/** Milliseconds of asking for the first time a question that took `firstMs` when it was, without noise. */
	firstTime(question: AnyQuestion, firstMs: number): number {
		const again = leastOf(REPEATS, () => this.known.time(question));
		if (again >= SAME_SHARE * firstMs) return again;
		const anew = leastOf(FRESH, () => {
			const engine = new EngineSubject(this.fresh(hasGrant(question), isGrouped(question)));
			for (const other of this.others) engine.respond(other);
			return engine.time(question);
		});
		return Math.max(again, Math.min(firstMs, anew));
	}

	/** Answers random questions for `leastMs`, as a server does when it starts, from another snapshot. */
	warmUp(seed: number, leastMs = WARM_UP_MS): void {
		const engine = new EngineSubject(this.fresh(true));
		const source = ValueSource.seeded(engine.snapshot, seed, 2);
		const from = performance.now();
		do engine.respond(randomOfAnyKind(source));
		while (performance.now() - from < leastMs);
	}

	/**
	 * A snapshot; `precomputed`: with what a server's warm-up precomputes, most of it for grants, in a tenth of a second; `groups`:
	 * also what it does for aggregates and offices, in half a second.
	 */
	private fresh(precomputed: boolean, groups = true): Snapshot {
		const snapshot = new Snapshot(this.files, this.scratch, this.rowGzip);
		if (precomputed) for (const _ of snapshot.precompute({ groups }));
		return snapshot;
	}
}

/**
 * The slowest questions found within `seconds`, slowest first. Each kind has its own finds, since their costs are not
 * comparable.
 */
export function hunt(month: HuntedMonth, seconds: number, seed: number): Find[] {
	const source = ValueSource.seeded(month.snapshot, seed, 0);
	const deadline = performance.now() + seconds * 1000;
	const pools = new Map<AnyQuestion["kind"], Find[]>();
	const random = new Map<string, RandomTimes>();
	let asked = 0;
	while (performance.now() < deadline) {
		const drawn = randomOfAnyKind(source);
		const finds = pools.get(drawn.kind) ?? [];
		const isFull = finds.length === FINDS_KEPT;
		const question =
			isFull && !source.draw.oneIn(3) ? mutate(source.draw.pick(finds).question, source) : drawn;
		asked++;
		const key = classOf(question);
		const twin = finds.find((f) => classOf(f.question) === key);
		const least = twin?.ms ?? (isFull ? (finds.at(-1)?.ms ?? 0) : 0);
		// Most are faster than what is kept, and asked once.
		const firstMs = month.time(question);
		if (question === drawn) {
			const group = groupOf(question);
			const times = random.get(group) ?? { first: [], again: [] };
			times.first.push(firstMs);
			times.again.push(month.time(question));
			random.set(group, times);
		}
		if (firstMs < least) continue;
		const ms = month.firstTime(question, firstMs);
		if (ms < least) continue;
		const kept = [...finds.filter((f) => f !== twin), { question, ms }].sort((a, b) => b.ms - a.ms);
		pools.set(drawn.kind, kept.slice(0, FINDS_KEPT));
	}
	tell(
		`${asked} questions of hunt seed ${seed}; those not derived from the slowest, first asked / asked again:`,
	);
	for (const [group, { first, again }] of random)
		tell(toldLatency(group, percentiles(first), percentiles(again)));
	return [...pools.values()].flat().sort((a, b) => b.ms - a.ms);
}

/** Searches of names have a bound of their own. */
function groupOf(question: AnyQuestion): string {
	const list = question.kind === "gzip" ? question.list : question;
	const isByName = "query" in list && list.query.filters.name !== undefined;
	return isByName ? `${question.kind} by name` : question.kind;
}

/** What asking again at once takes bounds what a faster engine could gain the first time: caches have all that it reads. */
function toldLatency(group: string, first: Percentiles, again: Percentiles): string {
	const both = (of: "p50" | "p99" | "max") => `${milliseconds(first[of])} / ${milliseconds(again[of])} ms`;
	return `${group}: ${first.n}, p50 ${both("p50")}, p99 ${both("p99")}, max ${both("max")}`;
}

function leastOf(times: number, measured: () => number): number {
	return Math.min(...Array.from({ length: times }, measured));
}

/** Whether an answer has groups. */
function isGrouped({ kind }: AnyQuestion): boolean {
	return kind === "aggregate" || kind === "offices";
}

/** The slowest of each kind, at most {@link FINDS_TOLD}. */
function slowestOfEachKind(finds: readonly Find[]): Find[] {
	const kinds = [...new Set(finds.map(({ question }) => question.kind))];
	return kinds.flatMap((kind) => finds.filter(({ question }) => question.kind === kind).slice(0, FINDS_TOLD));
}

/** Which filters, sort columns and output a question has. Of each such class only the slowest is kept. */
function classOf(question: AnyQuestion): string {
	switch (question.kind) {
		case "suggest": {
			const { field, state, geography, prefix } = question.request;
			return [field, state !== null, geography !== null, prefix.length].join();
		}
		case "aggregate":
			return [...question.request.by, (question.geography ?? null) !== null].join();
		case "stats":
			return [question.geography?.countries.length, question.geography?.states.length].join();
		case "offices": {
			const { like, sort } = question.request;
			return [like !== null, sort, ...Object.keys(question.filters).sort()].join();
		}
		case "verify":
			return [
				question.licenses.length,
				question.projection.columns.length,
				question.projection.masked,
			].join();
		case "history":
		case "row": {
			const { columns, masked } = question.projection;
			return [
				question.kind,
				question.kind === "history" && question.geography !== null,
				columns.length,
				masked,
			].join();
		}
		case "gzip":
			return classOf(question.list);
		default: {
			const { filters, sort, order, geography } = question.query;
			const { columns, masked } = question.projection;
			const output = [question.format, columns.length, masked, geography !== null];
			return [...Object.keys(filters).sort(), ...sort, order, ...output].join();
		}
	}
}

function hasGrant(question: AnyQuestion): boolean {
	switch (question.kind) {
		case "row":
			return false;
		case "gzip":
			return hasGrant(question.list);
		case "list":
		case "walk":
			return question.query.geography !== null;
		case "suggest":
			return question.request.geography !== null;
		default:
			return (question.geography ?? null) !== null;
	}
}

function formatFind(snapshot: Snapshot, { question, ms }: Find): string {
	const list = question.kind === "gzip" ? question.list : question;
	const plan = list.kind === "list" ? formatAnalysis(snapshot.analyze(list.query)) : "";
	return `${milliseconds(ms)} ms  ${describe(question)}\n${plan}\n`;
}
