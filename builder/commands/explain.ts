/** `builder explain`: prints a query's plan and, with `--analyze`, its execution. */

import { Command } from "commander";
import {
	type ChangesAnalysis,
	type ChangesPlan,
	formatAnalysis,
	formatChangesAnalysis,
	formatChangesPlan,
	formatPlan,
	type Library,
	openLibrary,
	openSnapshot,
	type Snapshot,
} from "../../engine/index.js";
import { printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { openPublished } from "../published-months.js";
import { type AskedChanges, parseChangesText } from "./changes-text.js";
import { parseQueryText } from "./query-text.js";

interface Flags {
	data: string;
	analyze: boolean;
	changes: boolean;
	json: boolean;
}

export function explainCommand(): Command {
	return new Command("explain")
		.description("print the plan of a query")
		.argument("<query>", "query string of /v1/licenses, such as 'state=CA&sort=office_name'")
		.requiredOption("--data <dir>", "data folder")
		.option("--changes", "the query is one of /v1/changes, such as 'from=2026-09&state=FL&kind=gone'", false)
		.option("--analyze", "also execute it, and print each step's estimate, rows read and time", false)
		.option("--json", "print one JSON document", false)
		.action((text: string, flags: Flags) => (flags.changes ? explainChanges : explainRows)(text, flags));
}

function explainRows(text: string, flags: Flags): void {
	const { month, query } = parseQueryText(text, ["page", "limit", "count", "fields", "format"]);
	const snapshot = openSnapshot(openPublished(flags.data, month));
	if (flags.analyze) {
		const analysis = snapshot.analyze(query);
		if (flags.json) printJson(analysis);
		else process.stdout.write(formatAnalysis(analysis));
		return;
	}
	const plan = snapshot.explain(query);
	if (flags.json) printJson(plan);
	else process.stdout.write(formatPlan(plan));
}

function explainChanges(text: string, flags: Flags): void {
	const asked = parseChangesText(text);
	const library = openLibrary({ dataFolder: flags.data, hugePages: false });
	const [from, to] = monthsOf(asked, library);
	const plan = library.explainChanges(from, to, asked.query);
	if (!flags.analyze || plan.source === "missing") {
		if (flags.json) printJson(plan);
		else process.stdout.write(formatChangesPlan(plan));
		return;
	}
	const analysis = analyzeChanges(library, from, to, asked, plan);
	if (flags.json) printJson(analysis);
	else process.stdout.write(formatChangesAnalysis(analysis));
}

function analyzeChanges(
	library: Library,
	from: Snapshot,
	to: Snapshot,
	{ query }: AskedChanges,
	plan: ChangesPlan,
): ChangesAnalysis {
	const startedMs = performance.now();
	const set = library.changes(from, to);
	const foundMs = performance.now();
	const { totals, runs } = set.query(query);
	const ms = { find: foundMs - startedMs, query: performance.now() - foundMs };
	return { plan, totals, entries: runs.reduce((sum, { rows }) => sum + rows.length, 0), ms };
}

/** The months asked for. Throws {@link BuildError} for one that is not published. */
function monthsOf({ from, to }: AskedChanges, library: Library): [Snapshot, Snapshot] {
	const newer = to === null ? library.latest : library.find(to);
	const older =
		from === null ? library.snapshots.find(({ month }) => month < (newer?.month ?? "")) : library.find(from);
	if (newer == null)
		throw new BuildError("not_published", to === null ? "no month is published" : `${to} is not published`);
	if (older === undefined)
		throw new BuildError("not_published", `${from ?? `a month before ${newer.month}`} is not published`);
	if (older.month >= newer.month)
		throw new BuildError("bad_query", `from ${older.month} is not before to ${newer.month}`);
	return [older, newer];
}
