/**
 * The fuzzers, for some seconds each: they find nothing in the product, and they find the bugs that are
 * planted.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SEED, tellSeed } from "../oracle/seeded.js";
import { type FuzzTarget, fuzz } from "./fuzzer.js";
import { mutateText } from "./mutations.js";
import { stepsInto } from "./staged-lock.js";
import { TARGETS } from "./targets/index.js";

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));
const SECONDS = 4;
/** Time within which each planted bug has to be found, however slow the machine. */
const CANARY_SECONDS_MAX = 60;
const CANARY_SEED = 2;

for (const [name, start] of Object.entries(TARGETS)) {
	test(`${name}: no random input violates the model`, async (t) => {
		const target = await start(false);
		try {
			const { defeat, runs } = await fuzz(target, { seed: SEED, seconds: SECONDS });
			tellSeed(t, runs);
			assert.equal(defeat, null, `${defeat?.error.stack}\ninput: ${JSON.stringify(defeat?.input)}`);
		} finally {
			await target.close();
		}
	});

	test(`${name}: a planted bug is found and its input reduced`, async (t) => {
		const target = await start(true);
		try {
			const { defeat, runs } = await fuzz(target, { seed: CANARY_SEED, seconds: CANARY_SECONDS_MAX });
			t.diagnostic(`found after ${runs} inputs: ${JSON.stringify(defeat?.input)}`);
			assert.ok(defeat !== null);
			await assert.rejects(target.run(defeat.input), "what is told defeats it again");
		} finally {
			await target.close();
		}
	});
}

/** Advances the lock one letter at a time. */
const door: FuzzTarget = {
	name: "door",
	covers: ["/test/fuzz/staged-lock.js"],
	seeds: ["    "],
	mutate: (input, other, draw) => mutateText(input, other, ["x", "y"], draw),
	async run(input) {
		if (stepsInto(input) === 4) throw new Error("open");
	},
	async close() {},
};

test("guided by coverage the fuzzer opens the lock, by chance it does not", async (t) => {
	const options = { seed: CANARY_SEED, runs: 150_000 };
	const guided = await fuzz(door, options);
	const blind = await fuzz(door, { ...options, guided: false });
	t.diagnostic(`guided: after ${guided.runs} inputs; blind: not after ${blind.runs}`);
	assert.equal(guided.defeat?.input, "roll");
	assert.equal(blind.defeat, null);
});

test("an input that takes too long is a failure", async () => {
	const slow: FuzzTarget = {
		...door,
		run: (input) => new Promise((resolve) => setTimeout(resolve, input === "    " ? 0 : 300)),
	};
	const { defeat } = await fuzz(slow, { seed: 1, runs: 3, runMsMax: 200 });
	assert.match(defeat?.error.message ?? "", /took \d+ ms/);
});

test("the command fuzzes the targets named, and refuses unknown ones", () => {
	const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
	const config = run("config", "--minutes", "0.03", "--seed", "5");
	assert.equal(config.status, 0, config.stdout + config.stderr);
	assert.match(config.stdout, /^config: seed 5: \d+ inputs, .* nothing found$/m);
	assert.equal(run("nothing").status, 2);
	assert.equal(run("config", "--minutes", "never").status, 2);
});
