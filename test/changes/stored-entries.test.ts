/** Entries written from whole rows: equal to those written from the columns, and of damaged rows never past their room. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeWholeChanges } from "../../builder/changes/keep-changes.js";
import { ChangeLines } from "../../engine/changes/change-lines.js";
import { ChangeObjects } from "../../engine/changes/change-objects.js";
import { type EntryForm, LABELS_BYTES, StoredEntries } from "../../engine/changes/stored-entries.js";
import {
	ByteSink,
	CHANGE_KINDS,
	type ChangeSet,
	ChangesWriter,
	openLibrary,
	type Projection,
	type RowFormat,
	type Snapshot,
} from "../../engine/index.js";
import { KERNEL_BYTES, SLACK_BYTES } from "../../engine/render/stored-kernel.js";
import { COLUMNS, snapshotFolder, TRACKED_COLUMNS } from "../../formats/index.js";
import { compileRows } from "../engine/compiled-month.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { Draw } from "../oracle/draw.js";
import type { RawRow } from "../oracle/naive-rows.js";

const MONTHS = ["2026-10", "2026-11"] as const;
const FORMATS = ["json", "ndjson", "csv"] as const;
const FIELDS = TRACKED_COLUMNS.map(({ name }) => name);
const columns = COLUMNS.map(({ name }) => name);
const WHOLE: Projection = { columns, masked: false };
/** Several blocks of each kind. */
const LICENSES = 600;
const TEXTS = [
	"",
	"plain",
	'a "quote"',
	"back\\slash",
	"a, comma",
	"=1+1",
	"é😀",
	"tab\there",
	"x".repeat(15),
];
const LONG = [300, 1_000, 2_000].map((length) => "y".repeat(length));
/** Longer than the rows that entries are written from. */
const TOO_LONG = "z".repeat(6_200);

function drop(month: number, draw: Draw): RawRow[] {
	const rows: RawRow[] = [];
	for (let license = 0; license < LICENSES; license++) {
		if (month === 0 ? license % 3 === 1 : license % 3 === 2) continue;
		const text = () => (draw.oneIn(400) ? TOO_LONG : draw.oneIn(10) ? draw.pick(LONG) : draw.pick(TEXTS));
		const names = { member_full_name: text(), member_last_name: text(), office_name: text() };
		const rest = { member_address: text(), member_city: draw.pick(TEXTS), agent_count: draw.pick(["", "7"]) };
		const state = draw.pick(["CA"]);
		rows.push({ ...names, ...rest, state, member_state_license_number: `L${license}`, member_type: text() });
	}
	return rows;
}

/** By whether the newer and the older month have stored rows, and older rows are stored with the changes. */
const sets = new Map<string, ChangeSet>();
/** Of the same months without stored rows. */
let plain: ChangeSet;
const folders: string[] = [];

before(async () => {
	for (const [newer, older, beside] of [
		[true, true, false],
		[true, false, false],
		[true, false, true],
		[false, true, false],
		[false, false, false],
	]) {
		const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-entries-"));
		folders.push(folder);
		const draw = new Draw(11, 1);
		await compileRows(drop(0, draw), MONTHS[0], folder, older, draw);
		await compileRows(drop(1, draw), MONTHS[1], folder, newer, draw);
		const [fromFolder, toFolder] = MONTHS.map((month) => snapshotFolder(folder, month));
		if (beside) await makeWholeChanges(folder, fromFolder, toFolder);
		const library = openLibrary({ dataFolder: folder });
		const [from, to] = MONTHS.map((month) => library.find(month) as Snapshot);
		assert.deepEqual([to.hasRowStore, from.hasRowStore], [newer, older]);
		const name = `stored rows: newer ${newer}, older ${older}, with the changes ${beside}`;
		if (newer || older) sets.set(name, library.changes(from, to));
		else plain = library.changes(from, to);
	}
});

after(() => {
	for (const folder of folders) rmSync(folder, { recursive: true });
});

/** `fields`: those whose change makes a license changed. */
function written(
	set: ChangeSet,
	projection: Projection,
	format: RowFormat,
	step: number,
	fields = FIELDS,
): string {
	const query = { filters: {}, geography: null, kinds: CHANGE_KINDS, fields, after: null };
	const page = set.query({ ...query, limit: 100_000 });
	const count = page.runs.reduce((sum, { rows }) => sum + rows.length, 0);
	assert.equal(page.runs.length, 3, "each kind");
	for (const { kind, rows } of page.runs) assert.ok(rows.length > (kind === "changed" ? 100 : 150), "blocks");
	const sink = new ByteSink();
	const writer = new ChangesWriter(set, projection, () => true, format);
	for (let first = 0; first < count; first += step) {
		if (format === "json" && first > 0) sink.text(",");
		writer.entries(page, first, Math.min(count, first + step), sink);
	}
	return sink.view().toString();
}

