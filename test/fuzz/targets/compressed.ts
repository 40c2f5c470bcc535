/**
 * Compressed sources, damaged, truncated and concatenated. Model: a stream's content is read, or refused
 * with a BuildError that names the file; memory stays within the requested size, whatever the expansion;
 * and reading terminates.
 */

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { NO_MAP } from "../../../builder/input/map-file.js";
import { openBytes } from "../../../builder/input/open-bytes.js";
import type { FuzzTarget } from "../fuzzer.js";
import { mutateText } from "../mutations.js";
import { checkBuildError } from "./operator-error.js";
import { scratchFolder } from "./scratch-folder.js";

const FIXTURES = new URL("../../../../test/fixtures/csv/", import.meta.url);
const PIECE_BYTES = 1 << 16;
/**
 * Sources are read up to this size. Three bytes of zstd may expand to 128 KiB, so a mutant can become
 * larger.
 */
const READ_BYTES_MAX = 1 << 24;
const INPUT_LENGTH_MAX = 60_000;

function fixture(path: string): Buffer {
	return readFileSync(fileURLToPath(new URL(path, FIXTURES)));
}

const plain = Buffer.from("state,member_state_license_number\nTX,1\nCA,2\n");
const gzip = gzipSync(plain);

const SEEDS: readonly Buffer[] = [
	plain,
	gzip,
	Buffer.concat([gzip, gzip]),
	Buffer.concat([gzip, Buffer.alloc(8), gzip]),
	gzip.subarray(0, gzip.length - 6),
	gzipSync(Buffer.alloc(20_000, "TX,1\n")),
	fixture("zstd/drop.csv.zst"),
	fixture("zstd-of-two-frames/drop.csv.zst"),
	fixture("zstd-cut-short/drop.csv.zst"),
	deflateSync(plain),
];

/** What a member of a gzip begins with. */
const MEMBER = Buffer.from([0x1f, 0x8b, 8]);
const WORDS = [
	...[gzip, gzip, MEMBER].map((bytes) => bytes.toString("latin1")),
	..."\u0028\u00b5\u002f\u00fd \0\0\0\0 \u00ff\u00ff\u00ff\u00ff \u0001 P*M\u0018".split(" "),
];

/**
 * Node's own result for a gzip; undefined: not a gzip; null: Node refuses it, or stops before bytes that
 * are not zero.
 */
function unzipped(bytes: Buffer): Buffer | null | undefined {
	if (bytes.length < 2 || bytes[0] !== 0x1f || bytes[1] !== 0x8b) return undefined;
	try {
		const options = { maxOutputLength: READ_BYTES_MAX, info: true };
		// With `info`, which the types don't know, Node also returns the engine it used.
		const { buffer, engine } = gunzipSync(bytes, options) as unknown as {
			buffer: Buffer;
			engine: { bytesWritten: number };
		};
		return bytes.subarray(engine.bytesWritten).every((byte) => byte === 0) ? buffer : null;
	} catch {
		// Whatever is wrong with it.
		return null;
	}
}

/** A bug planted on request: damage in a second member is ignored. */
function planted(source: Buffer): boolean {
	if (source[0] !== 0x1f || source[1] !== 0x8b) return false;
	return source.indexOf(MEMBER, 10) > 0;
}

export async function compressedTarget(faulty: boolean): Promise<FuzzTarget> {
	const scratch = scratchFolder();
	const file = join(scratch, "drop.csv");
	const piece = new Uint8Array(PIECE_BYTES);
	const read = async (): Promise<Buffer> => {
		const reader = await openBytes({ path: file, bytes: null, inside: null }, NO_MAP);
		const pieces: Buffer[] = [];
		try {
			for (let total = 0; ; ) {
				const bytes = await reader.read(piece);
				pieces.push(Buffer.from(piece.subarray(0, bytes)));
				total += bytes;
				if (bytes < PIECE_BYTES || total > READ_BYTES_MAX) return Buffer.concat(pieces);
			}
		} finally {
			await reader.close();
		}
	};
	return {
		name: "compressed",
		covers: ["/dist/builder/input/", "/dist/test/fuzz/targets/compressed.js"],
		seeds: SEEDS.map((seed) => seed.toString("latin1")),
		mutate: (input, other, draw) => mutateText(input, other, WORDS, draw).slice(0, INPUT_LENGTH_MAX),
		async run(input) {
			const source = Buffer.from(input, "latin1");
			writeFileSync(file, source);
			let held: Buffer;
			try {
				held = await read();
			} catch (error) {
				checkBuildError(error, file);
				const known = unzipped(source);
				assert.ok(known === null || known === undefined, "a sound gzip is refused");
				if (!faulty || !planted(source)) return;
				held = Buffer.alloc(0);
			}
			const known = unzipped(source);
			if (known === undefined) return;
			assert.ok(known !== null, "a broken gzip is read");
			assert.ok(held.equals(known), "other bytes than Node reads");
		},
		async close() {
			rmSync(scratch, { recursive: true });
		},
	};
}
