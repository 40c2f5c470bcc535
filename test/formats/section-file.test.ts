/** Section files: aligned, checksummed, and without a magic until they are complete. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { SectionFileWriter } from "../../formats/encode/section-file.js";
import {
	FILE_TYPE,
	HEADER_BYTES,
	MAX_FILE_BYTES,
	mapFile,
	mappingMode,
	SECTION,
	SECTION_ALIGNMENT,
	SectionFile,
} from "../../formats/index.js";
import { checkProperty } from "../oracle/seeded.js";
import { scratchFolder } from "./hand-made-snapshot.js";

const anyData = fc.oneof(
	fc.uint8Array({ maxLength: 200 }),
	fc.uint16Array({ maxLength: 100 }),
	fc.uint32Array({ maxLength: 100 }),
);

test("sections read back as written, aligned, each with its checksum", (t) => {
	const folder = scratchFolder(t);
	const path = join(folder, "any.col");
	checkProperty(
		t,
		200,
		fc.property(fc.array(anyData, { maxLength: 10 }), (datas) => {
			if (existsSync(path)) unlinkSync(path);
			const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
			datas.forEach((data, i) => {
				writer.write(SECTION.codes, i, data);
			});
			const { file, sections } = writer.finish();
			assert.deepEqual([file.name, file.type], ["any.col", FILE_TYPE.columns]);
			const reader = SectionFile.open(path, file, 322, 9);
			assert.equal(readFileSync(path).length, file.bytes);
			datas.forEach((data, i) => {
				const section = { ...sections[i], file: 0 };
				const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
				assert.deepEqual(reader.bytes(section), bytes);
				assert.equal(section.width, data.BYTES_PER_ELEMENT);
				assert.equal(section.offset % SECTION_ALIGNMENT, 0);
				assert.ok(section.offset >= HEADER_BYTES);
				assert.equal(section.crc, crc32(bytes));
			});
			Array.from(reader.verifyInSlices(sections.map((section) => ({ ...section, file: 0 }))));
		}),
	);
});

test("a section in several parts is one section", (t) => {
	const path = join(scratchFolder(t), "parts.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	writer.begin(SECTION.postings, 4, 4);
	for (const part of [Uint32Array.of(1, 2), new Uint32Array(0), Uint32Array.of(3)]) writer.append(part);
	writer.end();
	writer.write(SECTION.stats, 0, new Uint8Array(0));
	const { file, sections } = writer.finish();
	const reader = SectionFile.open(path, file, 322, 9);
	assert.deepEqual(
		sections.map((s) => [s.bytes, s.width]),
		[
			[12, 4],
			[0, 1],
		],
	);
	assert.deepEqual([...reader.bytes({ ...sections[0], file: 0 })], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
	Array.from(reader.verifyInSlices(sections.map((section) => ({ ...section, file: 0 }))));
});

test("a section that has not ended is neither replaced nor left out", (t) => {
	const writer = new SectionFileWriter(join(scratchFolder(t), "open.col"), FILE_TYPE.columns, 322, 9);
	writer.begin(SECTION.postings, 4, 4);
	writer.append(Uint32Array.of(1));
	assert.throws(() => writer.begin(SECTION.stats, 0, 1), /the section before has ended/);
	assert.throws(() => writer.finish(), /every section has ended/);
	writer.end();
	assert.equal(writer.finish().sections.length, 1);
});

test("a section that is verified in several slices is verified to its last byte", (t) => {
	const path = join(scratchFolder(t), "long.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	writer.write(
		SECTION.stats,
		0,
		Uint8Array.from({ length: 1_200_001 }, (_, i) => i * 7),
	);
	const { file, sections } = writer.finish();
	const listed = sections.map((section) => ({ ...section, file: 0 }));
	const slices = Array.from(SectionFile.open(path, file, 322, 9).verifyInSlices(listed));
	assert.equal(slices.length, 3);
	const bytes = readFileSync(path);
	for (const at of [sections[0].offset, sections[0].offset + 600_000, sections[0].offset + 1_200_000]) {
		bytes[at] ^= 1;
		writeFileSync(path, bytes);
		const damaged = SectionFile.open(path, file, 322, 9);
		assert.throws(() => Array.from(damaged.verifyInSlices(listed)), { code: "checksum_mismatch" });
		bytes[at] ^= 1;
	}
});

test("bytes that no section holds are zeros, between sections and after the last, however they are read", (t) => {
	const path = join(scratchFolder(t), "a.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	for (const column of [4, 5, 6]) writer.write(SECTION.codes, column, Uint8Array.of(1, 2, 3));
	const { file, sections } = writer.finish();
	const listed = sections.map((section) => ({ ...section, file: 0 }));
	const [first, second, third] = listed;
	const buffer = Buffer.alloc(16);
	const checks = (reader: SectionFile, list: typeof listed) => [
		() => [...reader.verifyInSlices(list)],
		() => [...reader.readThrough(list, buffer)],
	];
	const reader = SectionFile.open(path, file, 322, 9, "shared-memory");
	for (const check of checks(reader, listed)) check();
	// A section that is not listed is what lies between sections, or after the last.
	for (const list of [
		[first, third],
		[first, second],
	])
		for (const check of checks(reader, list)) assert.throws(check, { code: "stray_bytes" });
	const bytes = readFileSync(path);
	bytes[first.offset + first.bytes] = 1;
	writeFileSync(path, bytes);
	const changed = SectionFile.open(path, file, 322, 9, "shared-memory");
	for (const check of checks(changed, listed)) assert.throws(check, { code: "stray_bytes" });
});

test("an unfinished file is not a snapshot file, and is never overwritten", (t) => {
	const path = join(scratchFolder(t), "dead.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	writer.write(SECTION.codes, 4, Uint8Array.of(1));
	writer.abandon();
	const file = { name: "dead.col", type: FILE_TYPE.columns, bytes: readFileSync(path).length };
	assert.throws(() => SectionFile.open(path, file, 322, 9), { code: "not_a_snapshot_file" });
	assert.throws(() => new SectionFileWriter(path, FILE_TYPE.columns, 322, 9), { code: "EEXIST" });
});

test("a file of another month, row count, type or length is distinguished", (t) => {
	const path = join(scratchFolder(t), "a.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	writer.write(SECTION.codes, 4, Uint8Array.of(1));
	const { file } = writer.finish();
	assert.throws(() => SectionFile.open(path, file, 321, 9), {
		code: "wrong_file",
		message: `${path}: expected month 321 with 9 rows, got month 322 with 9 rows`,
	});
	assert.throws(() => SectionFile.open(path, file, 322, 8), { code: "wrong_file" });
	assert.throws(() => SectionFile.open(path, { ...file, type: FILE_TYPE.index }, 322, 9), {
		code: "wrong_file",
	});
	assert.throws(() => SectionFile.open(path, { ...file, bytes: 64 }, 322, 9), { code: "truncated" });
	assert.throws(() => SectionFile.open(`${path}.gone`, file, 322, 9), { code: "unreadable" });
});

test("a file that shrinks after opening is found when it is read", (t) => {
	const path = join(scratchFolder(t), "a.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	writer.write(SECTION.codes, 4, Uint8Array.of(1));
	const { file, sections } = writer.finish();
	const reader = SectionFile.open(path, file, 322, 9, "shared-memory");
	truncateSync(path, 64);
	assert.throws(() => reader.bytes({ ...sections[0], file: 0 }), { code: "truncated" });
});

test("a file is the same bytes mapped and read into shared memory", (t) => {
	const path = join(scratchFolder(t), "bytes");
	const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * 7) & 255));
	writeFileSync(path, bytes);
	const shared = mapFile(path, "shared-memory");
	assert.deepEqual(shared, bytes);
	assert.ok(shared.buffer instanceof SharedArrayBuffer);
	assert.deepEqual(mapFile(path), bytes);
	assert.deepEqual(mapFile(path, mappingMode()), bytes);
	writeFileSync(path, "");
	assert.equal(mapFile(path).length, 0);
});

test("a section that would grow a file past the largest size is a typed error, and is not written", (t) => {
	const path = join(scratchFolder(t), "huge.col");
	const writer = new SectionFileWriter(path, FILE_TYPE.columns, 322, 9);
	// Zeros that nothing reads: memory is not taken until it is touched.
	const section = new Uint8Array(MAX_FILE_BYTES - HEADER_BYTES + 1);
	assert.throws(() => writer.write(SECTION.codes, 1, section), {
		code: "limit_exceeded",
		message: `${path}: section ${SECTION.codes} grows the file past 2147483647 bytes`,
	});
	assert.ok(statSync(path).size <= HEADER_BYTES);
});

test("a file of the largest size is mapped, one too large and a missing one are typed errors", (t) => {
	const path = join(scratchFolder(t), "huge");
	writeFileSync(path, "");
	// Sparse: takes no disk, and mapped no memory.
	truncateSync(path, MAX_FILE_BYTES);
	if (mappingMode() === "mmap") {
		const bytes = mapFile(path);
		assert.equal(bytes.length, MAX_FILE_BYTES);
		assert.equal(bytes[MAX_FILE_BYTES - 1], 0);
	}
	truncateSync(path, MAX_FILE_BYTES + 1);
	assert.throws(() => mapFile(path), {
		code: "limit_exceeded",
		message: `${path}: 2147483648 bytes, at most 2147483647`,
	});
	assert.throws(() => mapFile(`${path}.gone`), { code: "unreadable" });
});
