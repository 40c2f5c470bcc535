/** A source that is rewritten while it is read is refused, whatever its container; one that is only moved is read. */

import assert from "node:assert/strict";
import { chmodSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ByteReader } from "../../builder/input/byte-reader.js";
import { NO_MAP } from "../../builder/input/map-file.js";
import { openBytes } from "../../builder/input/open-bytes.js";
import { listSourceFiles, type SourceFile } from "../../builder/input/source-files.js";
import { expandArchives } from "../../builder/input/zip-reader.js";
import { makeScratch } from "./scratch.js";
import { workbookBytes, zipBytes } from "./zip-bytes.js";
import { zstdFrame } from "./zstd-bytes.js";

const scratch = makeScratch();
const ROWS = Array.from({ length: 20_000 }, (_, i) => ["TX", `N${10_000 + i}`]);
const CSV = `state,member_state_license_number\n${ROWS.map((row) => `${row.join(",")}\n`).join("")}`;
const FRAMES = Array.from({ length: 10 }, (_, i) => zstdFrame(20, CSV.slice(8000 * i, 8000 * (i + 1))));
const CONTAINERS: Readonly<Record<string, Buffer>> = {
	"plain.csv": Buffer.from(CSV),
	"gzip.csv.gz": gzipSync(CSV),
	"zstd.csv.zst": Buffer.concat(FRAMES),
	"single.zip": zipBytes({ name: "a.csv", content: CSV }),
	"several.zip": zipBytes({ name: "a.csv", content: CSV }, { name: "b.csv", content: CSV }),
	"book.xlsx": workbookBytes(ROWS),
	"books.zip": zipBytes({ name: "a.xlsx", content: workbookBytes(ROWS) }),
};
const CHANGED = /: it changed while it was read; was it still being written\?$/;

/** The sources in the file `name` of the scratch folder. */
async function sourcesOf(name: string): Promise<readonly SourceFile[]> {
	const path = scratch.write(name, CONTAINERS[name]);
	return (await expandArchives(listSourceFiles([path]))).files;
}

async function readToEnd(reader: ByteReader): Promise<void> {
	const target = new Uint8Array(1 << 16);
	try {
		while ((await reader.read(target)) === target.length);
	} finally {
		await reader.close();
	}
}

for (const name of Object.keys(CONTAINERS)) {
	test(`${name}, rewritten with as many bytes while it is read, is refused`, async () => {
		const [source] = await sourcesOf(name);
		const path = source.inside?.archive ?? source.path;
		const reader = await openBytes(source, NO_MAP);
		await reader.read(new Uint8Array(1 << 10));
		writeFileSync(path, CONTAINERS[name]);
		utimesSync(path, 1, 2);
		await assert.rejects(readToEnd(reader), { code: "unreadable_file", message: CHANGED });
	});

	test(`${name}, moved while it is read, is read`, async () => {
		const [source] = await sourcesOf(name);
		const path = source.inside?.archive ?? source.path;
		const reader = await openBytes(source, NO_MAP);
		await reader.read(new Uint8Array(1 << 10));
		renameSync(path, `${path}.done`);
		chmodSync(`${path}.done`, 0o600);
		writeFileSync(path, "another");
		await readToEnd(reader);
	});
}

test("an archive replaced between two of its entries is refused, also by one of the same size and time", async () => {
	const [first, second] = await sourcesOf("several.zip");
	const path = first.inside?.archive ?? "";
	const replacement = scratch.write("replacement", CONTAINERS["several.zip"]);
	utimesSync(path, 1, 2);
	utimesSync(replacement, 1, 2);
	const [listed] = (await expandArchives(listSourceFiles([path]))).files;
	await readToEnd(await openBytes(listed, NO_MAP));
	renameSync(replacement, path);
	for (const source of [listed, second])
		await assert.rejects(openBytes(source, NO_MAP), { code: "unreadable_file", message: CHANGED });
});
