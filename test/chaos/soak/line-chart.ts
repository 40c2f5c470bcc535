/** A line chart over time as one SVG picture, with what happened meanwhile marked. */

export interface ChartLine {
	readonly name: string;
	/** Seconds and values. */
	readonly points: readonly (readonly [number, number])[];
}

export interface LineChart {
	readonly title: string;
	readonly lines: readonly ChartLine[];
	readonly logarithmic: boolean;
	readonly events: readonly { readonly name: string; readonly fromS: number; readonly toS: number }[];
}

const WIDTH = 1040;
const HEIGHT = 280;
const LEFT = 64;
const RIGHT = 16;
const TOP = 74;
const BOTTOM = 30;
const COLOURS = ["#0b6e4f", "#c8553d", "#3d5a80"];
const TICKS = 5;

/** Smallest value that a logarithmic scale shows. */
const LEAST = 0.01;

interface Scales {
	x(seconds: number): number;
	y(value: number): number;
	readonly marks: readonly number[];
}

export function lineChart(chart: LineChart): string {
	const scales = scalesOf(chart);
	const { x, y, marks } = scales;
	const parts = [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
		`<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
		`<text x="${LEFT}" y="18" font-size="15">${escaped(chart.title)}</text>`,
		...chart.events.map(
			({ name, fromS, toS }, i) =>
				`<rect x="${x(fromS)}" width="${Math.max(1, x(toS) - x(fromS))}" y="${TOP}" height="${HEIGHT - TOP - BOTTOM}" fill="#e0a030" opacity="0.25"/>` +
				`<text x="${x(fromS)}" y="${TOP - 6 - (i % 3) * 12}" font-size="10" fill="#8a5a00">${escaped(name)}</text>`,
		),
		...marks.map(
			(mark) =>
				`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(mark)}" y2="${y(mark)}" stroke="#ddd"/>` +
				`<text x="${LEFT - 6}" y="${y(mark) + 4}" text-anchor="end" fill="#555">${Number(mark.toPrecision(3))}</text>`,
		),
		...timeMarks(chart, scales),
		...chart.lines.map(({ points }, i) => {
			const path = points.map(([s, v]) => `${x(s).toFixed(1)},${y(v).toFixed(1)}`).join(" ");
			return `<polyline points="${path}" fill="none" stroke="${COLOURS[i]}" stroke-width="1.5"/>`;
		}),
		...chart.lines.map(
			({ name }, i) =>
				`<text x="${WIDTH - RIGHT}" y="${18 + i * 14}" text-anchor="end" fill="${COLOURS[i]}">${escaped(name)}</text>`,
		),
		"</svg>",
	];
	return parts.join("\n");
}

function scalesOf({ lines, logarithmic }: LineChart): Scales {
	const points = lines.flatMap((line) => line.points);
	const lastS = Math.max(1, ...points.map(([s]) => s));
	const values = points.map(([, v]) => v);
	const x = (s: number) => LEFT + (s / lastS) * (WIDTH - LEFT - RIGHT);
	const place = (share: number) => HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM);
	if (!logarithmic) {
		const top = Math.max(1, ...values) * 1.05;
		const marks = Array.from({ length: TICKS }, (_, i) => (top * i) / (TICKS - 1));
		return { x, y: (v) => place(v / top), marks };
	}
	const seen = values.filter((v) => v > 0);
	const low = Math.floor(Math.log10(Math.max(LEAST, Math.min(...seen, 1))));
	const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...seen, 1))));
	const marks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
	return { x, y: (v) => place((Math.log10(Math.max(v, 10 ** low)) - low) / (high - low)), marks };
}

function timeMarks({ lines }: LineChart, { x }: Scales): string[] {
	const lastS = Math.max(1, ...lines.flatMap((line) => line.points.map(([s]) => s)));
	const unit = lastS > 300 ? 60 : 1;
	const step = Math.max(1, Math.round(lastS / unit / 10)) * unit;
	const marks: string[] = [];
	for (let s = 0; s <= lastS; s += step)
		marks.push(
			`<text x="${x(s)}" y="${HEIGHT - 10}" text-anchor="middle" fill="#555">${s / unit}${unit === 60 ? " min" : " s"}</text>`,
		);
	return marks;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
