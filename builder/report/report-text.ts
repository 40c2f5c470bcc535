/** A build's report as text for a terminal. */

import { printable } from "../../formats/index.js";
import { formatBytes, formatTable } from "../command-line.js";
import { type BuildReport, type Comparison, columnText, outcomeText } from "./build-report.js";

/** States shown as moved, vocabulary changes and rejected reasons shown. */
const LISTED_MAX = 10;
/** Samples shown of an oddity; the page has the others. */
const ODD_SAMPLES_SHOWN_MAX = 2;
/** Minimum relative change of a state's rows for it to be shown. */
const SHOWN_CHANGE = 0.05;

/** The report; ends with a line end. */
export function reportText(report: BuildReport): string {
	const { comparison } = report;
	const against = comparison?.previous == null ? "" : `, compared with ${comparison.previous}`;
	const parts = [
		`${report.month}: ${count(report.rows)} rows, ${formatBytes(report.bytes)}, ` +
			`${outcomeText(report)}${against}`,
		formatTable(
			["source", "rows", "rejects", "size"],
			report.sources.map((s) => [s.file, s.rows, s.rejects, formatBytes(s.bytes)]),
		),
		...rejects(report),
		...oddities(report),
		...oddValues(report),
		...oddityRemedies(report),
		...enriched(report),
		...(comparison === null ? [] : compared(comparison)),
		...churned(report),
		...unmapped(report),
		gates(report),
		stages(report),
	];
	return `${parts.join("\n\n")}\n`;
}

function count(value: number): string {
	return value.toLocaleString("en-US");
}

function rejects({ rejects, rejectFile }: BuildReport): string[] {
	if (rejects.rows === 0) return [];
	const reasons = rejects.reasons.map(({ reason, rows, samples: [first] }) => [
		reason,
		rows,
		`${first.file}:${first.line}${first.column === null ? "" : ` ${first.column}`}`,
	]);
	const remedies = rejects.reasons.flatMap(({ reason, remedy }) =>
		remedy === null ? [] : [printable(`${reason}: ${remedy}`)],
	);
	const table = formatTable(["rejected for", "rows", "first at"], reasons);
	return [[table, ...remedies, `reject file: ${rejectFile}`].join("\n")];
}

function oddValues({ oddValues }: BuildReport): string[] {
	if (oddValues.length === 0) return [];
	const rows = oddValues.map((o) => [o.kind, o.column, o.state ?? "", o.rows, o.samples.join(", ")]);
	return [formatTable(["odd values", "column", "state", "rows", "such as"], rows)];
}

function oddities({ oddities }: BuildReport): string[] {
	if (oddities.length === 0) return [];
	const rows = oddities.map((o) => [o.kind, columnText(o), o.count, o.file]);
	const samples = oddities.flatMap(({ kind, file, samples = [] }) =>
		samples
			.slice(0, ODD_SAMPLES_SHOWN_MAX)
			.map(({ line, text }) => printable(`${kind}, ${file}, line ${line}: ${text}`)),
	);
	return [[formatTable(["oddity", "column", "count", "file"], rows), ...samples].join("\n")];
}

function oddityRemedies({ oddityRemedies }: BuildReport): string[] {
	if (oddityRemedies.length === 0) return [];
	return [oddityRemedies.map(({ kind, remedy }) => printable(`${kind}: ${remedy}`)).join("\n")];
}

/** States by their numbers of new and gone licenses. */
function churned({ churn }: BuildReport): string[] {
	if (churn === null) return [];
	const states = churn.states
		.filter((state) => state.new + state.gone > 0)
		.sort((a, b) => b.new + b.gone - a.new - a.gone)
		.slice(0, LISTED_MAX)
		.map((state) => [state.state, state.before, state.rows, state.new, state.gone, state.changed]);
	const { totals } = churn;
	const head = `licenses since ${churn.previous}: ${count(totals.new)} new, ${count(totals.gone)} gone, ${count(totals.changed)} changed`;
	if (states.length === 0) return [head];
	return [`${head}\n${formatTable(["state", "before", "rows", "new", "gone", "changed"], states)}`];
}

