/** Requests with ambiguous framing are refused and their connections closed, on both transports. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sendRaw } from "./raw-socket.js";
import { overBothTransports, ServedFixture } from "./served.js";

const HOST = "Host: rollcall.test\r\n";

/** What newer versions of uWebSockets.js answer themselves to what their parser refuses. */
const LIBRARY_REFUSAL = "uWebSockets/20 Server";

/** The request, and what the answer's message must contain. */
const REFUSED: readonly (readonly [string, string, RegExp])[] = [
	["a body on GET", `GET /v1/health HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`, /takes no body/],
	["a body on HEAD", `HEAD /v1/health HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`, /^$/],
	[
		"a body on OPTIONS",
		`OPTIONS /v1/health HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`,
		/takes no body/,
	],
	[
		"Transfer-Encoding",
		`POST /mcp HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
		/Transfer-Encoding/,
	],
	[
		"Transfer-Encoding on GET",
		`GET /v1/health HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
		/Transfer-Encoding/,
	],
	["a repeated Host", `GET /v1/health HTTP/1.1\r\n${HOST}${HOST}\r\n`, /Host header is repeated/],
];

/** Answered 400 by the parser or by us; only the refusal matters. */
const REFUSED_OR_DROPPED: readonly (readonly [string, string])[] = [
	[
		"a repeated Content-Length",
		`POST /mcp HTTP/1.1\r\n${HOST}Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde`,
	],
	["a signed Content-Length", `POST /mcp HTTP/1.1\r\n${HOST}Content-Length: +3\r\n\r\nabc`],
	["a negative Content-Length", `POST /mcp HTTP/1.1\r\n${HOST}Content-Length: -3\r\n\r\nabc`],
	["a hexadecimal Content-Length", `POST /mcp HTTP/1.1\r\n${HOST}Content-Length: 0x3\r\n\r\nabc`],
	[
		"an immense Content-Length",
		`POST /mcp HTTP/1.1\r\n${HOST}Content-Length: 99999999999999999999\r\n\r\nabc`,
	],
	[
		"both framings",
		`POST /mcp HTTP/1.1\r\n${HOST}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`,
	],
	["HTTP/2.0 in the request line", `GET /v1/health HTTP/2.0\r\n${HOST}\r\n`],
	["no version", `GET /v1/health\r\n${HOST}\r\n`],
	["no Host", "GET /v1/health HTTP/1.1\r\n\r\n"],
	["a folded header", `GET /v1/health HTTP/1.1\r\n${HOST}X-A: a\r\n b\r\n\r\n`],
	["a space before the colon", `GET /v1/health HTTP/1.1\r\n${HOST}Content-Length : 0\r\n\r\n`],
	["bare line feeds", "GET /v1/health HTTP/1.1\nHost: a\n\n"],
	["NUL in the target", `GET /v1/health?a=\0 HTTP/1.1\r\n${HOST}\r\n`],
	["a method with a sign that no token has", `G(T /v1/health HTTP/1.1\r\n${HOST}\r\n`],
	["a method of 33 letters", `${"A".repeat(33)} /v1/health HTTP/1.1\r\n${HOST}\r\n`],
	["CONNECT", `CONNECT /v1/health HTTP/1.1\r\n${HOST}\r\n`],
	["CONNECT to a host", `CONNECT rollcall.test:443 HTTP/1.1\r\n${HOST}\r\n`],
];

overBothTransports("framing", (served) => {
	for (const [name, bytes, message] of REFUSED) {
		test(`${name} is refused with 400 and the connection closed`, async () => {
			const { text, closed } = await sendRaw(served().port, bytes);
			assert.match(text, /^HTTP\/1\.1 400 /);
			assert.ok(closed, "the connection is closed");
			if (text.includes(LIBRARY_REFUSAL)) return;
			assert.match(text, /x-request-id: /i);
			const body = text.slice(text.indexOf("\r\n\r\n") + 4);
			if (message.source !== "^$") {
				const { error } = JSON.parse(body);
				assert.equal(error.code, "invalid_parameter");
				assert.match(error.message, message);
			}
			assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, "nothing after the refusal is taken for a request");
		});
	}

	for (const [name, bytes] of REFUSED_OR_DROPPED) {
		test(`${name} never reaches the service`, async () => {
			const { text } = await sendRaw(served().port, bytes);
			assert.ok(text === "" || /^HTTP\/1\.1 (?:4\d\d|505) /.test(text), text);
			const after = await served().request("/v1/health");
			assert.equal(after.status, 200, "the server goes on");
		});
	}

	test("a Content-Length of 0 on GET is accepted", async () => {
		const { text } = await sendRaw(
			served().port,
			`GET /v1/health HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`,
		);
		assert.match(text, /^HTTP\/1\.1 200 /);
	});

	test("two pipelined requests get two answers in order", async () => {
		const { text } = await sendRaw(
			served().port,
			`GET /v1/health HTTP/1.1\r\n${HOST}\r\nGET /nowhere HTTP/1.1\r\n${HOST}\r\n`,
		);
		assert.match(text, /^HTTP\/1\.1 200 [\s\S]*HTTP\/1\.1 404 /);
	});

	test("Connection: close is honoured", async () => {
		const { text, closed } = await sendRaw(
			served().port,
			`GET /v1/health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
		);
		assert.match(text, /^HTTP\/1\.1 200 /);
		assert.ok(closed);
	});

	test("Connection: close is told in the answer, once", async () => {
		for (const method of ["GET", "HEAD"]) {
			const request = `${method} /v1/health HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
			const { text, closed } = await sendRaw(served().port, request);
			assert.equal(text.match(/\r\nconnection: close\r\n/gi)?.length, 1, text);
			assert.ok(closed);
		}
	});

	test("HEAD that is refused gets no body", async () => {
		for (const head of [`/${"x".repeat(40_000)} HTTP/1.1\r\n${HOST}`, "/v1/health HTTP/1.1\r\n"]) {
			const { text } = await sendRaw(served().port, `HEAD ${head}\r\n`);
			assert.ok(text === "" || text.endsWith("\r\n\r\n"), text);
		}
	});

	test("HEAD has the length of GET and no body", async () => {
		const get = await sendRaw(served().port, `GET /v1/health HTTP/1.1\r\n${HOST}\r\n`);
		const head = await sendRaw(served().port, `HEAD /v1/health HTTP/1.1\r\n${HOST}\r\n`);
		const length = /content-length: (\d+)/i;
		assert.equal(length.exec(head.text)?.[1], length.exec(get.text)?.[1]);
		assert.ok(head.text.endsWith("\r\n\r\n"));
	});

	test("a repeated credential is refused", async () => {
		const key = await served().key();
		const line = `Authorization: Bearer ${key}\r\n`;
		const { text } = await sendRaw(served().port, `GET /v1/me HTTP/1.1\r\n${HOST}${line}${line}\r\n`);
		assert.match(text, /^HTTP\/1\.1 401 /);
	});

	test("a client that disconnects during its answer affects nobody", async () => {
		const key = await served().key();
		const request = `GET /v1/licenses?limit=1000 HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\n\r\n`;
		await Promise.all(Array.from({ length: 20 }, () => sendRaw(served().port, request, 0)));
		assert.equal((await served().request("/v1/health")).status, 200);
	});
});

