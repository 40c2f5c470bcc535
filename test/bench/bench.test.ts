/**
 * The benchmark at a small size: it runs, the naive scan gives the same answer for every shape, and a
 * wrong answer is detected. Installed peers are asked as well.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { engineCommand } from "../../bench/commands/engine.js";
import { measureGzip } from "../../bench/commands/gzip.js";
import { measureKernels } from "../../bench/commands/micro.js";
import { drawQuestions, enginePeer, measureNames } from "../../bench/commands/names.js";
import { HuntedMonth, hunt } from "../../bench/commands/worst.js";
import {
	type BenchData,
	DEFAULT_MONTH,
	openFiles,
	openSnapshot,
	prepareData,
} from "../../bench/data/bench-month.js";
import { drawQuestions as drawShapeQuestions } from "../../bench/measure/draw-questions.js";
import { EngineSubject } from "../../bench/measure/engine-subject.js";
import { MemoryAccess } from "../../bench/measure/memory-access.js";
import { runShape, type ShapeFigures, WrongAnswer } from "../../bench/measure/run-shape.js";
import { JSON_PEER_NAMES, openPeers, PEER_NAMES } from "../../bench/peers/open-peers.js";
import type { Peer } from "../../bench/peers/peer.js";
import { writeChart } from "../../bench/report/chart.js";
import {
	type BenchDocument,
	compareWithBaseline,
	thisMachine,
	writeDocument,
} from "../../bench/report/document.js";
import { shapeTable } from "../../bench/report/table.js";
import {
	allShapes,
	describe as describeQuestion,
	differenceOf,
	type Shape,
} from "../../bench/shapes/index.js";
import { list } from "../../bench/shapes/named-shapes.js";
import { randomOfAnyKind, randomQuestion } from "../../bench/shapes/random-question.js";
import { ValueSource } from "../../bench/shapes/value-source.js";
import type { Snapshot } from "../../engine/index.js";
import { NaivePeer } from "./naive-peer.js";

const ROWS = 3000;
const SEED = 11;
const OPTIONS = { draws: 3, peerSeconds: 5 };

const EMPTY_DOCUMENT: BenchDocument = {
	machine: thisMachine(),
	rows: ROWS,
	seed: SEED,
	digest: "",
	peers: [],
	skipped: [],
	shapes: [],
};

describe("the benchmark at its small size", () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	let data: BenchData;
	let snapshot: Snapshot;
	let naive: NaivePeer;

	before(async () => {
		data = await prepareData({ work, rows: ROWS, seed: SEED, months: [DEFAULT_MONTH] }, () => {});
		snapshot = openSnapshot(data);
		naive = NaivePeer.over(snapshot);
	});
	after(() => rmSync(work, { recursive: true }));

	const run = async (peers: readonly Peer[], ...names: string[]): Promise<ShapeFigures[]> => {
		const figures: ShapeFigures[] = [];
		for (const shape of allShapes(snapshot, SEED, names)) {
			figures.push(await runShape(shape, snapshot, () => openSnapshot(data), peers, OPTIONS));
		}
		return figures;
	};

	test("compressed pages decode, and rows are at most 1.7 times as large as zlib makes them", () => {
		for (const { pages, engineBytes, zlib6Bytes, zlib6Times } of measureGzip(snapshot, 10)) {
			assert.ok(engineBytes < zlib6Bytes * 1.7, `${pages}: ${engineBytes} bytes, zlib ${zlib6Bytes}`);
			assert.ok(zlib6Times > 0, pages);
		}
	});

	test("names asked misspelled, reordered or by a nickname are found, and a wrong answer is counted as such", async () => {
		const questions = drawQuestions(snapshot, 80, SEED);
		const engine = enginePeer(snapshot);
		const nobody = { ...engine, name: "nobody", ask: () => ["Nobody At All"] };
		const [ours, theirs] = await measureNames([engine, nobody], questions);
		assert.ok(ours.recallAt10 >= 0.9, `recall ${ours.recallAt10}`);
		assert.ok(ours.precisionAt1 >= 0.85 && ours.p99 > 0, `precision ${ours.precisionAt1}`);
		assert.deepEqual([theirs.recallAt10, theirs.precisionAt1], [0, 0]);
	});

	test("every shape is answered as the naive scan answers it, and reported", async () => {
		const shapes = await run([naive]);
		assert.ok(shapes.length >= 30);
		for (const { shape, compared, engine } of shapes) {
			assert.equal(compared, OPTIONS.draws, shape);
			assert.ok(engine.p50 > 0 && engine.p99 >= engine.p50, shape);
		}
		const peers = [{ name: naive.name, version: naive.version }];
		const document: BenchDocument = { ...EMPTY_DOCUMENT, digest: snapshot.digest, peers, shapes };
		const path = join(work, "bench.json");
		writeDocument(path, document);
		const read = JSON.parse(readFileSync(path, "utf8")) as BenchDocument;
		assert.deepEqual(read.shapes, JSON.parse(JSON.stringify(shapes)));
		assert.equal(shapeTable(shapes).split("\n").length, shapes.length + 1);
		const names = [...PEER_NAMES, ...JSON_PEER_NAMES];
		const compared = shapes.map((figures) => ({
			...figures,
			peers: names.map((name) => ({ ...figures.peers[0], name })),
		}));
		const asked = names.map((name) => ({ name, version: "1" }));
		writeChart(join(work, "bench.svg"), { ...document, peers: asked, shapes: compared });
		const svg = readFileSync(join(work, "bench.svg"), "utf8");
		assert.match(svg, /^<svg [\s\S]*<\/svg>\n$/);
		assert.doesNotMatch(svg, /undefined|NaN/);
		const legend = [...svg.matchAll(/cy="46" r="5" fill="([^"]+)"/g)].map(([, colour]) => colour);
		assert.equal(new Set(legend).size, 1 + names.length, "each system has a colour of its own");
	});

	test("each question is asked once, by the engine and its peer in turn, and a shape with too few is marked", async () => {
		const asked: string[] = [];
		const peer: Peer = {
			name: "noting",
			version: "1",
			async prepare(question) {
				const prepared = await naive.prepare(question);
				return () => {
					asked.push(describeQuestion(question));
					return prepared();
				};
			},
			close: () => naive.close(),
		};
		const options = { draws: 45, peerSeconds: 5 };
		const measure = (shape: Shape) => runShape(shape, snapshot, () => openSnapshot(data), [peer], options);
		const [measured] = allShapes(snapshot, SEED, ["license number"]);
		const figures = await measure(measured);
		assert.equal(figures.repeats, "nothing");
		assert.deepEqual([figures.engine.n, figures.peers[0].n], [45, 45]);
		const [shape] = allShapes(snapshot, SEED, ["license number"]);
		const { questions, warming } = drawShapeQuestions(shape, options.draws);
		const counted = new Set(questions.map(describeQuestion));
		assert.equal(counted.size, options.draws);
		assert.deepEqual(
			asked.filter((question) => counted.has(question)),
			[...counted],
			"each question that counts is asked once, in order",
		);
		assert.ok(warming.every((question) => !counted.has(describeQuestion(question))));
		const turns = asked.map((question) => (counted.has(question) ? "c" : "w")).join("");
		assert.match(turns, /^w+c{20}w+c{20}w+c{5}$/, "others are asked before each turn");
		let drawn = 0;
		const few = { ...shape, draw: () => list({ page: 1 + (drawn++ % 3) }) };
		assert.equal((await measure(few)).repeats, "questions");
	});

	test("a peer that had time for fewer questions is compared by these", async () => {
		const slow: Peer = {
			name: "slow",
			version: "1",
			async prepare(question) {
				const prepared = await naive.prepare(question);
				return async () => ({ ...(await prepared()), milliseconds: 1e6 });
			},
			close: () => naive.close(),
		};
		const [shape] = allShapes(snapshot, SEED, ["license number"]);
		const options = { draws: 45, peerSeconds: 5 };
		const { engine, peers, best } = await runShape(
			shape,
			snapshot,
			() => openSnapshot(data),
			[naive, slow],
			options,
		);
		assert.deepEqual([engine.n, ...peers.flatMap((peer) => [peer.n, peer.engine.n])], [45, 45, 45, 5, 5]);
		assert.deepEqual(peers[0].engine, engine);
		assert.equal(best?.p50.peer, naive.name);
		assert.equal(best.p50.times, peers[0].p50 / engine.p50);
	});

	test("accesses to memory are measured in the rounds of a shape, over stored rows only", async () => {
		const [shape] = allShapes(snapshot, SEED, ["row by id"]);
		const access = MemoryAccess.open(data.dataFolder, DEFAULT_MONTH, SEED);
		const options = { draws: 45, peerSeconds: 5, access };
		const measured = await runShape(shape, snapshot, () => openSnapshot(data), [], options);
		assert.equal(measured.access?.n, options.draws);
		assert.ok(measured.access.p99 >= measured.access.p50);
		assert.match(shapeTable([measured]).split("\n")[0], /access p50\/p99/);
		const [unmeasured] = await run([], "masked row by id");
		assert.equal(unmeasured.access, null);
		const bare = await prepareData(
			{ work: join(work, "bare"), rows: 100, seed: SEED, months: [DEFAULT_MONTH], rowStore: false },
			() => {},
		);
		assert.equal(MemoryAccess.open(bare.dataFolder, DEFAULT_MONTH, SEED), null);
	});

	test("several texts select the shapes of each, and a text of no shape is refused", () => {
		const named = (...texts: string[]) => allShapes(snapshot, SEED, texts).map(({ name }) => name);
		assert.deepEqual(named("postal code", "count only").slice(0, 2), ["postal code", "count only"]);
		assert.deepEqual(named(), [...new Set(named())]);
		assert.throws(() => named("city", "no such shape"), /no shape's name contains "no such shape"/);
		const command = engineCommand().exitOverride();
		command.parseOptions(["--shape", "city", "--shape", "stats"]);
		assert.deepEqual(command.opts().shape, ["city", "stats"]);
	});

	test("times are compared with those of the same shape in an earlier document", async () => {
		const [shape] = await run([], "city");
		const timed = (name: string, p50: number, p99: number) => ({
			...shape,
			shape: name,
			engine: { ...shape.engine, p50, p99 },
		});
		const document = { ...EMPTY_DOCUMENT, digest: snapshot.digest };
		const path = join(work, "earlier.json");
		writeDocument(path, { ...document, shapes: [timed("both", 2, 40), timed("earlier alone", 1, 1)] });
		const later = { ...document, shapes: [timed("later alone", 1, 1), timed("both", 3, 10)] };
		assert.deepEqual(compareWithBaseline(path, later), [{ shape: "both", p50: 1.5, p99: 0.25 }]);
	});

	test("DuckDB and SQLite answer every shape the same, where they are installed", async (t) => {
		const outcomes = await openPeers(["duckdb", "sqlite", "sqlite-json"], data, snapshot, () => {});
		const peers = outcomes.flatMap((outcome) => ("peer" in outcome ? [outcome.peer] : []));
		if (peers.length === 0) {
			t.skip("no peer is installed: npm run bench -- peers");
			return;
		}
		try {
			for (const { shape, compared } of await run(peers)) assert.equal(compared, OPTIONS.draws, shape);
			// No plan depends on a bound value; null where the count needs a C compiler that is not there.
			for (const peer of peers) assert.equal(peer.reprepared?.() ?? 0, 0, `${peer.name}: planned again`);
		} finally {
			for (const peer of peers) await peer.close();
		}
	});

	test("random questions are answered as the naive scan answers them", async () => {
		const engine = new EngineSubject(snapshot);
		const source = ValueSource.seeded(snapshot, SEED, 1);
		for (let i = 0; i < 150; i++) {
			const question = randomQuestion(source);
			assert.deepEqual(engine.answer(question), naive.answer(question));
		}
	});

	test("a wrong answer fails the shape", async () => {
		const liar: Peer = {
			name: "liar",
			version: "1",
			async prepare(question) {
				const { total, ...answer } = naive.answer(question);
				return async () => ({ milliseconds: 1, answer: () => ({ ...answer, total: (total ?? 0) + 1 }) });
			},
			close: () => naive.close(),
		};
		const [shape] = allShapes(snapshot, SEED);
		await assert.rejects(
			runShape(shape, snapshot, () => openSnapshot(data), [liar], OPTIONS),
			WrongAnswer,
		);
	});

	test("rows of other bytes are a difference, though total and ids are equal", async () => {
		const engine = new EngineSubject(snapshot);
		for (const name of ["masked page", "sparse CSV", "NDJSON"]) {
			const [shape] = allShapes(snapshot, SEED, [name]);
			let answer = engine.answer(shape.draw());
			while (answer.keys.length === 0) answer = engine.answer(shape.draw());
			const body = String(answer.body).replace(String(answer.keys[0]), "1");
			assert.equal(differenceOf(answer, { ...answer }), null);
			assert.match(String(differenceOf(answer, { ...answer, body })), /^byte \d+ of the rows: /);
			assert.match(String(differenceOf(answer, { ...answer, body: `${answer.body}x` })), /^byte /);
		}
	});

	test("the search for slow queries draws every kind, grant, projection and format", () => {
		const source = ValueSource.seeded(snapshot, SEED, 2);
		const drawn = Array.from({ length: 1000 }, () => randomOfAnyKind(source)).map(describeQuestion);
		for (const part of [
			"suggest ",
			"aggregate ",
			"issued_month",
			"verify ",
			"offices ",
			"history ",
			"after row ",
			"gzip ",
			"stats ",
			'"like":["',
			'"name":"',
			'"city":["',
			'"top":1000',
			" granted=",
			" masked",
			" fields=",
			" csv",
			" ndjson",
			" count=false",
		])
			assert.ok(
				drawn.some((text) => text.includes(part)),
				part,
			);
	});

	test("the search for the slowest query reports its finds slowest first", () => {
		const finds = hunt(new HuntedMonth(openFiles(data), SEED), 3, SEED);
		assert.ok(finds.length > 5);
		assert.deepEqual(
			finds.map((find) => find.ms),
			finds.map((find) => find.ms).sort((a, b) => b - a),
		);
	});

	test("kernels are measured per element and per call", async () => {
		const numbers = Uint32Array.from({ length: 1000 }, (_, i) => i);
		const sum = () => numbers.reduce((a, b) => a + b);
		const figures = await measureKernels(
			[
				{ name: "each", elements: 1000, run: sum },
				{ name: "all", elements: null, run: sum },
			],
			20,
		);
		assert.deepEqual(
			figures.map((f) => f.per),
			["element", "call"],
		);
		for (const { ns } of figures) assert.ok(ns > 0);
	});
});
