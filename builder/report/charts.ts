/** Charts as inline SVG: plain functions from numbers to markup, no scripts, nothing fetched. */

/** Text as HTML or SVG holds it. */
export function escapeMarkup(text: string): string {
	return text
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}

export interface Bar {
	readonly label: string;
	readonly value: number;
	/** Drawn as a tick; null for none. */
	readonly previous: number | null;
	/** What is written after the bar. */
	readonly text: string;
	/** Whether the bar stands out. */
	readonly marked?: boolean;
}

/** A line of text and a bar below it. */
const ROW_HEIGHT = 28;
const BAR_TOP = 15;
const BAR_HEIGHT = 9;

/**
 * Horizontal bars, each under its label, on one scale; `max` is the value of a full bar, by default the largest.
 * As wide as the page, whose text it leaves at its size: readable on a phone.
 */
export function barChart(bars: readonly Bar[], title: string, max?: number): string {
	const full = max ?? Math.max(1e-9, ...bars.flatMap(({ value, previous }) => [value, previous ?? 0]));
	const share = (value: number) => `${(Math.min(1, value / full) * 99.5).toFixed(2)}%`;
	const rows = bars.map(({ label, value, previous, text, marked }, i) => {
		const y = i * ROW_HEIGHT;
		const tick =
			previous === null
				? ""
				: `<rect class="tick" x="${share(previous)}" y="${y + BAR_TOP - 2}" width="2" height="${BAR_HEIGHT + 4}"/>`;
		return (
			`<text y="${y + 11}">${escapeMarkup(label)} <tspan class="value" dx="4">${escapeMarkup(text)}</tspan></text>` +
			`<rect class="${marked === true ? "bar marked" : "bar"}" y="${y + BAR_TOP}" width="${share(value)}" height="${BAR_HEIGHT}"/>${tick}`
		);
	});
	const height = bars.length * ROW_HEIGHT;
	return `<div class="chart"><svg class="bars" role="img" aria-label="${escapeMarkup(title)}" width="100%" height="${height}">\n${rows.join("\n")}\n</svg></div>`;
}

export interface Column {
	readonly label: string;
	readonly value: number;
	readonly marked?: boolean;
}

const HISTOGRAM_HEIGHT = 160;
const AXIS_HEIGHT = 22;

/** A column chart; every `labelEvery`th column is labelled, and each has its value as a tooltip. */
export function histogram(columns: readonly Column[], title: string, labelEvery: number): string {
	const full = Math.max(1, ...columns.map(({ value }) => value));
	const width = Math.max(3, Math.floor(900 / Math.max(1, columns.length)));
	const parts = columns.map(({ label, value, marked }, i) => {
		const height = (value / full) * HISTOGRAM_HEIGHT;
		const tip = `<title>${escapeMarkup(`${label}: ${value.toLocaleString("en-US")}`)}</title>`;
		const name =
			i % labelEvery === 0
				? `<text x="${i * width}" y="${HISTOGRAM_HEIGHT + 15}">${escapeMarkup(label)}</text>`
				: "";
		return (
			`<rect class="${marked === true ? "bar marked" : "bar"}" x="${i * width}" y="${(HISTOGRAM_HEIGHT - height).toFixed(1)}" ` +
			`width="${width - 1}" height="${height.toFixed(1)}">${tip}</rect>${name}`
		);
	});
	return svg(title, columns.length * width + 60, HISTOGRAM_HEIGHT + AXIS_HEIGHT, parts.join("\n"));
}

function svg(title: string, width: number, height: number, content: string): string {
	return `<div class="chart"><svg role="img" aria-label="${escapeMarkup(title)}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">\n${content}\n</svg></div>`;
}
