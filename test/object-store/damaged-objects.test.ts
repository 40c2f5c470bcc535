/** What a pull says of objects that are shorter than their manifest has it, or have other bytes. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { objectName, openStore, sha256Of } from "../../formats/object-store/index.js";
import { pullFiles } from "../../formats/object-store/pull-files.js";

const BYTES = Buffer.from("the bytes of an object");
const FILE = { path: "manifests/2026-10.json", bytes: BYTES.length, sha256: sha256Of(BYTES) };
const REMEDY = "delete this object from the store and push the month again";

let stored = BYTES;
let url = "";

/** An origin that has one object, answers ranges, and refuses those that begin at its end. */
const origin = createServer((request, response) => {
	const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
	if (from > 0 && from >= stored.length) response.writeHead(416).end();
	else if (request.method === "HEAD") response.writeHead(200, { "Content-Length": stored.length }).end();
	else response.writeHead(from > 0 ? 206 : 200).end(stored.subarray(from));
});

before(async () => {
	await new Promise<void>((resolve) => origin.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
});
after(() => origin.close());

/** The fault of a pull, which resumes a part of `partBytes`; empty: none. */
async function faultOf(partBytes = 0): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-damaged-"));
	try {
		mkdirSync(join(folder, "manifests"));
		writeFileSync(join(folder, `${FILE.path}.part`), BYTES.subarray(0, partBytes));
		await pullFiles(openStore(url, {}), [FILE], folder, { bytesPerSecond: Number.POSITIVE_INFINITY });
		assert.deepEqual(readFileSync(join(folder, FILE.path)), BYTES);
		return "";
	} catch (error) {
		const { code, message } = error as { code?: string; message: string };
		return `${code}: ${message}`;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test("an object that ends early or has another digest is corrupt, and the message says what mends it", async () => {
	const what = `${url}/${objectName(FILE.sha256)} (${FILE.path})`;
	stored = BYTES;
	assert.equal(await faultOf(), "");
	assert.equal(await faultOf(5), "");
	stored = BYTES.subarray(0, 5);
	for (const partBytes of [0, 5, 9])
		assert.equal(
			await faultOf(partBytes),
			`corrupt_object: ${what}: has 5 of ${FILE.bytes} bytes; ${REMEDY}`,
			`${partBytes} bytes of it are here`,
		);
	stored = Buffer.from(BYTES).fill("x", 3, 4);
	assert.equal(await faultOf(), `corrupt_object: ${what}: its digest is ${sha256Of(stored)}; ${REMEDY}`);
});
