// The console's page: asks for the state every ten seconds and shows it. The token is a variable of this
// module. All text is put into the page as text, never as HTML.

import { askService } from "/pages/ask-service.js";
import uPlot from "/pages/uplot.js";

const REFRESH_MS = 10_000;
/** Clicks that follow one another faster are one double click. */
const DOUBLE_CLICK_MS = 500;
const HEIGHT = 200;
const COUNT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const $ = (id) => document.getElementById(id);

let token = "";
let samples = [];

function element(name, text = "", attributes = {}) {
	const made = document.createElement(name);
	made.textContent = text;
	for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
	return made;
}

function cell(value) {
	if (value instanceof Node) {
		const made = element("td");
		made.append(value);
		return made;
	}
	return typeof value === "number"
		? element("td", COUNT.format(value), { class: "number" })
		: element("td", value ?? "–");
}

function table(caption, headings, rows) {
	const made = element("table");
	const head = element("tr");
	head.append(...headings.map((heading) => element("th", heading, { scope: "col" })));
	const top = element("thead");
	top.append(head);
	const body = element("tbody");
	for (const cells of rows) {
		const row = element("tr");
		row.append(...cells.map(cell));
		body.append(row);
	}
	made.append(element("caption", caption), top, body);
	return made;
}

async function ask(path, body) {
	const sent = askService(path, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			Accept: "application/json",
			...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
			...(body === undefined ? {} : { "Content-Type": "application/json" }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	return sent.catch((error) => {
		if (error.status === 401) $("sign-in").hidden = false;
		throw error;
	});
}

/** The work whose error the page shows. */
let failed = null;

/** Runs `work` and shows its error, which the refresh of every ten seconds leaves there unless it is its own. */
async function saying(work) {
	try {
		await work();
		if (work === refresh && failed !== refresh) return;
		$("status").textContent = "";
		failed = null;
	} catch (error) {
		$("status").textContent = error.message;
		$("status").className = "bad";
		failed = work;
	}
}

function draw(place, title, series) {
	const style = getComputedStyle(document.documentElement);
	const colour = (name) => style.getPropertyValue(`--${name}`).trim();
	const axis = {
		stroke: colour("text"),
		grid: { stroke: colour("line"), width: 1 },
		ticks: { stroke: colour("line") },
	};
	const chart = new uPlot(
		{
			title,
			width: Math.max(200, place.clientWidth),
			height: HEIGHT,
			// As in the tables.
			tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
			legend: { show: false },
			cursor: { show: false },
			scales: { x: { range: () => [samples.at(-1).at_ms / 1000 - 3_600, samples.at(-1).at_ms / 1000] } },
			// Labels such as 12:00am are as wide as the usual space of 50 pixels.
			axes: [
				{ ...axis, space: 70 },
				{ ...axis, size: 60 },
			],
			series: [
				{},
				...series.map(({ label, name, dash }) => ({ label, stroke: colour(name), dash, width: 2 })),
			],
		},
		[samples.map(({ at_ms }) => at_ms / 1000), ...series.map(({ of }) => samples.map(of))],
	);
	const last = samples.at(-1);
	const told = series
		.map(({ label, of }) => `${label} ${of(last) === null ? "none" : COUNT.format(of(last))}`)
		.join(", ");
	place.setAttribute("role", "img");
	place.setAttribute("aria-label", `${title}, the last hour; now: ${told}`);
	place.replaceChildren(chart.root, element("p", `Now: ${told}.`, { class: "muted" }));
}

function drawHour() {
	if (samples.length === 0) return;
	draw($("rate"), "Answers per second", [
		{ label: "all", name: "accent", of: (sample) => sample.per_second },
		{ label: "failed or shed (dashed)", name: "bad", dash: [6, 4], of: (sample) => sample.failed_per_second },
	]);
	draw($("latency"), "Milliseconds per answer", [
		{ label: "median", name: "accent", of: (sample) => sample.p50_ms },
		{ label: "99th percentile (dashed)", name: "bad", dash: [6, 4], of: (sample) => sample.p99_ms },
	]);
	draw($("shedding"), "Requests shed per second", [
		{ label: "shed with 503", name: "bad", of: (sample) => sample.shed_per_second },
		{
			label: "slow readers cut off (dashed)",
			name: "accent",
			dash: [6, 4],
			of: (sample) => sample.cut_off_per_second,
		},
	]);
	const recent = samples.slice(-60).reverse();
	$("samples").replaceChildren(
		table(
			"Every ten seconds, newest first",
			["Time (UTC)", "Answers/s", "Failed/s", "Shed/s", "Median ms", "p99 ms", "Loop lag ms"],
			recent.map((s) => [
				new Date(s.at_ms).toISOString().slice(11, 19),
				s.per_second,
				s.failed_per_second,
				s.shed_per_second,
				s.p50_ms,
				s.p99_ms,
				s.loop_lag_ms,
			]),
		),
	);
}

/** When keys were last changed here; infinite: a change is under way. */
let changedMs = Number.NEGATIVE_INFINITY;

function keyChange({ id, status }) {
	if (status !== "active" && status !== "suspended") return "";
	const change = status === "active" ? "suspend" : "resume";
	const button = element("button", change === "suspend" ? "Suspend" : "Resume", {
		type: "button",
		class: "quiet",
		"aria-label": `${change} ${id}`,
	});
	// A key held down.
	button.addEventListener("keydown", (event) => {
		if (event.repeat) event.preventDefault();
	});
	button.addEventListener("click", (event) => {
		// The second click of a double click is on the button of the opposite change by now. Keys have no detail.
		if (changedMs === Number.POSITIVE_INFINITY) return;
		if (event.detail > 0 && performance.now() - changedMs < DOUBLE_CLICK_MS) return;
		void saying(async () => {
			if (token === "") {
				$("sign-in").hidden = false;
				$("token").focus();
				throw new Error("Enter the operator token, then try again.");
			}
			changedMs = Number.POSITIVE_INFINITY;
			try {
				await ask(`/console/${change}`, { id });
				await refresh();
			} finally {
				changedMs = performance.now();
			}
			// The table is new, and with it the button of the key: whoever works by keyboard goes on there.
			document.querySelector(`[aria-label$="${CSS.escape(id)}"]`)?.focus();
		});
	});
	return button;
}

function showSignups(signups) {
	$("signups").replaceChildren(
		signups === null
			? element("p", "Signup is off.")
			: table(
					"Mailboxes, and emails since the server started",
					["Count", "Number"],
					Object.entries(signups).map(([name, number]) => [name.replaceAll("_", " "), number]),
				),
	);
}

// A link opens the report where the console is open to this machine. A token is never part of an address, so
// with one the report is fetched and saved.
function reportLink(month) {
	const link = element("a", "open", {
		href: `/console/report?month=${month}`,
		"aria-label": `open the report of ${month}`,
	});
	link.addEventListener("click", (event) => {
		if (token === "") return;
		event.preventDefault();
		void saying(async () => {
			const headers = { Authorization: `Bearer ${token}` };
			const response = await fetch(link.href, { headers });
			if (!response.ok) throw new Error(`The report of ${month} cannot be read.`);
			const file = URL.createObjectURL(await response.blob());
			const save = element("a", "", { href: file, download: `report-${month}.html` });
			save.click();
			URL.revokeObjectURL(file);
		});
	});
	return link;
}

function showHosts({ hosts, hosts_fault }) {
	$("hosts-section").hidden = hosts === null;
	if (hosts === null) return;
	$("hosts").replaceChildren(
		element("p", hosts_fault === null ? "" : `The hosts are currently unknown: ${hosts_fault}.`, {
			class: "bad",
		}),
		table(
			"Hosts that share limits and keys",
			["Host", "Name", "Address", "Process"],
			hosts.map(({ host, name, address, pid }) => [host, name, address, pid]),
		),
	);
}

let shownAt = "";

async function refresh() {
	const state = await ask("/console/state").catch((error) => {
		$("ready").textContent = `Not known at the moment: what is shown is of ${shownAt} UTC.`;
		$("ready").className = "bad";
		throw error;
	});
	shownAt = new Date().toISOString().slice(11, 19);
	$("console").hidden = false;
	$("ready").textContent = state.ready === "ready" ? "Requests are served." : `Not ready: ${state.ready}`;
	$("ready").className = state.ready === "ready" ? "good" : "bad";
	samples = state.samples;
	drawHour();
	$("months").replaceChildren(
		table(
			"Published months",
			["Month", "Rows", "Rejects", "Built (UTC)", "Accepted gates", "Report"],
			state.months.map((m) => [
				m.month,
				m.rows,
				m.rejects,
				m.built_at?.slice(0, 16),
				m.accepted.join("; ") || "none",
				m.report ? reportLink(m.month) : "none",
			]),
		),
	);
	$("quarantined").replaceChildren(
		...state.quarantined.map(({ month, code, message }) =>
			element("p", `${month} is quarantined: ${code}, ${message}`, { class: "bad" }),
		),
	);
	showHosts(state);
	showSignups(state.signups);
	$("keys").replaceChildren(
		table(
			"Keys, busiest today first",
			["Key", "Name", "Tier", "Status", "Requests today", "Last used (UTC)", "Change"],
			state.keys.map((k) => [
				k.id,
				k.name,
				k.tier,
				k.status,
				k.requests_today,
				k.last_used_s === 0 ? "never" : new Date(k.last_used_s * 1000).toISOString().slice(0, 16),
				keyChange(k),
			]),
		),
	);
}

$("sign-in").addEventListener("submit", (event) => {
	event.preventDefault();
	const before = token;
	token = $("token").value.trim();
	$("token").value = "";
	// Hidden once the token was taken: until then the tables below are about to be replaced.
	saying(async () => {
		try {
			await refresh();
			$("sign-in").hidden = true;
		} catch (error) {
			token = before;
			throw error;
		}
	});
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawHour);
addEventListener("resize", drawHour);
saying(refresh);
setInterval(() => {
	// A table that somebody is in stays as it is.
	if (!document.hidden && !document.activeElement?.closest("table, #keys")) saying(refresh);
}, REFRESH_MS);
