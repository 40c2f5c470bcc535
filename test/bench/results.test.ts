/** Results of machines: merged run by run, validated when read, and drawn as one page that loads nothing. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { resultsOf } from "../../bench/commands/engine.js";
import { pageCommand } from "../../bench/commands/page.js";
import type { Outcome } from "../../bench/http/rounds.js";
import type { ShapeFigures } from "../../bench/measure/run-shape.js";
import { type BenchDocument, thisMachine } from "../../bench/report/document.js";
import { resultsPage } from "../../bench/report/page.js";
import {
	httpResults,
	type MachineResults,
	putResults,
	RESULTS_FORMAT,
	readAllResults,
	readResults,
	thisRun,
} from "../../bench/report/results.js";

const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
after(() => rmSync(work, { recursive: true }));

const times = (p50: number, p99: number) => ({ n: 200, p50, p99, max: 2 * p99 });

type Times = [p50: number, p99: number];

/** Figures of a shape: ours, and those of peers by name, where ours for the same questions are others with those. */
function shape(
	name: string,
	ours: Times,
	peers: Record<string, Times | [...Times, ...Times]> = {},
): ShapeFigures {
	return {
		shape: name,
		about: `about <${name}>`,
		engine: times(...ours),
		repeats: name === "first page" ? "questions" : "nothing",
		firstTouchMs: 1,
		access: null,
		rendering: null,
		again: null,
		compared: 200,
		allocated: null,
		scanned: 10,
		bytes: 72_000,
		peers: Object.entries(peers).map(([peer, [p50, p99, p50OfOurs = ours[0], p99OfOurs = ours[1]]]) => ({
			name: peer,
			...times(p50, p99),
			engine: times(p50OfOurs, p99OfOurs),
		})),
		best: null,
	};
}

function run(shapes: readonly ShapeFigures[], rows = 5000): BenchDocument {
	const names = [...new Set(shapes.flatMap(({ peers }) => peers.map(({ name }) => name)))];
	const peers = names.map((name) => ({ name, version: "3.1" }));
	return { machine: thisMachine(), rows, seed: 7, digest: "00ff", peers, skipped: [], shapes };
}

const outcome = (name: string, rate: number): Outcome => ({
	name,
	subject: { rate, cpuUs: 20, p50Us: 300, p99Us: 900 },
	twin: { rate: 40_000, cpuUs: 10, p50Us: 100, p99Us: 200 },
	ratios: { rate: rate / 40_000, cpu: 2, p99: 4.5 },
	target: null,
	loadLimits: false,
	reached: true,
	requests: 1000,
});

test("a run replaces the shapes that it measured, for every system, and keeps the others", () => {
	const folder = join(work, "merged");
	const name = "Ryzen <9>, 2 cores";
	const put = (document: BenchDocument) => putResults(folder, resultsOf(document, name));
	put(
		run([
			shape("city", [0.01, 0.02], { SQLite: [1, 2] }),
			shape("first page", [0.1, 0.2], { SQLite: [2, 3] }),
		]),
	);
	const path = put(run([shape("city", [0.02, 0.03], { DuckDB: [3, 5] }), shape("stats", [1, 2])]));
	assert.deepEqual(readdirSync(folder), ["ryzen-9-2-cores.json"]);
	const { engine, machine } = readResults(path);
	assert.equal(machine.name, name);
	assert.deepEqual(
		engine?.shapes.map((s) => s.shape),
		["first page", "city", "stats"],
	);
	assert.deepEqual(
		engine?.systems.map(({ own }) => own.map((figures) => figures?.[1])),
		[
			[0.1, 0.02, 1],
			[0.1, undefined, undefined],
			[undefined, 0.02, undefined],
		],
	);
	assert.deepEqual(
		engine?.systems.map(({ system, result }) => [system, result]),
		[
			[
				"Rollcall",
				[
					[200, 0.1, 0.2, 0.4],
					[200, 0.02, 0.03, 0.06],
					[200, 1, 2, 4],
				],
			],
			["SQLite", [[200, 2, 3, 6], null, null]],
			["DuckDB", [null, [200, 3, 5, 10], null]],
		],
	);
	const run2 = thisRun(new Date(Date.UTC(2026, 10, 22)));
	const http = httpResults([outcome("default page", 30_000), outcome("one row", 20_000)], 5000, run2);
	putResults(folder, { ...resultsOf(run([]), name), engine: null, http });
	const again = httpResults([outcome("one row", 24_000)], 5000, run2);
	putResults(folder, { ...resultsOf(run([]), name), engine: null, http: again });
	const both = readResults(path);
	assert.equal(both.engine?.shapes.length, 3, "the engine's figures stay");
	assert.deepEqual(
		both.http?.scenarios.map((s) => [s.name, s.subject.rate]),
		[
			["default page", 30_000],
			["one row", 24_000],
		],
	);
	assert.throws(
		() => put(run([shape("city", [1, 1])], 9)),
		/5000 rows of seed 7 and digest 00ff, and 9 of seed 7 and digest 00ff/,
	);
});