test("an unknown method is answered as one that is not served, and its body never read as a request, over node", async (t) => {
	const served = await ServedFixture.start("node");
	t.after(() => served.close());
	const key = `Authorization: Bearer ${await served.key()}\r\n`;
	const hidden = `GET /v1/health HTTP/1.1\r\n${HOST}\r\n`;
	for (const method of ["BREW", "QUERY", "get", "M-SEARCH", "1", "A".repeat(32)]) {
		const ask = (path: string, headers: string, rest: string) =>
			sendRaw(served.port, `${method} ${path} HTTP/1.1\r\n${HOST}${headers}\r\n${rest}`);
		const { text: keyless } = await ask("/v1/licenses", "", "");
		assert.match(keyless, /^HTTP\/1\.1 401 /, method);
		// Without a declared body, what follows is the next request.
		const { text, closed } = await ask("/v1/licenses", key, hidden);
		assert.match(text, /^HTTP\/1\.1 405 [\s\S]*"code":"method_not_allowed"[\s\S]*HTTP\/1\.1 200 /, method);
		assert.match(text, /\r\nallow: GET, HEAD, OPTIONS\r\n/i);
		assert.ok(!closed);
		for (const path of ["/v1/health", "/mcp"]) {
			const bodied = await ask(path, `${key}Content-Length: ${hidden.length}\r\n`, hidden);
			assert.deepEqual(bodied.text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 405"], method);
			assert.ok(bodied.closed, "the connection is closed");
		}
		const chunked = await ask("/v1/licenses", `${key}Transfer-Encoding: chunked\r\n`, `0\r\n\r\n${hidden}`);
		assert.deepEqual(chunked.text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 400"], method);
	}
});

test("a method of more than 32 letters is none, over node", async (t) => {
	const served = await ServedFixture.start("node");
	t.after(() => served.close());
	const { text } = await sendRaw(served.port, `${"A".repeat(33)} /v1/health HTTP/1.1\r\n${HOST}\r\n`);
	assert.match(text, /^HTTP\/1\.1 400 /);
});

test("an unknown method that arrives in parts is waited for, over node", async (t) => {
	const served = await ServedFixture.start("node");
	t.after(() => served.close());
	const socket = connect({ port: served.port, host: "127.0.0.1", noDelay: true });
	t.after(() => socket.destroy());
	let text = "";
	socket.setEncoding("latin1").on("data", (chunk: string) => {
		text += chunk;
	});
	for (const part of ["g", `et /v1/health HTTP/1.1\r\n${HOST}\r\n`]) {
		socket.write(part);
		await delay(50);
	}
	for (let i = 0; i < 100 && text === ""; i++) await delay(20);
	assert.match(text, /^HTTP\/1\.1 405 /);
});

test("an empty line before a request is ignored where its two bytes come apart, over node", async (t) => {
	const served = await ServedFixture.start("node");
	t.after(() => served.close());
	const socket = connect({ port: served.port, host: "127.0.0.1", noDelay: true });
	t.after(() => socket.destroy());
	let text = "";
	socket.setEncoding("latin1").on("data", (chunk: string) => {
		text += chunk;
	});
	for (const part of ["\r", "\n\r", `\nGET /v1/health HTTP/1.1\r\n${HOST}\r\n`, "\r", "x"]) {
		socket.write(part);
		await delay(50);
	}
	for (let i = 0; i < 100 && text.split("HTTP/1.1 ").length < 3; i++) await delay(20);
	assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 400"]);
});
