/**
 * `bench worst`: searches for the slowest valid lists, suggestions, aggregates, offices, verifications and licenses, of
 * any grant, projection and format, by random choice and by mutating the slowest known.
 */

import { Command } from "commander";
import { formatAnalysis } from "../../engine/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
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
 * Times a question is asked before its minimum is reported, so that noise and compilation are not
 * findings.
 */
const REPEATS = 4;

export function worstCommand(): Command {
	const command = new Command("worst")
		.description(
			"hunt for the slowest valid queries; print the ten worst of each kind (lists, suggestions, aggregates, offices, verifications, histories), each by its fastest of four runs, and what lists did",
		)
		.option("--seconds <n>", "how long to hunt", wholeNumber, 600)
		.option("--hunt-seed <n>", "seed of the hunt", wholeNumber, 1)
		.option("--json", "print the finds as one JSON document", false);
	return withDataOptions(command).action(async (flags: WorstFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const engine = new EngineSubject(openSnapshot(data));
		const finds = slowestOfEachKind(hunt(engine, flags.seconds, flags.huntSeed));
		if (flags.json) process.stdout.write(`${JSON.stringify(finds)}\n`);
		else for (const find of finds) process.stdout.write(formatFind(engine, find));
	});
}

/**
 * The slowest questions found within `seconds`, slowest first. Each kind has its own finds, since their costs are not
 * comparable.
 */
export function hunt(engine: EngineSubject, seconds: number, seed: number): Find[] {
	const source = ValueSource.seeded(engine.snapshot, seed, 0);
	const deadline = performance.now() + seconds * 1000;
	const pools = new Map<AnyQuestion["kind"], Find[]>();
	let asked = 0;
	while (performance.now() < deadline) {
		const drawn = randomOfAnyKind(source);
		const finds = pools.get(drawn.kind) ?? [];
		const known = finds.length === FINDS_KEPT && !source.draw.oneIn(3);
		const question = known ? mutate(source.draw.pick(finds).question, source) : drawn;
		asked++;
		const slowest = finds.at(-1)?.ms ?? 0;
		if (finds.length === FINDS_KEPT && engine.time(question) < slowest) continue;
		const ms = leastTime(engine, question);
		const key = classOf(question);
		const twin = finds.find((f) => classOf(f.question) === key);
		if (twin !== undefined && twin.ms >= ms) continue;
		const kept = [...finds.filter((f) => f !== twin), { question, ms }].sort((a, b) => b.ms - a.ms);
		pools.set(drawn.kind, kept.slice(0, FINDS_KEPT));
	}
	tell(`${asked} questions of hunt seed ${seed}`);
	return [...pools.values()]
		.flat()
		.map(({ question }) => ({ question, ms: leastTime(engine, question) }))
		.sort((a, b) => b.ms - a.ms);
}

/** The slowest of each kind, at most {@link FINDS_TOLD}. */
function slowestOfEachKind(finds: readonly Find[]): Find[] {
	const kinds = [...new Set(finds.map(({ question }) => question.kind))];
	return kinds.flatMap((kind) => finds.filter(({ question }) => question.kind === kind).slice(0, FINDS_TOLD));
}

/** Which filters, sort columns and output a question has. Of each such class only the slowest is kept. */
function classOf(question: AnyQuestion): string {
	if (question.kind === "suggest") {
		const { field, state, geography, prefix } = question.request;
		return [field, state !== null, geography !== null, prefix.length].join();
	}
	if (question.kind === "aggregate")
		return [...question.request.by, (question.geography ?? null) !== null].join();
	if (question.kind === "offices") {
		const { like, sort } = question.request;
		return [like !== null, sort, ...Object.keys(question.filters).sort()].join();
	}
	if (question.kind === "verify")
		return [question.licenses.length, question.projection.columns.length, question.projection.masked].join();
	if (question.kind !== "list") return question.kind;
	const { filters, sort, order, geography } = question.query;
	const { columns, masked } = question.projection;
	const output = [question.format, columns.length, masked, geography !== null];
	return [...Object.keys(filters).sort(), ...sort, order, ...output].join();
}

function leastTime(engine: EngineSubject, question: AnyQuestion): number {
	let least = Number.POSITIVE_INFINITY;
	for (let i = 0; i < REPEATS; i++) least = Math.min(least, engine.time(question));
	return least;
}

function formatFind(engine: EngineSubject, { question, ms }: Find): string {
	const plan = question.kind === "list" ? formatAnalysis(engine.snapshot.analyze(question.query)) : "";
	return `${milliseconds(ms)} ms  ${describe(question)}\n${plan}\n`;
}