/** Wordings without a group. */
function unmapped({ unmapped, unlistedUnmapped }: BuildReport): string[] {
	if (unmapped.length === 0) return [];
	const rows = unmapped.map((u) => [u.column, u.state, u.text, u.rows]);
	return [listed(["group other", "state", "text", "rows"], rows, unlistedUnmapped)];
}

/** The matched rows, and the states with the lowest rates, compared with the previous month. */
function enriched({ enrichment, comparison }: BuildReport): string[] {
	if (enrichment === null) return [];
	const { contacts, used, repeated, ignored, unused, states } = enrichment;
	const before = new Map(comparison?.matched_email.map(({ state, previous }) => [state, previous]));
	const rates = states
		.map(({ state, rows, matched }) => ({ state, rows, matched, share: matched / rows }))
		.sort((a, b) => a.share - b.share)
		.map(({ state, rows, matched, share }) => {
			const last = before.get(state) ?? null;
			return [state, rows, matched, percent(share), last === null ? "none" : percent(last)];
		});
	const told = `${count(contacts)} contacts: ${count(used)} matched a row, ${count(unused)} none, ${count(repeated)} repeat a license, ${count(ignored)} are of no US license`;
	return [told, listed(["state", "rows", "matched", "share", "with e-mail last month"], rates)];
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

function compared(comparison: Comparison): string[] {
	const parts: string[] = [];
	const { states, vocabulary, unlisted_vocabulary, duplicates, odd_dates } = comparison;
	const moved = states
		.map(({ state, rows, previous }) => ({ state, rows, previous: previous ?? 0, before: previous }))
		.filter(({ rows, before }) => before !== null && Math.abs(rows - before) >= before * SHOWN_CHANGE)
		.sort((a, b) => Math.abs(b.rows - b.previous) - Math.abs(a.rows - a.previous))
		.map(({ state, rows, previous }) => [state, previous, rows, signedPercent((rows - previous) / previous)]);
	if (moved.length > 0) parts.push(listed(["state", "last month", "rows", "change"], moved));
	const words = vocabulary.map((v) => [v.change, v.state, v.column, v.value, v.rows]);
	if (words.length > 0)
		parts.push(listed(["value", "state", "column", "text", "rows"], words, unlisted_vocabulary));
	const facts = [`${count(duplicates.rows)} rows repeat another's license`];
	for (const { column, rows } of odd_dates) facts.push(`${count(rows)} dates of ${column} out of range`);
	parts.push(facts.join(", "));
	return parts;
}

/** The first `rows`, and how many more there are; `others`: those that are not among `rows`. */
function listed(header: string[], rows: (string | number)[][], others = 0): string {
	const more = rows.length + others - LISTED_MAX;
	return formatTable(header, rows.slice(0, LISTED_MAX)) + (more > 0 ? `\nand ${count(more)} more` : "");
}

function signedPercent(share: number): string {
	return `${share < 0 ? "" : "+"}${percent(share)}`;
}

function gates({ gates }: BuildReport): string {
	const named = (outcome: string) => gates.filter((g) => g.outcome === outcome);
	const lines = [`gates passed: ${names(named("passed"))}`];
	if (named("skipped").length > 0) lines.push(`not judged: ${names(named("skipped"))}`);
	for (const { gate, outcome, finding } of gates) {
		if (finding !== null) lines.push(`gate ${gate} ${outcome}: ${printable(finding)}`);
	}
	return lines.join("\n");
}

function names(gates: readonly { readonly gate: string }[]): string {
	return gates.length === 0 ? "none" : gates.map(({ gate }) => gate).join(", ");
}

function stages({ seconds }: BuildReport): string {
	return Object.entries(seconds)
		.map(([stage, value]) => `${stage} ${value.toFixed(1)} s`)
		.join(", ");
}
