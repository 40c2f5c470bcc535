/** The command `synth` and the files it writes. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { runProgram } from "../../builder/command-line.js";
import { BuildError } from "../../builder/errors.js";
import { synthCommand } from "../../builder/synth/command.js";
import { synthesize } from "../../builder/synth/index.js";
import { type Ended, runCommandLine } from "../command-line.js";
import { inFolder } from "./drops.js";

const PROGRAM = fileURLToPath(new URL("program.js", import.meta.url));

function synth(...args: string[]): Promise<Ended> {
	return runCommandLine("builder", ["synth", ...args]);
}

test("a range of months makes one drop each, reported as one JSON document", async () => {
	await inFolder(async (folder) => {
		const out = join(folder, "new", "drops");
		const range = ["--rows", "300", "--months", "2025-12..2026-02", "--seed", "-5", "--out", out];
		const { code, stdout, stderr } = await synth(...range, "--json");
		assert.equal(code, 0, stderr);
		assert.equal(stderr, "");
		const months = ["2025-12", "2026-01", "2026-02"];
		const files = months.map((month) => {
			const path = join(out, `licenses-${month}.csv`);
			return { path, month, rows: 300, bytes: statSync(path).size };
		});
		assert.deepEqual(JSON.parse(stdout), { files });
		assert.equal(readdirSync(out).length, 3);
	});
});

test("without --json people read a table", async () => {
	await inFolder(async (folder) => {
		const { code, stdout } = await synth("--rows", "70", "--months", "2026-11", "--out", folder);
		assert.equal(code, 0);
		assert.match(stdout, /licenses-2026-11\.csv +70 +\d/);
	});
});

test("wrong usage exits 2 and writes nothing", async () => {
	await inFolder(async (folder) => {
		const out = join(folder, "drops");
		const wrong = [
			["--rows", "0", "--months", "2026-11"],
			["--rows", "1e3", "--months", "2026-11"],
			["--rows", "100000000", "--months", "2026-11"],
			["--rows", "5", "--months", "2026-13"],
			["--rows", "5", "--months", "2026-11..2026-09"],
			["--rows", "5", "--months", "2026-11,2026-11"],
			["--rows", "5", "--months", "2050-01"],
			["--rows", "5", "--months", "2026-11", "--seed", "x"],
			["--rows", "5", "--months", "2026-11", "--sede", "1"],
			["--months", "2026-11"],
		];
		for (const args of wrong) {
			let said = "";
			const command = synthCommand().configureOutput({
				writeErr: (text) => {
					said += text;
				},
			});
			const program = new Command("builder").addCommand(command);
			assert.equal(await runProgram(program, ["synth", ...args, "--out", out]), 2, args.join(" "));
			assert.match(said, /^error: /);
		}
		assert.ok(!existsSync(out));
	});
});

test("a folder that cannot be written exits 1 with one line that names the file", async () => {
	await inFolder(async (folder) => {
		const file = join(folder, "file");
		writeFileSync(file, "");
		const { code, stdout, stderr } = await synth(
			"--rows",
			"5",
			"--months",
			"2026-11",
			"--out",
			file,
			"--json",
		);
		assert.equal(code, 1);
		assert.equal(JSON.parse(stdout).error.code, "unwritable_file");
		assert.match(stderr, /^[^\n]*licenses-2026-11\.csv: [^\n]+\n$/);
	});
});

test("options that produce no drop are refused", async () => {
	await inFolder(async (out) => {
		const sound = { rows: 10, months: ["2026-11"], seed: 1, out };
		const wrong = [
			{ ...sound, rows: 1.5 },
			{ ...sound, seed: 0.5 },
			{ ...sound, months: [] },
			{ ...sound, months: ["2026-11", "2026-11"] },
			{ ...sound, months: ["1999-12"] },
		];
		for (const options of wrong) {
			await assert.rejects(
				synthesize(options),
				(error: unknown) => error instanceof BuildError && error.code === "bad_synth_options",
			);
		}
		assert.deepEqual(readdirSync(out), []);
	});
});

test("progress counts the rows over all months", async () => {
	await inFolder(async (out) => {
		const told: number[] = [];
		await synthesize({
			rows: 30_000,
			months: ["2026-10", "2026-11"],
			seed: 1,
			out,
			onProgress: (rows) => told.push(rows),
		});
		assert.deepEqual(
			told,
			[...told].sort((a, b) => a - b),
		);
		assert.ok(told.length > 3);
		assert.equal(told.at(-1), 60_000);
	});
});

test("a killed run leaves no drop under its name, and the next run cleans up", async () => {
	await inFolder(async (folder) => {
		const args = ["synth", "--rows", "3000000", "--months", "2026-11", "--out", folder];
		const run = spawn(process.execPath, [PROGRAM, ...args], { stdio: "ignore" });
		const partial = join(folder, `licenses-2026-11.csv.${run.pid}.partial`);
		const exited = once(run, "exit");
		for (const until = Date.now() + 30_000; Date.now() < until; ) {
			if (existsSync(partial) && statSync(partial).size > 0) break;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		run.kill("SIGKILL");
		await exited;
		assert.deepEqual(readdirSync(folder), [`licenses-2026-11.csv.${run.pid}.partial`]);
		// What a process still writes stays.
		const others = `licenses-2026-11.csv.${process.ppid}.partial`;
		writeFileSync(join(folder, others), "");
		await synthesize({ rows: 100, months: ["2026-11"], seed: 1, out: folder });
		assert.deepEqual(readdirSync(folder).sort(), ["licenses-2026-11.csv", others]);
		assert.equal(readFileSync(join(folder, "licenses-2026-11.csv"), "utf8").split("\n").length, 102);
	});
});
