/**
 * Damaged bytes: every flipped bit and every truncation of a header, a catalog and a section ends in a
 * typed error that names the file, never in a wrong answer or an untyped exception.
 */

import assert from "node:assert/strict";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { encodeCatalog } from "../../formats/encode/catalog.js";
import {
	CATALOG_FILE,
	type Catalog,
	decodeCatalog,
	decodeHeader,
	encodeHeader,
	FILE_TYPE,
	FORMAT_ERROR_CODES,
	FORMAT_VERSION,
	FormatError,
	type FormatErrorCode,
	HEADER_BYTES,
	OLDEST_READABLE_VERSION,
	SnapshotFiles,
} from "../../formats/index.js";
import { catalogOf, scratchFolder, writeSnapshot } from "./hand-made-snapshot.js";

const HEADER = { fileType: FILE_TYPE.columns, month: 322, rows: 7, payloadBytes: 100, payloadCrc: 5 };
/** Bytes of a header that its checksum covers, the checksum included. */
const GUARDED_BYTES = 36;

/** The code of the FormatError that `work` throws; null where it throws nothing. */
function codeOf(work: () => unknown): FormatErrorCode | null {
	try {
		work();
		return null;
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		assert.match(error.message, /^some\/path: /);
		return error.code;
	}
}

function flipBit(bytes: Buffer, bit: number): Buffer {
	const flipped = Buffer.from(bytes);
	flipped[bit >>> 3] ^= 1 << (bit & 7);
	return flipped;
}

/** `bytes` with corrected checksums, so that decoding proceeds beyond them. */
function withSoundChecksums(bytes: Buffer): Buffer {
	const sound = Buffer.from(bytes);
	sound.writeUInt32LE(crc32(sound.subarray(HEADER_BYTES)), 28);
	sound.writeUInt32LE(crc32(sound.subarray(0, 32)), 32);
	return sound;
}

test("a header reads back as written", () => {
	const header = decodeHeader(encodeHeader(HEADER), HEADER_BYTES + 100, FILE_TYPE.columns, "some/path");
	assert.deepEqual(header, { version: FORMAT_VERSION, ...HEADER });
});

function isReadable(version: number): boolean {
	return version >= OLDEST_READABLE_VERSION && version <= FORMAT_VERSION;
}

test("every flipped bit of a header, reserved bytes included, is a typed error", () => {
	const sound = encodeHeader(HEADER);
	for (let bit = 0; bit < HEADER_BYTES * 8; bit++) {
		const decode = () =>
			decodeHeader(flipBit(sound, bit), HEADER_BYTES + 100, FILE_TYPE.columns, "some/path");
		const expected =
			bit < 64
				? "not_a_snapshot_file"
				: bit < 96 && !isReadable(FORMAT_VERSION ^ (1 << (bit - 64)))
					? "unsupported_version"
					: bit < GUARDED_BYTES * 8
						? "checksum_mismatch"
						: "stray_bytes";
		assert.equal(codeOf(decode), expected, `bit ${bit}`);
	}
});

test("every truncation of a header is a typed error", () => {
	const sound = encodeHeader(HEADER);
	for (let bytes = 0; bytes < HEADER_BYTES; bytes++) {
		const decode = () => decodeHeader(sound.subarray(0, bytes), bytes, FILE_TYPE.columns, "some/path");
		assert.equal(codeOf(decode), "truncated");
	}
});

