/**
 * `npm run fuzz -- NAME [--minutes M] [--seed S]`: random input to one target, or to all in turn.
 *
 * parameters, csv, compressed, mcp, maps and config are guided by coverage; engine repeats the property
 * tests of the engine, formats and CSV with new seeds. Each runs in a process of its own, which is
 * killed, and counts as a failure, where it hangs. A failure is printed with the reduced input and the
 * seed.
 *
 * Exit code 0 where nothing was found, 1 where something was, 2 for a usage error.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TARGETS } from "./targets/index.js";

const PROCESS = fileURLToPath(new URL("./fuzz-process.js", import.meta.url));
const TESTS = fileURLToPath(new URL("../run.js", import.meta.url));
const ENGINE = "engine";
const NAMES = [...Object.keys(TARGETS), ENGINE];
const MINUTES_DEFAULT = 5;
const USAGE = `npm run fuzz -- ${[...NAMES, "all"].join("|")} [--minutes M] [--seed S]`;
/** Time allowed beyond the limit for starting, reducing and exiting. */
const PATIENCE_S = 60;
const ENGINE_RUNS = "3000";

interface Told {
	readonly runs: number;
	readonly seconds: number;
	readonly kept: number;
	readonly defeat: { readonly input: string; readonly error: string } | null;
}

/** Whether nothing was found. */
async function fuzzTarget(name: string, seed: number, seconds: number): Promise<boolean> {
	const scratch = mkdtempSync(join(tmpdir(), "rollcall-fuzz-"));
	const lastInput = join(scratch, "input.json");
	try {
		const args = ["--enable-source-maps", PROCESS, name, String(seed), String(seconds), lastInput];
		const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
		const impatience = setTimeout(() => child.kill("SIGKILL"), (seconds + PATIENCE_S) * 1000);
		let output = "";
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
		const code = await new Promise((resolve) => child.once("close", (c, signal) => resolve(c ?? signal)));
		clearTimeout(impatience);
		if (code !== 0) {
			const [input] = readFileSync(lastInput, "utf8").split("\n");
			console.log(`${name}: seed ${seed}: ended by ${code} on the input ${input}`);
			return false;
		}
		return tell(name, seed, JSON.parse(output) as Told);
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}

function tell(name: string, seed: number, { runs, seconds, kept, defeat }: Told): boolean {
	const rate = Math.round(runs / Math.max(seconds, 0.001));
	const told = `${runs} inputs, ${rate} a second, ${kept} kept`;
	console.log(`${name}: seed ${seed}: ${told}: ${defeat === null ? "nothing found" : "DEFEATED"}`);
	if (defeat !== null) console.log(`${defeat.error}\ninput: ${JSON.stringify(defeat.input)}`);
	return defeat === null;
}

function fuzzEngine(seed: number, seconds: number): boolean {
	const untilMs = performance.now() + seconds * 1000;
	for (let round = 0; performance.now() < untilMs; round++) {
		const args = [TESTS, "engine/", "formats/", "csv/parallel", "csv/cells"];
		args.push("--runs", ENGINE_RUNS, "--seed", String(seed + round));
		const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });
		console.log(`engine: seed ${seed + round}: ${status === 0 ? "nothing found" : `DEFEATED\n${stdout}`}`);
		if (status !== 0) return false;
	}
	return true;
}

async function main(): Promise<number> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { minutes: { type: "string" }, seed: { type: "string" }, help: { type: "boolean" } },
	});
	if (values.help === true) {
		console.log(USAGE);
		return 0;
	}
	const [name] = positionals;
	const minutes = Number(values.minutes ?? MINUTES_DEFAULT);
	const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
	if ((name !== "all" && !NAMES.includes(name)) || !(minutes > 0) || !Number.isSafeInteger(seed)) {
		console.error(USAGE);
		return 2;
	}
	const chosen = name === "all" ? NAMES : [name];
	const seconds = (minutes * 60) / chosen.length;
	let sound = true;
	for (const one of chosen) {
		const nothing = one === ENGINE ? fuzzEngine(seed, seconds) : await fuzzTarget(one, seed, seconds);
		sound = nothing && sound;
	}
	return sound ? 0 : 1;
}

process.exitCode = await main();
