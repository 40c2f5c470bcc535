/** A build's report as one self-contained HTML page: charts as inline SVG, no scripts, nothing fetched. */

import { monthNumber, monthOfNumber } from "../../formats/index.js";
import type { Churn } from "../profile/churn.js";
import { type BuildReport, type Comparison, columnText, outcomeText } from "./build-report.js";
import { barChart, type Column, escapeMarkup, histogram } from "./charts.js";
import { mostChanged } from "./report-markdown.js";

/** Months shown in the expiry histogram before and after the snapshot's; what lies beyond is summed. */
const EXPIRY_MONTHS_BEFORE = 24;
const EXPIRY_MONTHS_AFTER = 60;
/** Rows of the vocabulary table. */
const VOCABULARY_ROWS_MAX = 200;
/** Samples shown of each reject reason. */
const SAMPLES_SHOWN_MAX = 5;
/** A state whose rows moved by more than this share stands out. */
const NOTABLE_CHANGE = 0.1;

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #667; --bar: #4a7ebb; --mark: #c8553d; --line: #d8dce2; --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #9aa3ad; --bar: #6ea0dc; --mark: #e5795f; --line: #3a4048; --paper: #16191d; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 960px; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; margin-bottom: .2em; } h2 { font-size: 1.1em; margin-top: 2em; border-bottom: 1px solid var(--line); }
p.sub, .value { color: var(--soft); } table { border-collapse: collapse; display: block; overflow-x: auto; max-width: 100%; } td, th { text-align: left; padding: 2px 12px 2px 0; vertical-align: top; }
td.n { text-align: right; font-variant-numeric: tabular-nums; } code { overflow-wrap: anywhere; white-space: pre-wrap; }
svg { max-width: 100%; } svg:not(.bars) { height: auto; } svg text { font: 11px system-ui, sans-serif; fill: var(--ink); } svg .value { fill: var(--soft); }
.bar { fill: var(--bar); } .marked { fill: var(--mark); } .tick { fill: var(--ink); }
.failed { color: var(--mark); font-weight: 600; } .accepted { color: var(--mark); } .skipped { color: var(--soft); }
@media (max-width: 640px) { body { margin: 1em auto; } svg:not(.bars) { min-width: 620px; } .chart { overflow-x: auto; } td, th { padding-right: 8px; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --bar: #4a7ebb; --mark: #c8553d; --line: #999; --paper: #fff; } body { max-width: none; margin: 0; font-size: 11px; } h2 { break-after: avoid; } tr, svg { break-inside: avoid; } table { display: table; } .bar, .tick { print-color-adjust: exact; } }`;

/** The page. */
export function reportPage(report: BuildReport): string {
	const { comparison } = report;
	const against = comparison?.previous ?? null;
	const sub = `${count(report.rows)} rows, ${outcomeText(report)}${against === null ? "" : `, against ${against}`}`;
	const sections = [
		section("Gates", gates(report)),
		section("Sources", sources(report)),
		...(comparison === null ? [] : comparisonSections(report.month, comparison)),
		section("New, gone and changed", churned(report)),
		section("Wordings without a group", unmapped(report)),
		section("Rejects", rejects(report)),
		section("Oddities", oddities(report)),
		section("Odd values", oddValues(report) + oddityRemedies(report)),
		section("Time by stage", stages(report)),
	];
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Build of ${escapeMarkup(report.month)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Build of ${escapeMarkup(report.month)}</h1>
<p class="sub">${escapeMarkup(sub)}</p>
${sections.join("\n")}
</body>
</html>
`;
}

function comparisonSections(month: string, comparison: Comparison): string[] {
	const legend = comparison.previous === null ? "" : `<p class="sub">The tick is ${comparison.previous}.</p>`;
	return [
		section("Rows by state", legend + states(comparison)),
		section("Share of nulls by column", legend + nulls(comparison)),
		section("Matched e-mails by state", legend + matches(comparison)),
		section("New and gone values", vocabulary(comparison)),
		section("Licenses by month of expiry", expiry(month, comparison)),
		section("Duplicates and dates", duplicates(comparison)),
	];
}

function section(title: string, content: string): string {
	return `<h2>${escapeMarkup(title)}</h2>\n${content}`;
}

function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
	const cell = (value: string | number) =>
		typeof value === "number" ? `<td class="n">${count(value)}</td>` : `<td>${escapeMarkup(value)}</td>`;
	const head = header.map((name) => `<th>${escapeMarkup(name)}</th>`).join("");
	const body = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`).join("\n");
	return `<table><tr>${head}</tr>\n${body}</table>`;
}

function count(value: number): string {
	return value.toLocaleString("en-US");
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)} %`;
}

function gates({ gates }: BuildReport): string {
	const rows = gates.map(
		({ gate, outcome, finding }) =>
			`<tr><td>${gate}</td><td class="${outcome}">${outcome}</td><td>${escapeMarkup(finding ?? "")}</td></tr>`,
	);
	return `<table>${rows.join("\n")}</table>`;
}

function sources({ sources }: BuildReport): string {
	return table(
		["file", "rows", "rejects", "bytes"],
		sources.map((s) => [s.file, s.rows, s.rejects, s.bytes]),
	);
}

function states({ states }: Comparison): string {
	const bars = states.map(({ state, rows, previous }) => {
		const moved = previous === null || previous === 0 ? null : (rows - previous) / previous;
		const how = moved === null ? "" : ` (${moved < 0 ? "" : "+"}${percent(moved)})`;
		return {
			label: state,
			value: rows,
			previous,
			text: `${count(rows)}${how}`,
			marked: moved !== null && Math.abs(moved) > NOTABLE_CHANGE,
		};
	});
	return barChart(bars, "Rows by state");
}

function nulls({ nulls }: Comparison): string {
	const bars = nulls.map(({ column, share, previous }) => ({
		label: column,
		value: share,
		previous,
		text: previous === null ? percent(share) : `${percent(share)} (was ${percent(previous)})`,
		marked: previous !== null && share - previous > NOTABLE_CHANGE,
	}));
	return barChart(bars, "Share of nulls by column", 1);
}

function matches({ matched_email }: Comparison): string {
	const bars = matched_email.map(({ state, share, previous }) => ({
		label: state,
		value: share,
		previous,
		text: previous === null ? percent(share) : `${percent(share)} (was ${percent(previous)})`,
		marked: previous !== null && previous - share > NOTABLE_CHANGE / 2,
	}));
	return barChart(bars, "Matched e-mails by state", 1);
}

function vocabulary({ vocabulary, unlisted_vocabulary, previous }: Comparison): string {
	if (previous === null) return "<p>There is no earlier month to compare with.</p>";
	if (vocabulary.length === 0) return "<p>Every status and type is as it was.</p>";
	const shown = vocabulary
		.slice(0, VOCABULARY_ROWS_MAX)
		.map((v) => [v.column, v.state, v.value, v.change, v.rows]);
	const more = vocabulary.length + unlisted_vocabulary - shown.length;
	return table(["column", "state", "value", "change", "rows"], shown) + withFewerRows(more);
}

function expiry(month: string, { expiry_months, expiration }: Comparison): string {
	const first = monthOfNumber(Math.max(0, monthNumber(month) - EXPIRY_MONTHS_BEFORE));
	const last = monthOfNumber(monthNumber(month) + EXPIRY_MONTHS_AFTER);
	const byMonth = new Map(expiry_months.map(({ month, rows }) => [month, rows]));
	const sum = (keep: (other: string) => boolean) =>
		expiry_months.filter((m) => keep(m.month)).reduce((total, { rows }) => total + rows, 0);
	const columns: Column[] = [{ label: "before", value: sum((m) => m < first) }];
	for (let n = monthNumber(first); n <= monthNumber(last); n++) {
		const name = monthOfNumber(n);
		columns.push({ label: name, value: byMonth.get(name) ?? 0, marked: name === month });
	}
	columns.push({ label: "after", value: sum((m) => m > last) });
	const buckets = table(
		["bucket", "rows", "last month"],
		expiration.map(({ bucket, rows, previous }) => [bucket, rows, previous ?? "none"]),
	);
	return histogram(columns, "Licenses by month of expiry", 12) + buckets;
}

function duplicates({ duplicates, odd_dates }: Comparison): string {
	const before = duplicates.previous === null ? "" : `, ${count(duplicates.previous)} last month`;
	const told = `<p>${count(duplicates.rows)} rows repeat the state and license number of another${before}.</p>`;
	if (odd_dates.length === 0) return `${told}<p>No date lies out of a sane range.</p>`;
	return (
		told +
		table(
			["dates out of a sane range", "rows"],
			odd_dates.map((d) => [d.column, d.rows]),
		)
	);
}

function rejects({ rejects, rejectFile }: BuildReport): string {
	if (rejects.rows === 0) return "<p>None.</p>";
	const bars = rejects.reasons.map(({ reason, rows }) => ({
		label: reason,
		value: rows,
		previous: null,
		text: count(rows),
	}));
	const samples = rejects.reasons.flatMap(({ samples }) =>
		samples
			.slice(0, SAMPLES_SHOWN_MAX)
			.map(
				(s) =>
					`<tr><td>${s.reason}</td><td>${escapeMarkup(s.file)}</td><td class="n">${s.line}</td>` +
					`<td>${escapeMarkup(s.column ?? "")}</td><td><code>${escapeMarkup(s.raw)}</code></td></tr>`,
			),
	);
	return (
		`<p>${count(rejects.rows)} rows, all of them in ${escapeMarkup(rejectFile)}.</p>` +
		barChart(bars, "Rejects by reason") +
		remedies(rejects) +
		`<table><tr><th>reason</th><th>file</th><th>line</th><th>column</th><th>record</th></tr>${samples.join("\n")}</table>`
	);
}

function remedies({ reasons }: BuildReport["rejects"]): string {
	const mended = reasons.flatMap(({ reason, remedy }) => (remedy === null ? [] : [[reason, remedy]]));
	return mended.length === 0 ? "" : table(["reason", "remedy"], mended);
}

function churned({ churn }: BuildReport): string {
	if (churn === null) return "<p>No earlier month to compare with.</p>";
	const { totals, states } = churn;
	return (
		`<p>Licenses since ${churn.previous}: ${count(totals.new)} new, ${count(totals.gone)} gone, ${count(totals.changed)} changed.</p>` +
		table(
			["state", "rows before", "rows", "new", "gone", "changed", "most in"],
			states.map((s) => [s.state, s.before, s.rows, s.new, s.gone, s.changed, mostChanged(s.fields)]),
		) +
		changedFields(churn)
	);
}

function changedFields({ fields }: Churn): string {
	const changed = fields.filter((field) => field.changed > 0);
	if (changed.length === 0) return "<p>No tracked column changed.</p>";
	const bars = changed.map((f) => ({
		label: f.field,
		value: f.changed,
		previous: null,
		text: count(f.changed),
	}));
	return barChart(bars, "Changed licenses by column");
}

function unmapped({ unmapped, unlistedUnmapped }: BuildReport): string {
	if (unmapped.length === 0) return "<p>None.</p>";
	const rows = unmapped.map((u) => [u.column, u.state, u.text, u.rows]);
	return table(["column", "state", "text", "rows"], rows) + withFewerRows(unlistedUnmapped);
}

function withFewerRows(more: number): string {
	return more > 0 ? `<p>and ${count(more)} more with fewer rows</p>` : "";
}

function oddities({ oddities }: BuildReport): string {
	if (oddities.length === 0) return "<p>None.</p>";
	const found = table(
		["oddity", "column", "count", "file"],
		oddities.map((o) => [o.kind, columnText(o), o.count, o.file]),
	);
	const samples = oddities.flatMap(({ kind, file, samples = [] }) =>
		samples.map(({ line, text }) => [kind, file, String(line), text]),
	);
	return found + (samples.length === 0 ? "" : table(["oddity", "file", "line", "text"], samples));
}

function oddValues({ oddValues }: BuildReport): string {
	if (oddValues.length === 0) return "<p>None.</p>";
	return table(
		["what", "column", "state", "rows", "such as"],
		oddValues.map((o) => [o.kind, o.column, o.state ?? "", o.rows, o.samples.join(" \u00b7 ")]),
	);
}

function oddityRemedies({ oddityRemedies }: BuildReport): string {
	if (oddityRemedies.length === 0) return "";
	return table(
		["what", "remedy"],
		oddityRemedies.map(({ kind, remedy }) => [kind, remedy]),
	);
}

function stages({ seconds }: BuildReport): string {
	const bars = Object.entries(seconds).map(([stage, value]) => ({
		label: stage,
		value,
		previous: null,
		text: `${value.toFixed(2)} s`,
	}));
	return barChart(bars, "Time by stage");
}
