/**
 * Two months of which a given share of licenses changed: synthetic drops change more from month to month than
 * rosters do. Rows of a synthetic register are in one order in every month, so the newer drop is made line by line:
 * where a license differs, its line is the newer one for a seeded choice of them, else the older one.
 */

import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { dropName } from "../../builder/synth/index.js";
import { snapshotFolder, TRACKED_COLUMNS } from "../../formats/index.js";
import {
	type BenchData,
	type BenchDataOptions,
	buildDrop,
	isBuilt,
	prepareData,
	prepareDrop,
} from "./bench-month.js";

/** Share of the licenses that change from one month to the next, new and gone ones not counted. */
export const CHANGED_SHARE = 0.03;

/** The older and the newer month. */
const MONTHS = ["2026-10", "2026-11"] as const;

/** Lines written at a time. */
const BATCH_LINES = 10_000;

/** Makes and builds the two months where they are missing. `told` receives progress messages. */
export async function prepareChangedMonths(
	options: Omit<BenchDataOptions, "months">,
	told: (message: string) => void,
): Promise<BenchData> {
	const [older, newer] = MONTHS;
	const base = await prepareData({ ...options, months: [older] }, told);
	const folder = join(options.work, `${options.rows}-${options.seed}-changed-${CHANGED_SHARE}`);
	const dataFolder = join(folder, "data");
	if (!isBuilt(dataFolder, newer, told)) {
		const drops = [];
		for (const month of MONTHS) drops.push(await prepareDrop(options, month, told));
		const drop = join(folder, dropName(newer));
		mkdirSync(join(dataFolder, "snapshots"), { recursive: true });
		await writeChangedDrop(drops[0], drops[1], CHANGED_SHARE, drop);
		const linked = snapshotFolder(dataFolder, older);
		if (!existsSync(linked)) symlinkSync(resolve(snapshotFolder(base.dataFolder, older)), linked);
		told(`building ${newer} with ${CHANGED_SHARE * 100} % changed`);
		await buildDrop(drop, dataFolder, newer, options.rowStore ?? true);
	}
	return { folder, dataFolder, months: [newer] };
}

/** Writes the drop `newer` with only the `share` of the licenses of `older` changed, if more have. */
async function writeChangedDrop(older: string, newer: string, share: number, out: string): Promise<void> {
	let [same, changed] = [0, 0];
	let cells: ComparedCells | null = null;
	for await (const [a, b] of pairs(older, newer)) {
		cells ??= comparedCells(a);
		const kind = kindOf(a, b, cells);
		if (kind !== "other") same++;
		if (kind === "changed") changed++;
	}
	const chosen = Math.min(1, (share * same) / Math.max(1, changed));
	const aside = `${out}.partial`;
	await pipeline(Readable.from(changedLines(older, newer, chosen)), createWriteStream(aside));
	renameSync(aside, out);
}

async function* changedLines(older: string, newer: string, chosen: number): AsyncGenerator<string> {
	let lines: string[] = [];
	let cells: ComparedCells | null = null;
	for await (const [a, b] of pairs(older, newer)) {
		cells ??= comparedCells(a);
		lines.push(kindOf(a, b, cells) === "changed" && !isChosen(a, chosen) ? refreshed(a, b) : b);
		if (lines.length < BATCH_LINES) continue;
		yield `${lines.join("\n")}\n`;
		lines = [];
	}
	yield lines.map((line) => `${line}\n`).join("");
}

/** Lines of equal number. Throws if one file has more. */
async function* pairs(older: string, newer: string): AsyncGenerator<readonly [string, string]> {
	const [a, b] = [older, newer].map((path) =>
		createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })[
			Symbol.asyncIterator
		](),
	);
	for (;;) {
		const [left, right] = await Promise.all([a.next(), b.next()]);
		if (left.done !== right.done) throw new Error(`${older} and ${newer} have different numbers of lines`);
		if (left.done || right.done) return;
		yield [left.value, right.value];
	}
}

/** Cells of a drop by which rows are compared. */
interface ComparedCells {
	readonly number: number;
	readonly tracked: readonly number[];
}

function comparedCells(header: string): ComparedCells {
	const names = header.split(",");
	const tracked = TRACKED_COLUMNS.map(({ name }) => names.indexOf(name));
	return { number: names.indexOf("member_state_license_number"), tracked };
}

/** How the lines of one row compare; `other`: they are of different licenses, or parts of rows of several lines. */
function kindOf(
	older: string,
	newer: string,
	{ number, tracked }: ComparedCells,
): "same" | "changed" | "other" {
	if (older === newer) return "same";
	const [a, b] = [cellsOf(older), cellsOf(newer)];
	if (a[number] === undefined || a[number] !== b[number]) return "other";
	return tracked.every((cell) => a[cell] === b[cell]) ? "same" : "changed";
}

/** The cells of a line, those with quotes as they are. */
function cellsOf(line: string): readonly string[] {
	if (!line.includes('"')) return line.split(",");
	return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell);
}

/** A choice by the text alone, so that a drop can be made again. */
function isChosen(line: string, share: number): boolean {
	return createHash("md5").update(line).digest().readUInt32BE() < share * 2 ** 32;
}

/** The older line with the last cell of the newer, the day it was refreshed. */
function refreshed(older: string, newer: string): string {
	return older.slice(0, older.lastIndexOf(",")) + newer.slice(newer.lastIndexOf(","));
}
