/** Bodies in chunks, as the C# SDK of the Model Context Protocol sends them: read within bounds, and nothing hidden in them. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { ChunkedBody } from "../../server/http/chunked-body.js";
import { BODY_BYTES_MAX } from "../../server/mcp/body-receiver.js";
import { sendRaw } from "./raw-socket.js";
import { overBothTransports } from "./served.js";
import type { TransportName } from "./transports.js";

const CALL = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });
const HIDDEN = "GET /smuggled HTTP/1.1\r\nHost: rollcall.test\r\n\r\n";
const WHOLE = `${CALL.length.toString(16)}\r\n${CALL}\r\n0\r\n\r\n`;

overBothTransports("bodies in chunks", (served, transport) => {
	const headOf = async (path = "/mcp", headers = "") =>
		`POST ${path} HTTP/1.1\r\nHost: rollcall.test\r\nAuthorization: Bearer ${await served().key()}\r\n` +
		`Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`;

	const testOver = (name: TransportName, title: string, run: () => Promise<void>) => {
		if (transport === name) test(title, run);
	};

	test("a message that a client writes in parts is answered", async () => {
		const headers = { authorization: `Bearer ${await served().key()}`, "content-type": "application/json" };
		const ask = () =>
			new Promise<string>((resolve, reject) => {
				const asked = request(
					{ port: served().port, host: "127.0.0.1", path: "/mcp", method: "POST", headers },
					(response) => {
						let text = "";
						response.setEncoding("utf8").on("data", (part) => {
							text += part;
						});
						response.on("end", () => resolve(`${response.statusCode} ${text}`));
					},
				);
				asked.once("error", reject);
				asked.write(CALL.slice(0, 10));
				setTimeout(() => asked.end(CALL.slice(10)), 20);
			});
		for (let i = 0; i < 3; i++) assert.match(await ask(), /^200 .*search_licenses/);
	});

	test("an answer that the client accepts compressed is whole, and ends the connection where it says so", async () => {
		const head = await headOf("/mcp", "Accept-Encoding: gzip\r\n");
		const socket = connect({ port: served().port, host: "127.0.0.1", noDelay: true });
		const parts: Buffer[] = [];
		socket.on("data", (part: Buffer) => parts.push(part));
		const ended = once(socket, "close", { signal: AbortSignal.timeout(5_000) });
		socket.write(head + WHOLE.slice(0, 5));
		await delay(20);
		socket.write(WHOLE.slice(5));
		for (let i = 0; i < 100 && parts.length === 0; i++) await delay(20);
		await delay(50);
		if (transport === "node") socket.destroy();
		await ended;
		const bytes = Buffer.concat(parts);
		const at = bytes.indexOf("\r\n\r\n");
		const answered = bytes.toString("latin1", 0, at);
		assert.match(answered, /^HTTP\/1\.1 200 [\s\S]*Content-Encoding: gzip/);
		assert.equal(bytes.length - at - 4, Number(/Content-Length: (\d+)/i.exec(answered)?.[1]));
		assert.match(gunzipSync(bytes.subarray(at + 4)).toString(), /search_licenses/);
	});

	test("however the bytes are divided", async () => {
		const bytes = (await headOf()) + WHOLE;
		const socket = connect({ port: served().port, host: "127.0.0.1", noDelay: true });
		let text = "";
		socket.setEncoding("latin1").on("data", (part: string) => {
			text += part;
		});
		const from = bytes.length - WHOLE.length;
		socket.write(bytes.slice(0, from));
		for (const byte of bytes.slice(from)) {
			socket.write(byte);
			await delay(1);
		}
		for (let i = 0; i < 100 && !text.includes("search_licenses"); i++) await delay(20);
		socket.destroy();
		assert.match(text, /^HTTP\/1\.1 200 [\s\S]*search_licenses/);
	});

	test("a body longer than a message may be is refused as one whose length is known", async () => {
		const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
		const long = await sendRaw(served().port, (await headOf()) + chunk.repeat(3));
		assert.match(long.text, /^HTTP\/1\.1 413 [\s\S]*payload_too_large/);
		const exact = `8000\r\n${CALL.padEnd(0x8000)}\r\n${chunk}0\r\n\r\n`;
		assert.match((await sendRaw(served().port, (await headOf()) + exact)).text, /^HTTP\/1\.1 200 /);
	});

	test("nothing in the rest of a body that is too long is answered as a request", async () => {
		const socket = connect({ port: served().port, host: "127.0.0.1" });
		let text = "";
		socket.setEncoding("latin1").on("data", (part: string) => {
			text += part;
		});
		// It may be closed by then.
		socket.on("error", () => undefined);
		socket.write(`${await headOf()}10001\r\n${" ".repeat(0x10001)}`);
		for (let i = 0; i < 100 && text === ""; i++) await delay(20);
		socket.write(HIDDEN);
		await delay(150);
		socket.destroy();
		assert.match(text, /^HTTP\/1\.1 413 /);
		assert.doesNotMatch(text.slice(1), /HTTP\/1\.1 |smuggled/);
	});

	// The other transport reads chunks strictly and keeps the connection.
	testOver(
		"uws",
		"a short answer ends a connection that is not to be used again, with a body or without",
		async () => {
			for (const message of [{ id: 1, method: "ping" }, { method: "notifications/initialized" }]) {
				const text = JSON.stringify({ jsonrpc: "2.0", ...message });
				const socket = connect({ port: served().port, host: "127.0.0.1" });
				let answer = "";
				socket.setEncoding("latin1").on("data", (part: string) => {
					answer += part;
				});
				const closed = once(socket, "close", { signal: AbortSignal.timeout(5_000) });
				socket.write(`${await headOf()}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`);
				await closed;
				assert.match(answer, /^HTTP\/1\.1 20[02] [\s\S]*Connection: close/);
			}
		},
	);

	// uWebSockets.js never sends it.
	testOver("node", "a client that waits for 100 Continue gets it once, and no other does", async () => {
		for (const expects of [true, false]) {
			const socket = connect({ port: served().port, host: "127.0.0.1" });
			let text = "";
			socket.setEncoding("latin1").on("data", (part: string) => {
				text += part;
			});
			socket.write(await headOf("/mcp", expects ? "Expect: 100-continue\r\n" : ""));
			for (let i = 0; i < 50 && expects && text === ""; i++) await delay(20);
			socket.write(WHOLE);
			for (let i = 0; i < 100 && !text.includes("search_licenses"); i++) await delay(20);
			socket.destroy();
			assert.match(text, expects ? /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 / : /^HTTP\/1\.1 200 /);
		}
	});

	test("nothing within chunks that are malformed, or behind a body that nobody reads, is answered as a request", async () => {
		const bodies = [
			`3\r\nabcdef\r\n0\r\n\r\n${HIDDEN}`,
			`3\nabc\r\n0\r\n\r\n${HIDDEN}`,
			`3;a=b\r\nabc\r\n0\r\n\r\n${HIDDEN}`,
			`0\r\nX-A: b\r\n\r\n${HIDDEN}`,
			`-1\r\nabc\r\n0\r\n\r\n${HIDDEN}`,
			`FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n${HIDDEN}`,
		];
		for (const body of bodies) {
			const { text } = await sendRaw(served().port, (await headOf()) + body);
			assert.doesNotMatch(text, /smuggled/, body);
			assert.ok((text.match(/HTTP\/1\.1 /g)?.length ?? 0) <= 1, text);
		}
		const unread = await sendRaw(served().port, (await headOf("/v1/licenses")) + WHOLE + HIDDEN);
		assert.doesNotMatch(unread.text, /smuggled|HTTP\/1\.1 200/);
		assert.ok((unread.text.match(/HTTP\/1\.1 /g)?.length ?? 0) <= 1, unread.text);
	});

	test("a request behind a message in chunks is the next one where they are read strictly, else not answered", async () => {
		const { text } = await sendRaw(served().port, (await headOf()) + WHOLE + HIDDEN);
		assert.match(text, transport === "node" ? /^HTTP\/1\.1 200 [\s\S]*search_licenses[\s\S]*smuggled/ : /^$/);
	});

	test("chunks beside a length, or with another coding, are refused", async () => {
		for (const headers of ["Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n"]) {
			const { text } = await sendRaw(served().port, (await headOf("/mcp", headers)) + WHOLE + HIDDEN);
			assert.doesNotMatch(text, /HTTP\/1\.1 200|smuggled/);
		}
	});
});

test("the decoder accepts one spelling of chunks, however they are divided", () => {
	const outcomeOf = (text: string, bytes: number) => {
		const body = new ChunkedBody(8);
		let outcome = "more";
		for (let at = 0; at < text.length && outcome === "more"; at += bytes)
			outcome = body.add(Buffer.from(text.slice(at, at + bytes)));
		return `${outcome} ${body.data} ${body.unread ?? ""}`.trim();
	};
	const expected: Record<string, string> = {
		"3\r\nabc\r\n5\r\nde\r\nf\r\n0\r\n\r\n": "done abcde\r\nf",
		"A\r\n": "more",
		"9\r\n123456789\r\n": "too_large",
		"8\r\n12345678\r\n1\r\n9": "too_large 12345678",
		"00000000\r\n\r\n": "done",
		"000000000\r\n\r\n": "malformed",
		"\r\n": "malformed",
		"3\nabc": "malformed",
		"3 \r\nabc": "malformed",
		"3;a=b\r\nabc": "malformed",
		"0x3\r\nabc": "malformed",
		"3\r\nabcd\r\n": "malformed abc",
		"0\r\nX: y\r\n\r\n": "malformed",
	};
	for (const [text, outcome] of Object.entries(expected))
		for (const bytes of [1, 2, text.length])
			assert.equal(outcomeOf(text, bytes), outcome, JSON.stringify(text));
	assert.equal(outcomeOf("1\r\na\r\n0\r\n\r\nGET", 99), "done a GET");
	assert.equal(BODY_BYTES_MAX, 0x10000, "as the chunks above assume");
});
