/**
 * `bench scaling`: every shape over months of increasing size, with the exponent of its time in the
 * number of rows; and many months open at once.
 */

import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { DEFAULT_MONTH, DEFAULT_WORK_FOLDER, openSnapshot, prepareData } from "../data/bench-month.js";
import { drawQuestions } from "../measure/draw-questions.js";
import { EngineSubject } from "../measure/engine-subject.js";
import { measureOpening, openingText } from "../measure/opening.js";
import { milliseconds, percentiles } from "../measure/samples.js";
import { allShapes } from "../shapes/index.js";
import { tell, wholeNumber } from "./options.js";

interface ScalingFlags {
	readonly sizes: readonly number[];
	readonly months: number;
	readonly monthRows: number;
	readonly draws: number;
	readonly seed: number;
	readonly work: string;
	readonly json: boolean;
}

interface ShapeScaling {
	readonly shape: string;
	/** Median milliseconds by size. */
	readonly ms: readonly number[];
	/** Median bytes of the response by size. */
	readonly bytes: readonly number[];
	/** e where time grows as rows^e; null for a single size. */
	readonly exponent: number | null;
}

export function scalingCommand(): Command {
	return new Command("scaling")
		.description("measure every shape at several sizes, and many months open at once")
		.option("--sizes <rows,…>", "sizes of the month", sizes, [100_000, 1_000_000, 2_500_000, 10_000_000])
		.option("--months <n>", "months to open at once", wholeNumber, 24)
		.option("--month-rows <n>", "rows of each of these months", wholeNumber, 100_000)
		.option("--draws <n>", "questions of each shape, each asked once after as many others", wholeNumber, 100)
		.option("--seed <n>", "seed of the data and of the questions", wholeNumber, 7)
		.option("--work <dir>", "folder that data is kept in from run to run", DEFAULT_WORK_FOLDER)
		.option("--json", "print one JSON document", false)
		.action(async (flags: ScalingFlags) => {
			const shapes = await measureSizes(flags);
			const opening = await measureOpening(flags, tell);
			if (flags.json) process.stdout.write(`${JSON.stringify({ sizes: flags.sizes, shapes, opening })}\n`);
			else process.stdout.write(`${scalingTable(flags.sizes, shapes)}\n\n${openingText(opening)}\n`);
		});
}

function sizes(value: string): number[] {
	return value.split(",").map(wholeNumber);
}

async function measureSizes(flags: ScalingFlags): Promise<ShapeScaling[]> {
	const bySize: Map<string, { ms: number; bytes: number }>[] = [];
	for (const rows of flags.sizes) {
		const data = await prepareData({ ...flags, rows, months: [DEFAULT_MONTH] }, tell);
		const engine = new EngineSubject(openSnapshot(data));
		const figures = new Map<string, { ms: number; bytes: number }>();
		for (const shape of allShapes(engine.snapshot, flags.seed)) {
			const { questions, warming } = drawQuestions(shape, flags.draws);
			for (const question of warming.slice(0, flags.draws)) engine.respond(question);
			const times = questions.map((question) => engine.time(question));
			const sizesOfAnswers = questions.map((question) => engine.respond(question));
			figures.set(shape.name, { ms: percentiles(times).p50, bytes: percentiles(sizesOfAnswers).p50 });
		}
		tell(`${rows.toLocaleString("en-US")} rows measured`);
		bySize.push(figures);
	}
	return [...(bySize[0]?.keys() ?? [])].map((shape) => {
		const points = bySize.map((figures) => figures.get(shape) ?? { ms: Number.NaN, bytes: Number.NaN });
		const ms = points.map((p) => p.ms);
		return {
			shape,
			ms,
			bytes: points.map((p) => p.bytes),
			exponent: ms.length < 2 ? null : exponentOf(flags.sizes, ms),
		};
	});
}

/** Slope of the least-squares line through the logarithms. */
export function exponentOf(rows: readonly number[], times: readonly number[]): number {
	const x = rows.map(Math.log);
	const y = times.map(Math.log);
	const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
	const [xMean, yMean] = [mean(x), mean(y)];
	const above = x.reduce((sum, value, i) => sum + (value - xMean) * (y[i] - yMean), 0);
	const below = x.reduce((sum, value) => sum + (value - xMean) ** 2, 0);
	return above / below;
}

function scalingTable(rows: readonly number[], shapes: readonly ShapeScaling[]): string {
	const header = ["p50, ms", ...rows.map((n) => `${n.toLocaleString("en-US")} rows`), "time ~ rows^"];
	return formatTable(
		header,
		shapes.map((s) => [s.shape, ...s.ms.map(milliseconds), s.exponent?.toFixed(2) ?? "–"]),
	);
}