test("a header of another type, length or version is distinguished", () => {
	const sound = encodeHeader(HEADER);
	assert.equal(
		codeOf(() => decodeHeader(sound, HEADER_BYTES + 100, FILE_TYPE.index, "some/path")),
		"wrong_file",
	);
	for (const bytes of [0, 99, 101]) {
		assert.equal(
			codeOf(() => decodeHeader(sound, HEADER_BYTES + bytes, FILE_TYPE.columns, "some/path")),
			"truncated",
		);
	}
	const newer = Buffer.from(sound);
	newer.writeUInt32LE(FORMAT_VERSION + 1, 8);
	assert.throws(
		() => decodeHeader(withSoundChecksums(newer), HEADER_BYTES + 100, FILE_TYPE.columns, "some/path"),
		{
			code: "unsupported_version",
			message: `some/path: expected format version 1 to ${FORMAT_VERSION}, got ${FORMAT_VERSION + 1}: written by a newer version; update this program or rebuild the month`,
		},
	);
});

const CATALOG = catalogOf([
	{
		file: { name: "columns.col", type: FILE_TYPE.columns, bytes: 1000 },
		sections: [{ kind: 1, column: 4, offset: 64, bytes: 3, width: 1, crc: 77 }],
	},
]);

test("a catalog reads back as written, the same catalog as the same bytes", () => {
	const bytes = encodeCatalog(CATALOG);
	const { catalog, crc } = decodeCatalog(bytes, "some/path");
	assert.deepEqual(catalog, CATALOG);
	assert.equal(crc, crc32(bytes.subarray(HEADER_BYTES)));
	assert.deepEqual(encodeCatalog(structuredClone(CATALOG)), bytes);
});

test("every flipped bit of a catalog is a typed error", () => {
	const sound = encodeCatalog(CATALOG);
	for (let bit = 0; bit < sound.length * 8; bit++) {
		const reserved = bit >= GUARDED_BYTES * 8 && bit < HEADER_BYTES * 8;
		if (reserved) continue;
		const code = codeOf(() => decodeCatalog(flipBit(sound, bit), "some/path"));
		assert.ok(code !== null && FORMAT_ERROR_CODES.includes(code), `bit ${bit}`);
	}
});

test("every truncation of a catalog, and every extra byte, is a typed error", () => {
	const sound = encodeCatalog(CATALOG);
	for (let bytes = 0; bytes < sound.length; bytes++) {
		assert.equal(
			codeOf(() => decodeCatalog(sound.subarray(0, bytes), "some/path")),
			"truncated",
			`${bytes} bytes`,
		);
	}
	assert.equal(
		codeOf(() => decodeCatalog(Buffer.concat([sound, Buffer.alloc(1)]), "some/path")),
		"truncated",
	);
});

test("a flipped bit under a sound checksum is a typed error or another well-formed catalog", () => {
	const sound = encodeCatalog(CATALOG);
	let refused = 0;
	for (let bit = HEADER_BYTES * 8; bit < sound.length * 8; bit++) {
		if (codeOf(() => decodeCatalog(withSoundChecksums(flipBit(sound, bit)), "some/path")) !== null) refused++;
	}
	assert.ok(refused > 500, `${refused} flips refused`);
});

