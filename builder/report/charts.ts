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

const ROW_HEIGHT = 18;
const LABEL_WIDTH = 190;
const BAR_WIDTH = 420;
const TEXT_WIDTH = 290;

/** Horizontal bars, one a row, on one scale; `max` is the value of a full bar, by default the largest. */
export function barChart(bars: readonly Bar[], title: string, max?: number): string {
	const full = max ?? Math.max(1e-9, ...bars.flatMap(({ value, previous }) => [value, previous ?? 0]));
	const x = (value: number) => (Math.min(1, value / full) * BAR_WIDTH).toFixed(1);
	const rows = bars.map(({ label, value, previous, text, marked }, i) => {
		const y = i * ROW_HEIGHT;
		const tick =
			previous === null
				? ""
				: `<rect class="tick" x="${(LABEL_WIDTH + Number(x(previous)) - 1).toFixed(1)}" y="${y + 1}" width="2" height="${ROW_HEIGHT - 2}"/>`;
		return (
			`<text x="${LABEL_WIDTH - 8}" y="${y + 13}" text-anchor="end">${escapeMarkup(label)}</text>` +
			`<rect class="${marked === true ? "bar marked" : "bar"}" x="${LABEL_WIDTH}" y="${y + 3}" width="${x(value)}" height="${ROW_HEIGHT - 6}"/>` +
			`${tick}<text class="value" x="${LABEL_WIDTH + BAR_WIDTH + 8}" y="${y + 13}">${escapeMarkup(text)}</text>`
		);
	});
	return svg(title, LABEL_WIDTH + BAR_WIDTH + TEXT_WIDTH, bars.length * ROW_HEIGHT, rows.join("\n"));
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
