/** `bench micro`: costs of the kernels, the basis of the planner's costs (engine/tuning.ts). */

import { Command } from "commander";
import { Bench } from "tinybench";
import { formatTable } from "../../builder/command-line.js";
import { ByteSink, type Snapshot } from "../../engine/index.js";
import { countCommon, countWords, setRows } from "../../engine/kernels/bitmap.js";
import { countMatches, listMatches } from "../../engine/kernels/bitmap-probe.js";
import { countBuckets, keepMarked } from "../../engine/kernels/buckets.js";
import { keepCodes, scanCodes } from "../../engine/kernels/codes.js";
import { storeAnd } from "../../engine/kernels/combine-bitmaps.js";
import { listRows } from "../../engine/kernels/list-rows.js";
import { BitmapMemory } from "../../engine/kernels/simd.js";
import { bitmapWords, columnNamed, SnapshotFiles, snapshotFolder } from "../../formats/index.js";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { ValueSource } from "../shapes/value-source.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface MicroFlags extends DataFlags {
	readonly time: number;
	readonly json: boolean;
}

/** A loop and the number of elements that one call processes; null: the cost of a call is reported. */
interface Kernel {
	readonly name: string;
	readonly elements: number | null;
	readonly run: () => unknown;
}

export function microCommand(): Command {
	const command = new Command("micro")
		.description("measure the engine's kernels and its rendering, in nanoseconds")
		.option("--time <ms>", "milliseconds each kernel is run", wholeNumber, 300)
		.option("--json", "print one JSON document", false);
	return withDataOptions(command).action(async (flags: MicroFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const snapshot = openSnapshot(data);
		const files = SnapshotFiles.open(snapshotFolder(data.dataFolder, DEFAULT_MONTH));
		const figures = await measureKernels(
			[...lookups(snapshot, files), ...verifications(snapshot), ...loops(files), ...renderings(snapshot)],
			flags.time,
		);
		if (flags.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
		else
			process.stdout.write(
				`${formatTable(
					["kernel", "ns", "per"],
					figures.map((f) => [f.name, f.ns.toFixed(2), f.per]),
				)}\n`,
			);
	});
}

/** Median nanoseconds of each kernel, per element or per call. */
export async function measureKernels(kernels: readonly Kernel[], time: number) {
	const bench = new Bench({ time, warmupTime: time / 4 });
	for (const { name, run } of kernels) bench.add(name, run);
	await bench.run();
	return kernels.map(({ name, elements }) => {
		const result = bench.getTask(name)?.result;
		if (result === undefined || !("latency" in result)) throw new Error(`${name} was not measured`);
		const ns = result.latency.p50 * 1e6;
		return { name, ns: ns / (elements ?? 1), per: elements === null ? "call" : "element" };
	});
}

function lookups(snapshot: Snapshot, files: SnapshotFiles): Kernel[] {
	const names = files.dictionary(columnNamed("member_full_name"));
	const source = ValueSource.seeded(snapshot, 1, 0);
	const values = Array.from({ length: 1024 }, () => source.value("member_full_name"));
	let i = 0;
	return [
		{
			name: "find an exact value in a dictionary",
			elements: null,
			run: () => names.find(values[i++ & 1023]),
		},
		{
			name: "find a prefix's range in a dictionary",
			elements: null,
			run: () => names.prefixRange(values[i++ & 1023].slice(0, 3)),
		},
	];
}

/** Licenses of one call of `/v1/verify`, and calls before a license is asked again. */
const VERIFIED = 100;
const VERIFY_CALLS = 200;

/** 100 licenses a call, with last names: by the number as stored, and without its leading zeros or its letters. */
function verifications(snapshot: Snapshot): Kernel[] {
	const source = ValueSource.seeded(snapshot, 1, 1);
	const licenses = Array.from({ length: VERIFIED * VERIFY_CALLS }, () => {
		const row = source.row();
		return {
			state: String(snapshot.value(row, "state")),
			licenseNumber: String(snapshot.value(row, "member_state_license_number")),
			lastName: String(snapshot.value(row, "member_last_name") ?? ""),
		};
	});
	const respelled = licenses.map((license) => ({
		...license,
		licenseNumber: respell(license.licenseNumber),
	}));
	const verifyAll = (all: typeof licenses) => {
		let at = 0;
		return () => {
			for (let i = 0; i < VERIFIED; i++)
				snapshot.verifyLicense(all[at + i], { geography: null, reads: () => true });
			at = (at + VERIFIED) % all.length;
		};
	};
	return [
		{ name: "verify 100 licenses", elements: null, run: verifyAll(licenses) },
		{ name: "verify 100 licenses in another spelling", elements: null, run: verifyAll(respelled) },
	];
}

/** Another spelling of a license number: its digits without leading letters and zeros, or with a zero before them. */
function respell(number: string): string {
	const plain = number.replace(/^[A-Za-z]*[^A-Za-z0-9]*0*(?=\d)/, "");
	return plain === number ? `0${number}` : plain;
}

/** The kernels whose costs are in engine/tuning.ts, by the same names. */
function loops(files: SnapshotFiles): Kernel[] {
	const { rows } = files.catalog;
	const words = bitmapWords(rows);
	const memory = BitmapMemory.allocate(words, 2);
	const target = memory?.take() ?? new Uint32Array(words);
	const other = (memory?.take() ?? new Uint32Array(words)).fill(0x11111111);
	const set = countWords(other, 0, words);
	const list = new Uint32Array(words * 32);
	const expires = columnNamed("member_license_expires");
	const order = files.permutation(expires).rows;
	const codes = files.codes(expires);
	const middle = files.dictionary(expires).distinct >>> 1;
	const some = Math.min(rows, 50_000);
	const kept = new Uint32Array(some);
	const few = Uint32Array.from({ length: some }, (_, i) => i * Math.floor(rows / some));
	const buckets = files.orderBuckets(expires).ofRows;
	const counts = new Uint32Array(256);
	const marks = new Uint8Array(256).fill(1, 100, 104);
	return [
		{
			name: "andWord: combine two bitmaps",
			elements: words,
			run: () => storeAnd(target, target, other, 0, words),
		},
		{ name: "clearWord: clear a bitmap", elements: words, run: () => target.fill(0) },
		{ name: "count a bitmap", elements: words, run: () => countWords(other, 0, words) },
		{
			name: "countWord: count the intersection of two bitmaps",
			elements: words,
			run: () => countCommon(target, other, 0, words),
		},
		{
			name: "listWord: list a bitmap's rows",
			elements: words,
			run: () => listRows(other, 0, words, set, list, 0),
		},
		{ name: "setRow: set the rows of postings", elements: some, run: () => setRows(target, order, 0, some) },
		{
			name: "testRow: test listed rows by code",
			elements: some,
			run: () => {
				kept.set(order.subarray(0, some));
				return keepCodes(kept, some, codes, { from: 0, to: middle });
			},
		},
		{
			name: "scanRow: test a run's rows by code",
			elements: some,
			run: () => scanCodes(codes, { from: 0, to: some }, { from: 0, to: middle }, list, 0),
		},
		{
			name: "narrowRow: count rows by bucket, keep those of some",
			elements: some,
			run: () => {
				countBuckets(few, buckets, counts);
				return keepMarked(few, buckets, marks, kept);
			},
		},
		{
			name: "scanStep: count matches along an index",
			elements: some,
			run: () => countMatches(order, other, 0, some),
		},
		{
			name: "listStep: list matches along an index",
			elements: some,
			run: () => listMatches(order, other, 0, some, list, 0),
		},
	];
}

function renderings(snapshot: Snapshot): Kernel[] {
	const sink = new ByteSink();
	const rows = Uint32Array.from({ length: Math.min(100, snapshot.rows) }, (_, i) => i);
	const columns = WHOLE_ROW.columns;
	const render =
		(names: typeof columns, format: "json" | "csv", masked = false) =>
		() => {
			sink.reset();
			snapshot.renderRows(rows, { columns: names, masked }, format, sink);
		};
	return [
		{ name: "render 100 rows, all columns, JSON", elements: null, run: render(columns, "json") },
		{ name: "render 100 rows, 24 columns, JSON", elements: null, run: render(columns.slice(0, -1), "json") },
		{ name: "render 100 rows, 3 columns, JSON", elements: null, run: render(columns.slice(0, 3), "json") },
		{ name: "render 100 rows, masked, JSON", elements: null, run: render(columns, "json", true) },
		{ name: "render 100 rows, all columns, CSV", elements: null, run: render(columns, "csv") },
	];
}
