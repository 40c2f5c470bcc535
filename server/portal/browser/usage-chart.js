// Requests by day as a bar chart. Screen readers see it as one image; the table beside it has the numbers.

import uPlot from "/pages/uplot.js";

const HEIGHT = 220;

function colours() {
	const style = getComputedStyle(document.documentElement);
	return Object.fromEntries(
		["text", "line", "accent"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
	);
}

/** Draws `days`, each `{date, requests}`, into `place`, at its width and in the colours of the page. */
export function drawUsage(place, days) {
	draw(place, days);
	const again = () => draw(place, days);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
	addEventListener("resize", again);
}

function draw(place, days) {
	const { text, line, accent } = colours();
	const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
	const chart = new uPlot(
		{
			width: Math.max(200, place.clientWidth),
			height: HEIGHT,
			// Days are UTC days: in the browser's zone, west of it, each would have the label of the day before.
			tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
			legend: { show: false },
			cursor: { show: false },
			scales: { x: { time: true }, y: { range: (_chart, _least, most) => [0, Math.max(10, most)] } },
			axes: [axis, { ...axis, size: 60 }],
			series: [
				{},
				{
					label: "Requests",
					stroke: accent,
					fill: accent,
					points: { show: false },
					paths: uPlot.paths.bars({ size: [0.7, 40] }),
				},
			],
		},
		[days.map(({ date }) => Date.parse(date) / 1000), days.map(({ requests }) => requests)],
	);
	const most = days.reduce((best, day) => (day.requests > best.requests ? day : best), days[0]);
	place.setAttribute("role", "img");
	place.setAttribute(
		"aria-label",
		`Requests by day, ${days[0].date} to ${days.at(-1).date}; most on ${most.date}: ${most.requests}. The table below has every day.`,
	);
	place.replaceChildren(chart.root);
}
