/**
 * `bench compare`: intervals and verdicts from given times; and from end to end, an engine that is slower and answers
 * otherwise is noticed, where the same engine twice is not.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { compareCommand, compareSides, exitCodeOf } from "../../bench/commands/compare.js";
import { OWN_CHECKOUT, prepareCheckout } from "../../bench/compare/checkout.js";
import { comparedTimes } from "../../bench/compare/compare-engines.js";
import { medianInterval } from "../../bench/compare/interval.js";
import { comparisonTable, requestsTable } from "../../bench/compare/report.js";
import { parseSide } from "../../bench/compare/side-text.js";
import { DEFAULT_MONTH, prepareData } from "../../bench/data/bench-month.js";

describe("intervals", () => {
	test("lie between the order statistics of the sign test", () => {
		const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i);
		assert.deepEqual(medianInterval(upTo(5)), { median: 3, low: 1, high: 5, confidence: 1 - 2 / 32 });
		assert.deepEqual(medianInterval(upTo(6)), { median: 3.5, low: 1, high: 6, confidence: 1 - 2 / 64 });
		assert.deepEqual(medianInterval(upTo(9)), { median: 5, low: 2, high: 8, confidence: 1 - 20 / 512 });
		// P(X <= 5) of 20 fair coins is 21,700 / 2^20.
		assert.deepEqual(medianInterval(upTo(20)), {
			median: 10.5,
			low: 6,
			high: 15,
			confidence: 1 - 43_400 / 2 ** 20,
		});
		assert.deepEqual(medianInterval([7]), { median: 7, low: 7, high: 7, confidence: 0 });
	});

	test("contain the median of a distribution as often as they say", () => {
		let state = 20_261_122;
		const random = () => {
			state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
			return state / 2 ** 32;
		};
		let contained = 0;
		for (let run = 0; run < 4000; run++) {
			// Skewed, with a median of 1.
			const { low, high } = medianInterval(Array.from({ length: 9 }, () => -Math.log2(1 - random())));
			if (low <= 1 && high >= 1) contained++;
		}
		assert.ok(Math.abs(contained / 4000 - (1 - 20 / 512)) < 0.012, `${contained / 4000}`);
	});

	test("are slower or faster only where all of them lies beyond the threshold", () => {
		const rounds = (...ratios: number[]) => ratios.map((ratio, i) => [i + 1, ratio * (i + 1)]);
		const verdict = (...ratios: number[]) => comparedTimes(rounds(...ratios), 1.1).verdict;
		assert.equal(verdict(1.2, 1.3, 1.15, 1.5, 1.12, 1.4), "slower");
		assert.equal(verdict(1.2, 1.3, 1.05, 1.5, 1.12, 1.4), "within", "one round is not beyond it");
		assert.equal(verdict(1.2, 1.3, 1.05, 1.5, 1.12, 1.4, 1.2, 1.2, 1.2), "slower", "one of nine is left out");
		assert.equal(verdict(0.8, 0.7, 0.9, 0.85, 0.6, 0.8), "faster");
		assert.equal(verdict(0.8, 0.7, 0.92, 0.85, 0.6, 0.8), "within");
		assert.deepEqual(comparedTimes(rounds(2, 2, 2), 1.1), {
			a: 2,
			b: 4,
			ratio: { median: 2, low: 2, high: 2, confidence: 0.75 },
			verdict: "slower",
		});
	});
});

test("a side is a checkout and what is different about it", () => {
	assert.deepEqual(
		parseSide(
			"HEAD~3,data=/srv/a,no-row-store,--max-semi-space-size=64,NAME=b=c,node=/opt/node,server=--transport=node",
		),
		{
			text: "HEAD~3,data=/srv/a,no-row-store,--max-semi-space-size=64,NAME=b=c,node=/opt/node,server=--transport=node",
			checkout: "HEAD~3",
			rowStore: false,
			dataFolder: "/srv/a",
			node: "/opt/node",
			nodeFlags: ["--max-semi-space-size=64"],
			serverFlags: ["--transport=node"],
			environment: { NAME: "b=c" },
		},
	);
	for (const wrong of ["", ",data=x", ".,data=", ".,whatever", ".,=x", ".,lower=x", ".,server=x"])
		assert.throws(() => parseSide(wrong), /names no commit|is none of/, wrong);
	assert.throws(
		() => prepareCheckout("no-such-commit", tmpdir(), () => undefined),
		/neither a compiled checkout nor a commit/,
	);
});

/** An engine that takes a millisecond longer for a page, and leaves out its last row. */
const SLOW_ENGINE = `
import { openLibrary as open } from "ROOT/engine/index.js";
export * from "ROOT/engine/index.js";
export function openLibrary(options) {
	const library = open(options);
	const { latest } = library;
	const query = latest.query;
	latest.query = (asked) => {
		const begun = performance.now();
		const page = query.call(latest, { ...asked, limit: asked.limit - 1 });
		while (performance.now() - begun < 1);
		return page;
	};
	return library;
}
`;

