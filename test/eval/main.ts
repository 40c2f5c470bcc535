/**
 * `npm run eval [-- OPTIONS]`: has scripted policies answer everyday questions by the tools alone, and compares
 * with truths computed from the drops.
 *
 * --rows N         rows of each of three synthetic months; default: those of the baseline, with which it is compared
 * --seed N
 * --data DIR --drop MONTH=FILE …   published months and the drops they were built from, oldest first, instead
 * --forms          compare forms of rows by their tokens instead of answering
 * --write-baseline take the outcomes as the new baseline
 *
 * With ROLLCALL_EVAL_ENDPOINT (the address of a chat-completions API), ROLLCALL_EVAL_MODEL and, where the
 * endpoint asks for one, ROLLCALL_EVAL_KEY, a model answers the same questions, too (model.ts).
 */

import { parseArgs } from "node:util";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { BASELINE_MONTHS, readBaseline, worseThan, writeBaseline } from "./baseline.js";
import { evaluate, type Months, makeMonths, type Outcome, tasksOf } from "./evaluation.js";
import { compareForms } from "./forms.js";
import { evaluateModel, modelFrom } from "./model.js";
import { Session } from "./session.js";

/** What an everyday question should cost at most. */
const CALLS_MAX = 3;
const TOKENS_MAX = 3_000;

const { values } = parseArgs({
	options: {
		rows: { type: "string" },
		seed: { type: "string" },
		data: { type: "string" },
		drop: { type: "string", multiple: true },
		forms: { type: "boolean" },
		"write-baseline": { type: "boolean" },
	},
});

function given(): Months | null {
	if (values.data === undefined) return null;
	const drops = (values.drop ?? []).map((text) => {
		const [month, path] = text.split("=");
		return { month, path };
	});
	if (drops.length < 2) throw new TypeError("--data needs two or more --drop MONTH=FILE");
	return { data: values.data, drops, remove: () => undefined };
}

function report(outcomes: readonly Outcome[]): void {
	const kindOf = ({ name }: Outcome) => name.replace(/ \d+$/, "");
	for (const kind of new Set(outcomes.map(kindOf))) {
		const tasks = outcomes.filter((outcome) => kindOf(outcome) === kind);
		const right = tasks.filter(({ verdict }) => verdict === "right").length;
		const calls = Math.max(...tasks.map((task) => task.calls));
		const tokens = Math.max(...tasks.map((task) => task.tokens));
		const within = right === tasks.length && calls <= CALLS_MAX && tokens <= TOKENS_MAX;
		console.log(
			`${within ? "ok  " : "MISS"} ${kind}: ${right} of ${tasks.length} right, at most ${calls} calls, ${tokens} tokens`,
		);
		for (const { name, verdict, reason } of tasks)
			if (verdict !== "right") console.log(`     ${name} ${verdict}: ${reason}`);
	}
}

/** Compares the forms that rows could have. */
async function reportForms(data: string): Promise<void> {
	const served = await ServedFixture.start(ANY_TRANSPORT, { data });
	try {
		const outcomes = await compareForms(await Session.open(served, await served.key()));
		const least = Math.min(...outcomes.map(({ tokens }) => tokens));
		for (const { name, tokens, exact, together } of outcomes) {
			const ratio = (tokens / least).toFixed(2);
			const faults = [...(exact ? [] : ["not exact"]), ...(together ? [] : ["rows not together"])].join(", ");
			console.log(`${name}: ${tokens} tokens (${ratio} x the least)${faults === "" ? "" : `; ${faults}`}`);
		}
	} finally {
		await served.stop();
	}
}

const seed = Number(values.seed ?? BASELINE_MONTHS.seed);
const rows = Number(values.rows ?? BASELINE_MONTHS.rows);
const isBaseline =
	values.data === undefined && rows === BASELINE_MONTHS.rows && seed === BASELINE_MONTHS.seed;
const months = given() ?? (await makeMonths({ ...BASELINE_MONTHS, rows, seed }));
try {
	if (values.forms === true) await reportForms(months.data);
	else await answerTasks();
} finally {
	months.remove();
}

async function answerTasks(): Promise<void> {
	const tasks = await tasksOf(months, seed);
	const outcomes = await evaluate(months.data, tasks);
	report(outcomes);
	if (values["write-baseline"] === true) {
		if (!isBaseline) throw new TypeError("the baseline is taken over its own months");
		writeBaseline(outcomes);
	} else if (isBaseline) {
		const worse = worseThan(readBaseline(), outcomes);
		for (const line of worse) console.log(`worse: ${line}`);
		if (worse.length > 0) process.exitCode = 1;
	}
	const model = modelFrom(process.env);
	if (model === null) console.log("no model was asked: ROLLCALL_EVAL_ENDPOINT is not set");
	else await evaluateModel(model, months.data, tasks);
}
