/**
 * A static page drawn from the results of machines: one HTML document without scripts and without anything loaded from
 * elsewhere. For each machine, its shapes with each system's times, a strip of them on a logarithmic scale and the
 * ratio of the best other system to ours, which is coloured and in words of the table's head.
 */

import { escapeHtml } from "../../server/pages/html.js";
import { REPEATS_MARKS } from "../measure/draw-questions.js";
import { milliseconds } from "../measure/samples.js";
import { PAGE_STYLE } from "./page-style.js";
import { type EngineResults, type HttpResults, type MachineResults, OWN_SYSTEM } from "./results.js";

type Figures = EngineResults["systems"][number]["result"][number];

/** How many times as fast as the best other system every shape is to be. */
const TIMES_WANTED = 10;
/** Milliseconds that no shape's p99 is to exceed. */
const P99_MS_WANTED = 2;
/** Width of the strip, in its own units. */
const STRIP_WIDTH = 160;

/** The page over `machines`, in their order. */
export function resultsPage(machines: readonly MachineResults[]): string {
	const sections = machines.map((machine, i) => machineSection(machine, `machine-${i + 1}`));
	return [
		'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
		'<meta name="viewport" content="width=device-width, initial-scale=1">',
		'<meta name="color-scheme" content="light dark">',
		`<title>Rollcall: benchmark results</title>\n<style>${PAGE_STYLE}</style>\n</head>\n<body>\n<main>`,
		"<h1>Benchmark results</h1>",
		"<p>Milliseconds from a question to the bytes of its response, in one process. Each question is asked once, " +
			"and each selection of rows, unless a shape is marked. p50, p99 and the maximum are of all questions. Ratios are the best " +
			`other system's time over ${OWN_SYSTEM}'s for the same questions: above 1, ${OWN_SYSTEM} is faster.</p>`,
		machines.length === 0 ? "<p>There are no results.</p>" : summaryTable(machines),
		...sections,
		"</main>\n</body>\n</html>\n",
	].join("\n");
}

/** A shape with its figures by system; ratios to the best other system, null where none was asked. */
interface ShapeLine {
	readonly shape: EngineResults["shapes"][number];
	readonly own: NonNullable<Figures> | null;
	readonly others: readonly Figures[];
	readonly times: { readonly p50: number; readonly p99: number } | null;
}

function linesOf({ shapes, systems }: EngineResults): ShapeLine[] {
	const own = systems.find(({ system }) => system === OWN_SYSTEM);
	const others = systems.filter((system) => system !== own);
	return shapes.map((shape, i) => {
		const ours = own?.result[i] ?? null;
		const ratios = others.flatMap((system) => {
			const [theirs, own] = [system.result[i], system.own[i]];
			return theirs === null || own === null ? [] : [{ p50: theirs[1] / own[1], p99: theirs[2] / own[2] }];
		});
		const least = (at: "p50" | "p99") => Math.min(...ratios.map((ratio) => ratio[at]));
		const times = ratios.length === 0 ? null : { p50: least("p50"), p99: least("p99") };
		return { shape, own: ours, others: others.map(({ result }) => result[i]), times };
	});
}

function summaryTable(machines: readonly MachineResults[]): string {
	const rows = machines.map(({ machine, engine }, i) => {
		const lines = engine === null ? [] : linesOf(engine);
		const compared = lines.filter((line) => line.times !== null);
		const mean = (at: "p50" | "p99") =>
			Math.exp(compared.reduce((sum, line) => sum + Math.log(line.times?.[at] ?? 1), 0) / compared.length);
		const below = compared.filter(
			({ times }) => times !== null && Math.min(times.p50, times.p99) < TIMES_WANTED,
		);
		const slow = lines.filter(({ own }) => own !== null && own[2] > P99_MS_WANTED);
		return row([
			`<th scope="row"><a href="#machine-${i + 1}">${escapeHtml(machine.name)}</a></th>`,
			cell(engine === null ? "–" : engine.rows.toLocaleString("en-US")),
			cell(String(lines.length)),
			...(["p50", "p99"] as const).map((at) => cell(compared.length === 0 ? "–" : timesText(mean(at)))),
			cell(compared.length === 0 ? "–" : `${below.length} of ${compared.length}`),
			cell(`${slow.length} of ${lines.length}`),
		]);
	});
	const heads = [
		"machine",
		"rows",
		"shapes",
		"× best other, p50, geometric mean",
		"p99",
		`below ${TIMES_WANTED} ×`,
		`p99 over ${P99_MS_WANTED} ms`,
	];
	return table("All machines", heads, rows);
}

function machineSection({ machine, engine, http }: MachineResults, id: string): string {
	const memory = (machine.memoryBytes / 2 ** 30).toFixed(0);
	return [
		`<section id="${id}">\n<h2>${escapeHtml(machine.name)}</h2>`,
		`<p>${escapeHtml(machine.cpu)}, ${machine.cores} cores, ${memory} GiB of memory, Node ${escapeHtml(machine.node)}</p>`,
		...(engine === null ? [] : [engineTable(engine)]),
		...(http === null ? [] : [httpTable(http)]),
		"</section>",
	].join("\n");
}