describe("two engines over a small month", () => {
	const work = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	const slow = join(work, "slow");
	const flags = {
		rows: 2000,
		seed: 11,
		work,
		shape: ["postal code"],
		rounds: 3,
		draws: 15,
		// A page takes some ten microseconds here: a millisecond more is far beyond it, and noise is not.
		threshold: 5,
		p99Threshold: 1000,
		acceptDifferent: false,
		acceptRefused: false,
		http: false,
		seconds: 1,
		json: false,
	};
	let side = "";

	before(async () => {
		const months = [DEFAULT_MONTH];
		const { dataFolder } = await prepareData({ ...flags, months }, () => undefined);
		side = `.,data=${dataFolder}`;
		const root = pathToFileURL(join(OWN_CHECKOUT, "dist")).href;
		const sources = { engine: SLOW_ENGINE, formats: 'export * from "ROOT/formats/index.js";' };
		for (const [name, source] of Object.entries(sources)) {
			mkdirSync(join(slow, "dist", name), { recursive: true });
			writeFileSync(join(slow, "dist", name, "index.js"), source.replaceAll("ROOT", root));
		}
		writeFileSync(join(slow, "package.json"), '{ "type": "module" }');
	});
	after(() => rmSync(work, { recursive: true }));

	test("that are the same are not told apart", async () => {
		const compared = await compareSides(parseSide(side), parseSide(`${side},--max-semi-space-size=8`), flags);
		const [shape] = compared.shapes;
		assert.equal(compared.shapes.length, 1);
		assert.deepEqual([shape.sameBytes, shape.p50.verdict, compared.refused], [true, "within", []]);
		assert.equal(exitCodeOf(compared, flags), 0);
		assert.match(comparisonTable(compared), /^postal code {2}.*\n\nB \/ A, geometric mean of 1 shapes/m);
	});

	test("of which one is slower and answers otherwise, are", async () => {
		const compared = await compareSides(parseSide(side), parseSide(side.replace(".", slow)), flags);
		const [shape] = compared.shapes;
		assert.equal(shape.p50.verdict, "slower");
		assert.ok(shape.p50.b >= 1 && shape.p50.ratio.low > 5, JSON.stringify(shape.p50));
		assert.equal(shape.sameBytes, false);
		assert.equal(exitCodeOf(compared, { ...flags, acceptDifferent: true }), 1, "for its time alone");
		const asFast = { ...compared, shapes: [{ ...shape, p50: { ...shape.p50, verdict: "within" as const } }] };
		const codes = [false, true].map((acceptDifferent) => exitCodeOf(asFast, { ...flags, acceptDifferent }));
		assert.deepEqual(codes, [1, 0], "for its bytes alone");
		assert.match(comparisonTable(compared), /SLOWER[\s\S]*postal code: the sides' responses differ/);
	});

	test("with an engine that refuses a question: the shape is named, and fails unless that is accepted", async () => {
		const source = "export * from 'ROOT/engine/index.js'; export { refusing as openLibrary };".concat(
			"import { openLibrary as open } from 'ROOT/engine/index.js';",
			"const refusing = (options) => { const library = open(options);",
			"library.latest.query = () => { throw new Error('not of this version'); }; return library; };",
		);
		const root = pathToFileURL(join(OWN_CHECKOUT, "dist")).href;
		writeFileSync(join(slow, "dist", "engine", "index.js"), source.replaceAll("ROOT", root));
		const shape = [...flags.shape, "stats"];
		const both = [parseSide(side), parseSide(side.replace(".", slow))] as const;
		const compared = await compareSides(...both, { ...flags, shape });
		assert.deepEqual(
			compared.shapes.map(({ shape }) => shape),
			["stats"],
		);
		assert.match(compared.refused[0].reason, /not of this version/);
		const within = {
			...compared,
			shapes: compared.shapes.map((s) => ({ ...s, p50: { ...s.p50, verdict: "within" as const } })),
		};
		const codes = [false, true].map((acceptRefused) => exitCodeOf(within, { ...flags, acceptRefused }));
		assert.deepEqual(codes, [1, 0]);
		assert.equal(
			exitCodeOf({ ...within, shapes: [] }, { ...flags, acceptRefused: true }),
			1,
			"nothing compared",
		);
	});
});

test("over HTTP, a request that costs more or is answered otherwise fails the comparison", () => {
	const request = (asked: string, cost: number, sameBytes = true) => {
		const rounds = Array.from({ length: 6 }, (_, i) => [20 + i, (20 + i) * cost]);
		return { asked, cpuUs: comparedTimes(rounds, 1.1), sameBytes };
	};
	const code = (...requests: ReturnType<typeof request>[]) =>
		exitCodeOf({ shapes: [], refused: [], requests }, { acceptDifferent: false, acceptRefused: false });
	assert.equal(code(request("page", 1.05), request("row", 0.5)), 0);
	assert.equal(code(request("page", 1.05), request("row", 1.2)), 1);
	assert.equal(code(request("page", 1, false)), 1);
	assert.equal(code(), 1, "nothing was compared");
	const table = requestsTable([request("page", 1.2, false), request("row", 0.5)]);
	assert.match(table, /page +22\.5 +27\.0 +1\.200 +1\.200–1\.200 +SLOWER/);
	assert.match(table, /row .* FASTER[\s\S]*page: the sides' responses differ/);
});

test("too few rounds and thresholds below 1 are refused", async () => {
	const refused = async (...args: string[]) => {
		const command = compareCommand()
			.exitOverride()
			.configureOutput({ writeErr: () => undefined });
		await assert.rejects(command.parseAsync([".", ".", ...args], { from: "user" }), /expected/);
	};
	await refused("--rounds", "2");
	await refused("--threshold", "0.9");
});
