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
import { milliseconds } from "../measure/samples.js";
import { type AnyQuestion, describe } from "../shapes/index.js";
import { mutate, randomOfAnyKind } from "../shapes/random-question.js";
import { ValueSource } from "../shapes/value-source.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface WorstFlags extends DataFlags {
	readonly seconds: number;
	readonly huntSeed: number;
	readonly json: boolean;
}

interface Find {
	readonly question: AnyQuestion;
	readonly ms: number;
}

const FINDS_KEPT = 40;
const FINDS_TOLD = 10;
/**
 * Times that a question is asked for the first time before the least is reported, so that noise and compilation are not
 * findings: each time of a snapshot that has answered others, and nothing of this question's selection.
 */
const REPEATS = 4;
/** Others that such a snapshot has answered, as one of a server has: it opens what it needs when that is first needed. */
const OTHERS = 40;

export function worstCommand(): Command {
	const command = new Command("worst")
		.description(
			"hunt for the slowest valid queries; print the ten worst of each kind (lists, compressed lists, pages by cursor, suggestions, aggregates, statistics, offices, verifications, histories), each by the least of four first times, and what lists did",
		)
		.option("--seconds <n>", "how long to hunt", wholeNumber, 600)
		.option("--hunt-seed <n>", "seed of the hunt", wholeNumber, 1)
		.option("--json", "print the finds as one JSON document", false);
	return withDataOptions(command).action(async (flags: WorstFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const ground = new HuntingGround(openFiles(data), flags.huntSeed);
		const finds = slowestOfEachKind(hunt(ground, flags.seconds, flags.huntSeed));
		if (flags.json) process.stdout.write(`${JSON.stringify(finds)}\n`);
		else for (const find of finds) process.stdout.write(formatFind(ground.snapshot, find));
	});
}

/** Snapshots of one month's files that share the memory they work in, as a server's months do. */
export class HuntingGround {
	readonly snapshot: Snapshot;
	private readonly scratch = new Scratch();
	private readonly rowGzip = new RowGzip();
	private readonly known: EngineSubject;
	private readonly others: readonly AnyQuestion[];

	constructor(
		private readonly files: SnapshotFiles,
		seed: number,
	) {
		this.snapshot = this.fresh();
		this.known = new EngineSubject(this.snapshot);
		const source = ValueSource.seeded(this.snapshot, seed, 1);
		this.others = Array.from({ length: OTHERS }, () => randomOfAnyKind(source));
	}

	/** Milliseconds of a question, of a snapshot that has answered all before. */
	time(question: AnyQuestion): number {
		return this.known.time(question);
	}

	/** Milliseconds of a question that is asked for the first time: the least of {@link REPEATS} snapshots. */
	firstTime(question: AnyQuestion): number {
		let least = Number.POSITIVE_INFINITY;
		for (let i = 0; i < REPEATS; i++) {
			const engine = new EngineSubject(this.fresh());
			for (const other of this.others) engine.respond(other);
			least = Math.min(least, engine.time(question));
		}
		return least;
	}

	private fresh(): Snapshot {
		return new Snapshot(this.files, this.scratch, this.rowGzip);
	}
}

/**
 * The slowest questions found within `seconds`, slowest first. Each kind has its own finds, since their costs are not
 * comparable.
 */
export function hunt(ground: HuntingGround, seconds: number, seed: number): Find[] {
	const source = ValueSource.seeded(ground.snapshot, seed, 0);
	const deadline = performance.now() + seconds * 1000;
	const pools = new Map<AnyQuestion["kind"], Find[]>();
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
		if (ground.time(question) < least) continue;
		const ms = ground.firstTime(question);
		if (ms < least) continue;
		const kept = [...finds.filter((f) => f !== twin), { question, ms }].sort((a, b) => b.ms - a.ms);
		pools.set(drawn.kind, kept.slice(0, FINDS_KEPT));
	}
	tell(`${asked} questions of hunt seed ${seed}`);
	return [...pools.values()]
		.flat()
		.map(({ question }) => ({ question, ms: ground.firstTime(question) }))
		.sort((a, b) => b.ms - a.ms);
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

function formatFind(snapshot: Snapshot, { question, ms }: Find): string {
	const list = question.kind === "gzip" ? question.list : question;
	const plan = list.kind === "list" ? formatAnalysis(snapshot.analyze(list.query)) : "";
	return `${milliseconds(ms)} ms  ${describe(question)}\n${plan}\n`;
}