function engineTable(engine: EngineResults): string {
	const lines = linesOf(engine);
	const others = engine.systems.filter(({ system }) => system !== OWN_SYSTEM);
	const heads = [
		"shape",
		`${OWN_SYSTEM} p50`,
		"p99",
		"max",
		...(others.length === 0 ? [] : ["× best other, p50", "p99"]),
		...others.map(({ system, version }) => `${system} ${version}, p50 / p99`),
		"p50 and p99, logarithmic",
		"questions",
		"measured",
	];
	const shown = lines.flatMap(({ own, others: theirs }) => [own, ...theirs]).filter((f) => f !== null);
	const scale = logScale(shown.flatMap(([, p50, p99]) => [p50, p99]));
	const rows = lines.map(({ shape, own, others: theirs, times }) =>
		row([
			`<th scope="row" title="${escapeHtml(shape.about)}">${escapeHtml(shape.shape)}<small>${REPEATS_MARKS[shape.repeats]}</small></th>`,
			...[own?.[1], own?.[2], own?.[3]].map((ms) => cell(ms === undefined ? "–" : milliseconds(ms))),
			...(others.length === 0 ? [] : [ratioCell(times?.p50), ratioCell(times?.p99)]),
			...theirs.map((f) => cell(f === null ? "–" : theirTimes(f, own))),
			`<td>${strip([own, ...theirs], scale)}</td>`,
			cell(own === null ? "–" : String(own[0])),
			cell(`${shape.date.slice(0, 10)}${shape.commit === null ? "" : ` ${escapeHtml(shape.commit)}`}`),
		]),
	);
	return table(`The engine, ${engine.rows.toLocaleString("en-US")} rows of seed ${engine.seed}`, heads, rows);
}

function httpTable({ rows: monthRows, scenarios }: HttpResults): string {
	const heads = [
		"over HTTP",
		"requests / s",
		"of the constant's",
		"CPU µs / request",
		"of the constant's",
		"p50 ms",
		"p99 ms",
		"measured",
	];
	const rows = scenarios.map(({ name, subject, twin, ratios, date, commit }) =>
		row([
			`<th scope="row">${escapeHtml(name)}</th>`,
			cell(
				`${Math.round(subject.rate).toLocaleString("en-US")} / ${Math.round(twin.rate).toLocaleString("en-US")}`,
			),
			cell(ratios.rate.toFixed(2)),
			cell(`${subject.cpuUs.toFixed(1)} / ${twin.cpuUs.toFixed(1)}`),
			cell(ratios.cpu.toFixed(2)),
			...[subject.p50Us, subject.p99Us].map((us) => cell((us / 1000).toFixed(2))),
			cell(`${date.slice(0, 10)}${commit === null ? "" : ` ${escapeHtml(commit)}`}`),
		]),
	);
	return table(
		`The server on one core, ${monthRows.toLocaleString("en-US")} rows; ours / the HTTP library sending a constant`,
		heads,
		rows,
	);
}

function table(caption: string, heads: readonly string[], rows: readonly string[]): string {
	const head = heads.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join("");
	// Wide tables scroll by themselves; the page does not.
	return `<div class="wide" role="region" aria-label="${escapeHtml(caption)}" tabindex="0"><table>\n<caption>${escapeHtml(caption)}</caption>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table></div>`;
}

function row(cells: readonly string[]): string {
	return `<tr>${cells.join("")}</tr>`;
}

function cell(html: string): string {
	return `<td>${html}</td>`;
}

/** p50 and p99 of another system, with the number of its questions where these are fewer than ours. */
function theirTimes([n, p50, p99]: NonNullable<Figures>, own: Figures): string {
	const few = own !== null && n < own[0] ? ` of ${n}` : "";
	return `${milliseconds(p50)} / ${milliseconds(p99)}${few}`;
}

function ratioCell(times: number | undefined): string {
	if (times === undefined) return cell("–");
	const level = times >= TIMES_WANTED ? "good" : times >= 1 ? "fair" : "bad";
	return `<td class="${level}">${timesText(times)}</td>`;
}

function timesText(times: number): string {
	return times < 100 ? times.toFixed(1) : Math.round(times).toLocaleString("en-US");
}

/** From milliseconds to a place on the strip. */
function logScale(times: readonly number[]): (ms: number) => number {
	const low = Math.log10(Math.min(...times));
	const range = Math.log10(Math.max(...times)) - low || 1;
	return (ms) => Math.round(6 + ((Math.log10(ms) - low) / range) * (STRIP_WIDTH - 12));
}

/** Each system's p50 as a dot, joined with its p99; ours is the first. */
function strip(systems: readonly Figures[], scale: (ms: number) => number): string {
	const marks = systems.flatMap((figures, i) => {
		if (figures === null) return [];
		const y = 4 + i * 5;
		const [from, to] = [scale(figures[1]), scale(figures[2])];
		return `<g class="s${i}"><line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/><circle cx="${from}" cy="${y}" r="2.4"/></g>`;
	});
	const height = 3 + systems.length * 5;
	return `<svg width="${STRIP_WIDTH}" height="${height}" viewBox="0 0 ${STRIP_WIDTH} ${height}" aria-hidden="true">${marks.join("")}</svg>`;
}
