/**
 * The fuzzers, for a moment each: they find nothing in the product, they see the bugs that are planted, and find
 * some of them. Long forms: `npm run fuzz` for the product; `--runs 1` to find every planted bug.
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
const SECONDS = 0.6;
/** Time within which each planted bug has to be found, however slow the machine. */
const CANARY_SECONDS_MAX = 60;
const CANARY_SEED = 5;
/**
 * An input that meets the planted bug, as an earlier search found and reduced it, of each target whose search
 * takes long; these searches are on request.
 */
const CANARIES: Readonly<Record<string, string>> = {
	parameters: "/v?fields=sort=count=",
	csv: 'b\nNew-york,,,\r\nNew-york,,,\nCA,,"",',
	mcp: '{"id":"","method":"tools/call","params":{"":"","arguments":{"state":["",""],"":"","":5}}}',
	config:
		'{"file":{"port":0,"workers":2,"log_level":"info"},"environment":{"ROLLCALL_CORS_ORIGINS":"http://a,http://b"}}',
	maps: '{"columns":{"":"member_state_license_number"},"constants":{"state":"TX"},"dateFormat":"M/D/YYYY","nulls":["A"],"encoding":"cp850"}',
};
const ON_REQUEST = process.env.ROLLCALL_FUZZ_RUNS !== undefined;

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

	const canary = CANARIES[name];
	if (canary !== undefined)
		test(`${name}: a planted bug violates the model`, async () => {
			for (const isPlanted of [true, false]) {
				const target = await start(isPlanted);
				try {
					if (isPlanted) await assert.rejects(target.run(canary));
					else await target.run(canary);
				} finally {
					await target.close();
				}
			}
		});

	if (canary !== undefined && !ON_REQUEST) continue;
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
	const options = { seed: CANARY_SEED, runs: 20_000 };
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
	const config = run("config", "--minutes", "0.01", "--seed", "5");
	assert.equal(config.status, 0, config.stdout + config.stderr);
	assert.match(config.stdout, /^config: seed 5: \d+ inputs, .* nothing found$/m);
	assert.equal(run("nothing").status, 2);
	assert.equal(run("config", "--minutes", "never").status, 2);
});
