/** One build in a process of its own: wall-clock time and peak resident memory. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ownChild } from "../processes/own-children.js";

const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const PACKAGE = new URL("../../../package.json", import.meta.url);
/**
 * Interval between reads of the peak, in milliseconds. The peak only grows, so at most growth in the
 * last interval is missed.
 */
const LOOK_MS = 50;

export interface BuildFigures {
	readonly seconds: number;
	readonly rows: number;
	/** Peak resident memory; null where the system does not report it. */
	readonly peakBytes: number | null;
	readonly stages: Readonly<Record<string, number>>;
}

/** Builds `drop` into `dataFolder`, which is removed first; `map` is a map file, or null; `nodeArgs` are further arguments of Node itself. */
export async function runBuilder(
	drop: string,
	dataFolder: string,
	rowStore: boolean,
	map: string | null = null,
	nodeArgs: readonly string[] = [],
): Promise<BuildFigures> {
	rmSync(dataFolder, { recursive: true, force: true });
	const args = [
		...commandArgs(),
		...nodeArgs,
		BUILDER,
		"build",
		drop,
		"--data",
		dataFolder,
		"--json",
		...(rowStore ? [] : ["--no-row-store"]),
		...(map === null ? [] : ["--map", map]),
	];
	const startedMs = performance.now();
	const child = ownChild(spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] }));
	const said = { out: "", err: "" };
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		said.out += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		said.err += text;
	});
	let peakBytes: number | null = null;
	const look = setInterval(() => {
		peakBytes = peakOf(child.pid) ?? peakBytes;
	}, LOOK_MS);
	const [code] = (await once(child, "close")) as [number | null];
	clearInterval(look);
	const seconds = (performance.now() - startedMs) / 1000;
	if (code !== 0) throw new Error(`the build ended with code ${code}: ${said.err.trim()}`);
	const report = JSON.parse(said.out) as { rows: number; seconds: Record<string, number> };
	return { seconds, rows: report.rows, peakBytes, stages: report.seconds };
}

/** The arguments of Node with which `npm run builder` runs the builder. */
function commandArgs(): string[] {
	const { scripts } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { scripts: { builder: string } };
	const [, args] = /^exec node (--.*) dist\/builder\/main\.js$/.exec(scripts.builder) ?? [];
	if (args === undefined) throw new Error(`unknown form of the script "builder": ${scripts.builder}`);
	return args.split(" ");
}

function peakOf(pid: number | undefined): number | null {
	try {
		const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
		return match === null ? null : Number(match[1]) * 1024;
	} catch {
		// The process ended between two reads, or the system has no /proc.
		return null;
	}
}
