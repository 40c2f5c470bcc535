/** A build's report as Markdown, short enough for a message in a chat: totals, gates, states and columns that moved. */

import { printable } from "../../formats/index.js";
import { type BuildReport, columnText, outcomeText } from "./build-report.js";

/** Rows of each table. */
const LISTED_MAX = 15;
/** Characters of a cell. */
const CELL_MAX = 200;

/** The report. */
export function reportMarkdown(report: BuildReport): string {
	const { month, rows, rejects, churn } = report;
	const since =
		churn === null
			? ""
			: `; against ${churn.previous}: ${count(churn.totals.new)} new, ${count(churn.totals.gone)} gone, ${count(churn.totals.changed)} changed`;
	const parts = [
		`**${month}: ${outcomeText(report)}** \u2013 ${count(rows)} rows, ${count(rejects.rows)} rejected${since}`,
		gates(report),
		...tables(report),
		oddityRemedies(report),
	];
	return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The field that changed in most licenses, and in how many. */
export function mostChanged(fields: Readonly<Record<string, number>>): string {
	const [most] = Object.entries(fields).sort((a, b) => b[1] - a[1]);
	return most === undefined ? "" : `${most[0]} ${count(most[1])}`;
}

function gates({ gates }: BuildReport): string {
	const found = gates.filter(({ finding }) => finding !== null);
	if (found.length === 0) return "All gates passed.";
	return found
		.map(({ gate, outcome, finding }) => `- gate \`${gate}\` ${outcome}: ${plain(finding ?? "")}`)
		.join("\n");
}

function oddityRemedies({ oddityRemedies }: BuildReport): string {
	return oddityRemedies.map(({ kind, remedy }) => `- ${plain(kind)}: ${plain(remedy)}`).join("\n");
}

function tables({ churn, rejects, oddities, oddValues }: BuildReport): string[] {
	const moved = (churn?.states ?? [])
		.filter((s) => s.new + s.gone + s.changed > 0)
		.sort((a, b) => b.new + b.gone + b.changed - a.new - a.gone - a.changed)
		.map((s) => [s.state, s.rows, s.new, s.gone, s.changed, mostChanged(s.fields)]);
	const columns = (churn?.fields ?? []).filter((f) => f.changed > 0).map((f) => [f.field, f.changed]);
	return [
		table(["state", "rows", "new", "gone", "changed", "most in"], moved),
		table(["column", "changed"], columns),
		table(
			["rejected for", "rows"],
			rejects.reasons.map((r) => [r.reason, r.rows]),
		),
		table(
			["oddity", "column", "count", "file"],
			oddities.map((o) => [o.kind, columnText(o), o.count, o.file]),
		),
		table(
			["odd values", "column", "state", "rows"],
			oddValues.map((o) => [o.kind, o.column, o.state ?? "", o.rows]),
		),
	];
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
	if (rows.length === 0) return "";
	const line = (cells: readonly (string | number)[]) =>
		`| ${cells.map((cell) => (typeof cell === "number" ? count(cell) : plain(cell))).join(" | ")} |`;
	const more = rows.length > LISTED_MAX ? `\nand ${count(rows.length - LISTED_MAX)} more` : "";
	return (
		[line(header), `|${"---|".repeat(header.length)}`, ...rows.slice(0, LISTED_MAX).map(line)].join("\n") +
		more
	);
}

/** Text that is no markup, on one line. */
function plain(text: string): string {
	const cut = text.length > CELL_MAX ? `${text.slice(0, CELL_MAX)}\u2026` : text;
	return printable(cut)
		.replaceAll(/[\\`*_[\]<>|~#!@]/g, "\\$&")
		.replaceAll(/\s+/g, " ");
}

function count(value: number): string {
	return value.toLocaleString("en-US");
}