test("entries from stored rows equal those from the columns, long ones and ones with escapes too", (t) => {
	const append = t.mock.method(StoredEntries.prototype, "append").mock;
	for (const [name, set] of sets) {
		for (const format of FORMATS) {
			for (const step of [1_000, 37]) {
				const before = append.callCount();
				const expected = written(plain, WHOLE, format, step);
				assert.equal(append.callCount(), before, "without stored rows they are written from the columns");
				const actual = written(set, WHOLE, format, step);
				assert.ok(append.callCount() > before + 150, "whole rows are not");
				const told = append.calls.slice(before).map(({ result }) => result);
				assert.ok(told.includes(true) && told.includes(false), "some are too long or have escapes");
				if (actual !== expected) {
					const at = [...actual].findIndex((character, i) => character !== expected[i]);
					assert.equal(
						actual.slice(at - 99, at + 99),
						expected.slice(at - 99, at + 99),
						`${name}, ${format}`,
					);
					assert.fail(`${name}, ${format}: different near ${at}`);
				}
			}
		}
	}
});

test("rows stored with the changes are found for some of the entries, as for all", (t) => {
	const copies = t.mock.method(StoredEntries.prototype, "append").mock;
	for (const [name, set] of sets) {
		for (const fields of [["member_city"], ["office_name"], ["member_type", "member_city"]] as const) {
			const some = [...fields];
			const expected = written(plain, WHOLE, "ndjson", 1_000, some);
			assert.ok(written(set, WHOLE, "ndjson", 1_000, some) === expected, `${name}, ${fields}`);
		}
	}
	assert.ok(copies.callCount() > 1_000);
});

/** A row as it is stored. */
function storedRow(draw: Draw): Buffer {
	const values = columns
		.map((name) => {
			if (name === "id" || name === "agent_count") return String(draw.below(10 ** 9));
			if (draw.oneIn(4)) return "";
			return draw.oneIn(60) ? JSON.stringify(draw.pick(TEXTS)).slice(1, -1) : "plain, text";
		})
		.map((text) => Buffer.from(text));
	return Buffer.concat([Buffer.from(values.map(({ length }) => length)), ...values]);
}

function damaged(row: Buffer, draw: Draw): Buffer {
	if (draw.oneIn(3)) return row;
	if (draw.oneIn(3)) return row.subarray(0, draw.below(row.length));
	const copy = Buffer.from(row);
	for (let i = 0; i < 1 + draw.below(3); i++)
		copy[draw.below(draw.oneIn(2) ? columns.length : copy.length)] = draw.pick([0x5c, 0, 1, 40, 254, 255]);
	return copy;
}

test("of damaged rows nothing is written past the room of an entry", () => {
	const forms = [ChangeLines.open(), ChangeObjects.open(""), ChangeObjects.open("\n")];
	const draw = new Draw(5, 1);
	const untouched = Buffer.alloc(65_536, 0xa5);
	for (const opened of forms) {
		assert.ok(opened !== null, "this machine runs the module");
		const form: EntryForm = opened;
		const { memory } = form;
		const own = Buffer.from(memory.subarray(0, 320));
		const counts = { written: 0, refused: 0 };
		for (let i = 0; i < 1_000; i++) {
			const [newer, older] = [damaged(storedRow(draw), draw), damaged(storedRow(draw), draw)];
			memory.fill(draw.pick([0, 0x22, 0x2c, 0x41]), KERNEL_BYTES);
			memory.set(newer, KERNEL_BYTES);
			const olderAt = KERNEL_BYTES + newer.length + SLACK_BYTES;
			memory.set(older, olderAt);
			const to = olderAt + older.length + SLACK_BYTES;
			const room = LABELS_BYTES + 2 * (newer.length + older.length);
			memory.fill(0xa5, to);
			const kind = draw.pick(CHANGE_KINDS);
			const marks = kind === "changed" ? draw.below(2 ** FIELDS.length) : 0;
			const rows = [
				{ from: KERNEL_BYTES, end: KERNEL_BYTES + newer.length },
				{ from: olderAt, end: olderAt + older.length },
			] as const;
			const end = form.write(kind, rows[0], rows[1], marks, to);
			assert.ok(end === 0 || (end > to && end <= to + room), "it ends in its room");
			const past = memory.subarray(to + room + SLACK_BYTES);
			assert.ok(past.equals(untouched.subarray(0, past.length)), "nothing is written past it");
			counts[end === 0 ? "refused" : "written"]++;
		}
		assert.deepEqual(memory.subarray(0, 320), own, "the settings stay");
		assert.ok(counts.written > 100 && counts.refused > 100, JSON.stringify(counts));
	}
});
