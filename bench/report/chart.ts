/**
 * The benchmark's result as an SVG chart: one row per shape, a dot for the engine and each peer, on a
 * logarithmic scale.
 */

import { writeFileSync } from "node:fs";
import type { BenchDocument } from "./document.js";

const LABEL_WIDTH = 290;
const PLOT_WIDTH = 720;
const ROW_HEIGHT = 24;
const TOP = 64;
const BOTTOM = 40;
/** One for the engine and each peer that can be opened (peers/open-peers.ts); those of page-style.ts. */
const COLOURS = ["#0b6e4f", "#c8553d", "#3d5a80", "#b07d12", "#7a4f9a", "#557"];

/** Writes the chart of p50 (filled) and p99 (hollow) to `path`. */
export function writeChart(path: string, document: BenchDocument): void {
	writeFileSync(path, chart(document));
}

function chart({ shapes, rows, peers }: BenchDocument): string {
	const times = shapes.flatMap((s) => [s.engine, ...s.peers].flatMap((p) => [p.p50, p.p99]));
	const low = Math.floor(Math.log10(Math.min(...times)));
	const high = Math.ceil(Math.log10(Math.max(...times)));
	const x = (ms: number) => LABEL_WIDTH + ((Math.log10(ms) - low) / (high - low)) * PLOT_WIDTH;
	const height = TOP + shapes.length * ROW_HEIGHT + BOTTOM;
	const width = LABEL_WIDTH + PLOT_WIDTH + 40;
	const parts = [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="13">`,
		`<rect width="${width}" height="${height}" fill="white"/>`,
		`<text x="16" y="26" font-size="17">Milliseconds a response, ${rows.toLocaleString("en-US")} rows: p50 filled, p99 hollow</text>`,
		legend(["engine", ...peers.map((p) => p.name)]),
	];
	for (let exponent = low; exponent <= high; exponent++) {
		const at = x(10 ** exponent);
		parts.push(
			`<line x1="${at}" x2="${at}" y1="${TOP}" y2="${height - BOTTOM}" stroke="#ddd"/>`,
			`<text x="${at}" y="${height - BOTTOM + 18}" text-anchor="middle" fill="#555">${10 ** exponent}</text>`,
		);
	}
	shapes.forEach((figures, i) => {
		const y = TOP + i * ROW_HEIGHT + ROW_HEIGHT / 2;
		parts.push(
			`<text x="${LABEL_WIDTH - 12}" y="${y + 4}" text-anchor="end">${escaped(figures.shape)}</text>`,
		);
		[figures.engine, ...figures.peers].forEach(({ p50, p99 }, series) => {
			const colour = COLOURS[series];
			parts.push(
				`<line x1="${x(p50)}" x2="${x(p99)}" y1="${y}" y2="${y}" stroke="${colour}" opacity="0.5"/>`,
				`<circle cx="${x(p50)}" cy="${y}" r="5" fill="${colour}"/>`,
				`<circle cx="${x(p99)}" cy="${y}" r="4" fill="white" stroke="${colour}" stroke-width="1.5"/>`,
			);
		});
	});
	return `${parts.join("\n")}\n</svg>\n`;
}

function legend(names: readonly string[]): string {
	return names
		.map(
			(name, i) =>
				`<circle cx="${24 + i * 120}" cy="46" r="5" fill="${COLOURS[i]}"/>` +
				`<text x="${34 + i * 120}" y="50">${escaped(name)}</text>`,
		)
		.join("");
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