test("a catalog whose numbers contradict each other is refused, and the message says where", () => {
	const [file] = CATALOG.files;
	const [section] = CATALOG.sections;
	const [column] = CATALOG.columns;
	const [first, second] = CATALOG.states;
	const cases: [Partial<Catalog>, RegExp][] = [
		[{ month: "2026-13" }, /month is "2026-13"/],
		[{ rows: 100_000_000, states: [] }, /100000000 rows/],
		[{ files: [{ ...file, name: "../columns.col" }] }, /file name "..\/columns.col" is not plain/],
		[{ files: [{ ...file, name: "" }] }, /file name "" is not plain/],
		[{ files: [{ ...file, bytes: 63 }] }, /file columns.col has 63 bytes/],
		[{ files: [{ ...file, bytes: 2 ** 31 }] }, /file columns.col has 2147483648 bytes/],
		[{ sections: [{ ...section, file: 1 }] }, /section kind 1 of column 4: no file 1/],
		[{ sections: [{ ...section, offset: 0 }] }, /offset 0/],
		[{ sections: [{ ...section, offset: 65 }] }, /offset 65/],
		[{ sections: [{ ...section, bytes: 937 }] }, /ends past columns.col/],
		[{ sections: [{ ...section, offset: 4_294_967_232 }] }, /ends past columns.col/],
		[{ sections: [{ ...section, width: 3 as 4 }] }, /width 3/],
		[{ sections: [{ ...section, width: 2 }] }, /3 bytes of width 2/],
		[{ sections: [section, section] }, /section kind 1 of column 4: twice/],
		[{ columns: [{ ...column, folds: 3 }] }, /column state: 3 folds of 2 values/],
		[{ columns: [{ ...column, distinct: 4, folds: 4 }] }, /column state: 4 values in 3 rows/],
		[{ columns: [{ ...column, nulls: 4 }] }, /column state: 4 nulls in 3 rows/],
		[{ columns: [column, column] }, /column state: twice/],
		[{ states: [first] }, /state runs cover 2 rows of 3/],
		[{ states: [first, { ...second, first: 1 }] }, /run of TX begins at row 1, expected 2/],
		[{ states: [first, { ...second, rows: 2 }] }, /state runs cover 4 rows of 3/],
	];
	for (const [change, message] of cases) {
		assert.throws(
			() => decodeCatalog(encodeCatalog({ ...CATALOG, ...change }), "some/path"),
			(error) =>
				error instanceof FormatError && error.code === "corrupt_catalog" && message.test(error.message),
			String(message),
		);
	}
});

test("a header that contradicts its catalog is refused", () => {
	for (const [offset, message] of [
		[16, /header names month 321, catalog 2026-11/],
		[20, /header counts 2 rows, catalog 3/],
	] as const) {
		const bytes = encodeCatalog(CATALOG);
		bytes.writeUInt32LE(bytes.readUInt32LE(offset) - 1, offset);
		assert.throws(() => decodeCatalog(withSoundChecksums(bytes), "some/path"), {
			code: "corrupt_catalog",
			message,
		});
	}
});

test("a flipped bit is found in every byte of every file, by opening or by verifying", (t) => {
	const folder = scratchFolder(t);
	const catalog = writeSnapshot(folder);
	for (const name of ["catalog", ...catalog.files.map((file) => file.name)]) {
		const path = join(folder, name);
		const sound = readFileSync(path);
		for (let byte = 0; byte < sound.length; byte++) {
			writeFileSync(path, flipBit(sound, byte * 8 + (byte % 8)));
			assert.throws(() => SnapshotFiles.open(folder).verify(), FormatError, `${name}, byte ${byte}`);
		}
		writeFileSync(path, sound);
	}
});

test("verify finds every flipped bit of every section", (t) => {
	const folder = scratchFolder(t);
	const catalog = writeSnapshot(folder);
	SnapshotFiles.open(folder).verify();
	for (const section of catalog.sections) {
		const path = join(folder, catalog.files[section.file].name);
		const sound = readFileSync(path);
		for (let bit = section.offset * 8; bit < (section.offset + section.bytes) * 8; bit++) {
			writeFileSync(path, flipBit(sound, bit));
			assert.throws(() => SnapshotFiles.open(folder).verify(), { code: "checksum_mismatch" });
		}
		writeFileSync(path, sound);
	}
	SnapshotFiles.open(folder).verify();
});

test("every truncation of every file of a snapshot is found at opening", (t) => {
	const folder = scratchFolder(t);
	const catalog = writeSnapshot(folder);
	for (const name of [CATALOG_FILE, ...catalog.files.map((f) => f.name)]) {
		const path = join(folder, name);
		const sound = readFileSync(path);
		for (let bytes = sound.length - 1; bytes >= 0; bytes--) {
			truncateSync(path, bytes);
			assert.throws(() => SnapshotFiles.open(folder), { code: "truncated" }, `${name}, ${bytes} bytes`);
		}
		writeFileSync(path, sound);
	}
	SnapshotFiles.open(folder);
});
