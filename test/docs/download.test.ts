/** The download of docs/EXPORTS.md, as pasted, continues a file that broke off. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, runScript } from "./runnable-blocks.js";

const FILE = Buffer.from("an exported month\n".repeat(5_000));
const SENT_BEFORE_THE_BREAK = 20_000;

test("the download of an export continues where it broke off", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-download-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const starts: number[] = [];
	const server = createServer((request, response) => {
		const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
		starts.push(from);
		const range = { "Content-Range": `bytes ${from}-${FILE.length - 1}/${FILE.length}` };
		response.writeHead(from > 0 ? 206 : 200, {
			"Content-Length": FILE.length - from,
			...(from > 0 ? range : {}),
		});
		if (from > 0) response.end(FILE.subarray(from));
		else response.write(FILE.subarray(0, SENT_BEFORE_THE_BREAK), () => request.socket.end());
	}).listen(0, "127.0.0.1");
	t.after(() => server.close());
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const text = readFileSync(join(ROOT, "docs/EXPORTS.md"), "utf8");
	assert.match(text, /FROM '2026-11-all\.parquet'/, "what is asked is what was downloaded");
	const command = /^curl .*\/v1\/exports\/.*$/m.exec(text)?.[0];
	const script = (command ?? "").replace("127.0.0.1:8080", `127.0.0.1:${port}`);
	const broken = await runScript(script, folder);
	assert.equal(broken.code, 18, broken.output);
	const continued = await runScript(script, folder);
	assert.equal(continued.code, 0, continued.output);
	assert.deepEqual(starts, [0, SENT_BEFORE_THE_BREAK]);
	assert.deepEqual(readFileSync(join(folder, "2026-11-all.parquet")), FILE);
});
