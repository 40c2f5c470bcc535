/**
 * Rows encoded in WebAssembly are those encoded from the mapped columns, byte for byte: with values of any length, with
 * bytes that JSON escapes, codes of any width, and corrupt columns.
 */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { RowMemory, STAGED_ROWS } from "../../builder/compile/row-memory.js";
import { type EncodeRows, rowsEncoder } from "../../builder/compile/row-segment.js";
import { ByteSink, StoredRowEncoder } from "../../engine/index.js";
import {
	type Codes,
	type Column,
	columnNamed,
	FormatError,
	SnapshotFiles,
	snapshotFolder,
	TEXT_COLUMNS,
} from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { fuzzRuns, SEED, tellSeed } from "../oracle/seeded.js";

const MONTH = "2026-11";
/** Lengths about those of vectors, and about the longest of one byte. */
const LENGTHS = [1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 130, 253, 254, 255, 256, 700];
const SHORT_LENGTHS = LENGTHS.filter((length) => length < 40);
const ESCAPED = ['"', "\\", "\n", "\t", "\u0001", "\u001f"];
const UNESCAPED = ["e", " ", "!", "#", "[", "]", "\u007f", "\u00e9", "\u20ac", "7"];

interface Habits {
	readonly lengths: readonly number[];
	/** One value in so many has a byte that JSON escapes. */
	readonly escaped: number;
	/** One value in so many is absent. */
	readonly absent: number;
}

function text(draw: Draw, { lengths, escaped }: Habits): string {
	const length = draw.pick(lengths);
	const characters = Array.from({ length }, () => draw.pick(UNESCAPED));
	if (draw.oneIn(escaped)) characters[draw.below(length)] = draw.pick(ESCAPED);
	// Spaces around a value are the parser's to remove.
	return `${characters.join("")}.`;
}

function someRows(draw: Draw): RawRow[] {
	const habits = {
		lengths: draw.oneIn(3) ? LENGTHS : SHORT_LENGTHS,
		escaped: draw.pick([2, 40, 1000, 100_000]),
		absent: draw.pick([2, 5, 50]),
	};
	const columns = ["member_first_name", "office_name", "member_city", ...TEXT_COLUMNS.map((c) => c.name)];
	const rows = draw.pick([1, 63, 64, 65, 200, STAGED_ROWS + 70, 2 * STAGED_ROWS]);
	return Array.from({ length: rows }, (_, row) => {
		const value = () => (draw.oneIn(habits.absent) ? "" : text(draw, habits));
		const drawn = Object.fromEntries(columns.map((name) => [name, value()]));
		return { state: draw.pick(["CA", "TX", "QC"]), member_state_license_number: `L${row}`, ...drawn };
	});
}

/** The files, with `change` made to the columns' codes. */
function withCodes(files: SnapshotFiles, change: (codes: Codes, column: Column) => Codes): SnapshotFiles {
	const value = (column: Column) => change(files.codes(column), column);
	return Object.create(files, { codes: { value } }) as SnapshotFiles;
}

/** Fills the rooms of staged rows with these, so that what is read beyond others is not zeros. */
function filled(encode: EncodeRows, rows: number): EncodeRows {
	try {
		encode(0, Math.min(rows, STAGED_ROWS), new ByteSink(), new Uint32Array(STAGED_ROWS));
	} catch (error) {
		assert.ok(error instanceof FormatError);
	}
	return encode;
}

/** Rows [from, to) as both encode them, or the error of the one that reads the columns. */
function encodeTwice(files: SnapshotFiles, from: number, to: number) {
	const outcome = (encode: (sink: ByteSink, ends: Uint32Array) => void) => {
		const sink = new ByteSink(16);
		sink.text("before");
		const ends = new Uint32Array(to - from);
		try {
			encode(sink, ends);
		} catch (error) {
			return (error as Error).message;
		}
		return { bytes: Buffer.from(sink.view()).toString("latin1"), ends };
	};
	const { rows } = files.catalog;
	return {
		encoded: outcome((sink, ends) => filled(rowsEncoder(files), rows)(from, to, sink, ends)),
		expected: outcome((sink, ends) => new StoredRowEncoder(files).rows(from, to, sink, ends)),
	};
}

/** Runs `check` on months of random rows. */
async function onMonths(
	runs: number,
	check: (files: SnapshotFiles, draw: Draw, context: string) => void,
): Promise<void> {
	for (let run = 0; run < runs; run++) {
		const draw = new Draw(SEED, run);
		await onMonth(someRows(draw), draw, (files) => check(files, draw, `run ${run}`));
	}
}