test("a document that is damaged or of another format is refused by file and member", () => {
	const valid = resultsOf(run([shape("city", [0.01, 0.02])]), "m");
	const refused = (value: unknown, message: RegExp) => {
		const path = join(work, "damaged.json");
		writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
		assert.throws(() => readResults(path), message);
	};
	const { engine } = valid;
	assert.ok(engine !== null);
	refused("{", /damaged\.json: .*JSON/);
	refused({ ...valid, format: "rollcall-results-9" }, /damaged\.json: format/);
	refused({ ...valid, more: 1 }, /more/);
	refused(
		{ ...valid, engine: { ...engine, shapes: [] } },
		/engine: each system has one result for each shape/,
	);
	const systems = [{ ...engine.systems[0], result: [[200, 0.01, -0.02, 1]] }];
	refused({ ...valid, engine: { ...engine, systems } }, /engine\.systems\.0\.result\.0\.2/);
	const short = [{ ...engine.systems[0], own: [] }];
	refused({ ...valid, engine: { ...engine, systems: short } }, /each system has one result for each shape/);
});

/** A cell's text behind a row's head. */
function cellsOf(page: string, head: string): string[] {
	const line = page
		.split("\n")
		.find((text) => text.startsWith(`<tr><th scope="row"`) && text.includes(`>${head}`));
	return [...(line ?? "").matchAll(/<td[^>]*>(.*?)<\/td>/g)].map((match) => match[1]);
}

test("the page has every machine's shapes with the ratio to the best other system, and loads nothing", () => {
	// DuckDB was asked slower questions only: its ratio at p50 is smaller, though its time is larger.
	const slower: [...Times, ...Times] = [3, 0.5, 0.2, 0.4];
	const document = run([
		shape("<city> & more", [0.01, 0.4], { SQLite: [0.2, 9], DuckDB: slower }),
		shape("first page", [0.1, 0.2], { SQLite: [0.05, 0.1] }),
		shape("alone", [1, 2.5]),
	]);
	const results: MachineResults = {
		...resultsOf(document, "A <b>machine</b>"),
		http: httpResults([outcome("one row", 20_000)], 5000, { date: "2026-11-22T00:00:00Z", commit: null }),
	};
	const page = resultsPage([
		results,
		{ ...results, machine: { ...results.machine, name: "B" }, engine: null },
	]);
	assert.match(page, /^<!doctype html>\n<html lang="en">/);
	assert.doesNotMatch(page, /<script|<link|<img|url\(|@import|https?:/, "nothing is loaded");
	assert.match(page, /default-src 'none'/);
	assert.match(page, /@media \(prefers-color-scheme: dark\)/);
	assert.doesNotMatch(page, /<city>|<b>machine/, "names are text");
	assert.equal(page.match(/<section /g)?.length, 2);
	const city = cellsOf(page, "&lt;city&gt; &amp; more");
	assert.deepEqual(city.slice(0, 7), [
		"0.0100",
		"0.400",
		"0.800",
		"15.0",
		"1.3",
		"0.200 / 9.000",
		"3.000 / 0.500",
	]);
	assert.deepEqual(cellsOf(page, "alone").slice(3, 7), ["–", "–", "–", "–"], "nobody else was asked");
	assert.match(page, /<td class="good">15\.0<\/td><td class="fair">1\.3<\/td>/);
	assert.match(page, /first page<small> \(repeated\)<\/small>/);
	assert.match(page, /<td class="bad">0\.5<\/td>/);
	assert.deepEqual(cellsOf(page, "one row").slice(0, 2), ["20,000 / 40,000", "0.50"]);
	// Geometric means of 15 and 0.5, and of 1.25 and 0.5; two of two are below ten times; one p99 is over 2 ms.
	assert.deepEqual(cellsOf(page, "<a href").slice(1), ["3", "2.7", "0.8", "2 of 2", "1 of 3"]);
	const tags = (name: string) => [page.split(`<${name}`).length, page.split(`</${name}>`).length];
	for (const name of ["table", "tr", "td", "section", "svg", "div"])
		assert.equal(tags(name)[0], tags(name)[1], name);
});

test("the command draws the folder that runs wrote, and refuses an empty one", async () => {
	const folder = join(work, "drawn");
	putResults(folder, resultsOf(run([shape("city", [0.01, 0.02])]), "one"));
	putResults(folder, resultsOf(run([shape("city", [0.01, 0.02])]), "two"));
	assert.deepEqual(
		readAllResults(folder).map(({ format, machine }) => [format, machine.name]),
		[
			[RESULTS_FORMAT, "one"],
			[RESULTS_FORMAT, "two"],
		],
	);
	const out = join(work, "page.html");
	await pageCommand().parseAsync([folder, "--out", out], { from: "user" });
	assert.match(readFileSync(out, "utf8"), /<h2>one<\/h2>[\s\S]*<h2>two<\/h2>/);
	await assert.rejects(
		pageCommand().parseAsync([mkdtempSync(join(work, "empty-"))], { from: "user" }),
		/has no results/,
	);
});
