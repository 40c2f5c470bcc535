/**
 * A process that damages a month, opens it, runs every kind of query and verifies it, once for each number
 * in [first, end), and writes one JSON line each: that it begins, and what came of it. It may die of
 * what it does; who started it sees which number it had begun.
 *
 * Arguments: data folder, month, seed, first, end. Runs with --expose-gc, so that mappings of past
 * openings go.
 */

import { linkSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { BuildError } from "../../../builder/errors.js";
import { openLibrary } from "../../../engine/index.js";
import { FormatError, SnapshotFiles, snapshotFolder } from "../../../formats/index.js";
import { Draw } from "../../oracle/draw.js";
import { verifySnapshot } from "../../oracle/verify-snapshot.js";
import { DAMAGES } from "./mutations.js";
import { type Asked, askEverything } from "./questions.js";

/** Attempts between collections of unused mappings. */
const COLLECT_EVERY = 40;

export type Line =
	| { readonly kind: "begun"; readonly number: number; readonly damage: string; readonly file: string }
	| { readonly kind: "done"; readonly number: number; readonly outcome: Outcome };

export interface Outcome {
	/** Code of the error at open; null where the month opened. */
	readonly refused: string | null;
	/** Whether the damage is seen by a verification, be it at open. */
	readonly seen: boolean;
	/** Whether every answer is that of the sound month. */
	readonly sameAnswers: boolean;
	/** Error of a verification that is neither a FormatError nor a BuildError. */
	readonly verifyFault: string | null;
	readonly asked: Asked | null;
}

function say(line: Line): void {
	writeFileSync(1, `${JSON.stringify(line)}\n`);
}

/** Opens the month as a server does and asks. */
function open(
	dataFolder: string,
	mapping: "mmap" | "shared-memory",
): { refused: string | null; asked: Asked | null } {
	const library = openLibrary({ dataFolder, mapping });
	const { latest, failed } = library;
	if (latest === null) return { refused: failed[0]?.error.code ?? "nothing", asked: null };
	const asked = askEverything(latest);
	library.close();
	return { refused: null, asked };
}

function verify(folder: string): { seen: boolean; verifyFault: string | null } {
	try {
		verifySnapshot(SnapshotFiles.open(folder));
		return { seen: false, verifyFault: null };
	} catch (error) {
		if (error instanceof FormatError || error instanceof BuildError) return { seen: true, verifyFault: null };
		return { seen: true, verifyFault: (error as Error).stack ?? String(error) };
	}
}

async function main([dataFolder, month, seed, first, end]: readonly string[]): Promise<void> {
	const folder = snapshotFolder(dataFolder, month);
	const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
		statSync(join(folder, name)).isFile(),
	);
	const sound = open(dataFolder, "mmap").asked?.digest;
	for (let number = Number(first); number < Number(end); number++) {
		const draw = new Draw(Number(seed), number);
		const [damage, apply] = draw.pick(DAMAGES);
		const file = draw.pick(files);
		const path = join(folder, file);
		const kept = join(dataFolder, "kept");
		say({ kind: "begun", number, damage, file });
		linkSync(path, kept);
		try {
			const damaged = apply(readFileSync(path), draw);
			unlinkSync(path);
			writeFileSync(path, damaged);
			const { refused, asked } = open(dataFolder, draw.oneIn(2) ? "mmap" : "shared-memory");
			const verified = refused === null ? verify(folder) : { seen: true, verifyFault: null };
			say({
				kind: "done",
				number,
				outcome: { refused, asked, sameAnswers: asked?.digest === sound, ...verified },
			});
		} finally {
			unlinkSync(path);
			linkSync(kept, path);
			unlinkSync(kept);
		}
		if (number % COLLECT_EVERY === 0) globalThis.gc?.();
		await setImmediate();
	}
}

await main(process.argv.slice(2));