/** A range of at most as many rows as are staged. */
function someRange(rows: number, draw: Draw): [number, number] {
	const from = draw.oneIn(2) ? 0 : draw.below(rows);
	return [from, Math.min(rows, from + draw.pick([1, 64, 65, STAGED_ROWS]))];
}

test("rows are encoded as from their columns, with codes of any width", async (t) => {
	const runs = fuzzRuns(15);
	tellSeed(t, runs);
	await onMonths(runs, (files, draw, context) => {
		const Wider = draw.pick([null, Uint16Array, Uint32Array]);
		const wide = Wider === null ? files : withCodes(files, (codes) => Wider.from(codes));
		const [from, to] = someRange(files.catalog.rows, draw);
		const { encoded, expected } = encodeTwice(wide, from, to);
		assert.deepEqual(encoded, expected, `${context}, rows ${from} to ${to}`);
	});
});

test("rows of corrupt columns are encoded as from these", async (t) => {
	const runs = fuzzRuns(15);
	tellSeed(t, runs);
	await onMonths(runs, (files, draw, context) => {
		const { rows } = files.catalog;
		const damage = (words: Iterable<number>) => {
			const changed = Uint32Array.from(words);
			const last = changed.length - 1;
			const at = draw.oneIn(3) ? last : draw.below(changed.length);
			changed[at] = draw.pick([0, 9, changed[last] + 9, 1e6, 2 ** 31, 2 ** 32 - 1]);
			// Two offsets out of order by themselves, or a value past the end of the heap.
			if (draw.oneIn(2)) changed[at + 1] = changed[at] + draw.below(20);
			return changed;
		};
		const [cities, addresses] = [columnNamed("member_city"), columnNamed("member_address")];
		const offices = columnNamed("office_name");
		const codes = damage(files.codes(offices));
		const damaged = withCodes(files, (sound, column) => (column === offices ? codes : sound));
		const dictionary = Object.create(files.dictionary(cities), {
			offsets: { value: damage(files.dictionary(cities).offsets) },
		});
		const texts = Object.create(files.text(addresses), {
			offsets: { value: damage(files.text(addresses).offsets) },
		});
		const corrupt = Object.create(damaged, {
			dictionary: { value: (column: Column) => (column === cities ? dictionary : files.dictionary(column)) },
			text: { value: (column: Column) => (column === addresses ? texts : files.text(column)) },
		}) as SnapshotFiles;
		const [from, to] = someRange(rows, draw);
		const { encoded, expected } = encodeTwice(corrupt, from, to);
		assert.deepEqual(encoded, expected, `${context}, rows ${from} to ${to}`);
	});
});

/** Runs `work` on a month of `rows`. */
async function onMonth(
	rows: readonly RawRow[],
	draw: Draw,
	work: (files: SnapshotFiles) => void,
): Promise<void> {
	const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-encode-"));
	try {
		await compileRows(rows, MONTH, folder, false, draw);
		work(SnapshotFiles.open(snapshotFolder(folder, MONTH)));
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function memoryOf(files: SnapshotFiles): RowMemory {
	const memory = RowMemory.of(files);
	assert.ok(memory !== null);
	return memory;
}

test("most rows are encoded in WebAssembly, and a row is left out for a long or an escaped value alone", async () => {
	const values = [
		".".repeat(254),
		".".repeat(255),
		'say "when"',
		"back\\slash",
		"tab\tstop",
		"del\u007f \u00e9",
		"",
	];
	const rows = values.map((office_name, i) => ({ state: "CA", member_last_name: `A${i}`, office_name }));
	await onMonth(rows, new Draw(1, 1), (files) => {
		const memory = memoryOf(files);
		assert.ok(memory.stage(0, rows.length));
		const left = [...rows.keys()].filter((row) => {
			return memory.encode(row, row + 1, new ByteSink(), new Uint32Array(1)) === row;
		});
		assert.deepEqual(left, [1, 2, 3, 4]);
	});
});

test("texts that have no room are not staged", async () => {
	const rows = Array.from({ length: 64 }, (_, i) => ({
		state: "CA",
		member_state_license_number: `L${i}`,
		member_address: ".".repeat(4096),
	}));
	await onMonth(rows, new Draw(1, 1), (files) => {
		assert.equal(memoryOf(files).stage(0, 63), true);
		assert.equal(memoryOf(files).stage(0, 64), false);
		const { encoded, expected } = encodeTwice(files, 0, 64);
		assert.deepEqual(encoded, expected);
	});
});
