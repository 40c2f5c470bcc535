/** Messages that are too long, and what becomes of the connection of a refused one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BODY_BYTES_MAX } from "../../server/mcp/body-receiver.js";
import { sendRaw } from "../http/raw-socket.js";
import { overBothTransports } from "../http/served.js";
import { post, request } from "./tool-client.js";

const PING = request("ping");
const WHOAMI = request("tools/call", { name: "whoami" });

overBothTransports("POST /mcp", (served) => {
	test("refuses bodies over 64 KiB, and takes one of 64 KiB", async () => {
		const key = await served().key();
		const padded = (bytes: number) => JSON.stringify(PING).padEnd(bytes, " ");
		assert.equal((await post(served(), key, padded(BODY_BYTES_MAX))).status, 200);
		const { status, body } = await post(served(), key, padded(BODY_BYTES_MAX + 1));
		assert.equal(status, 413);
		assert.equal(body?.error?.code, "payload_too_large");
	});

	test("refuses a body of any declared length as too large", async () => {
		const key = await served().key();
		for (const length of [BODY_BYTES_MAX + 1, 64 << 20, (64 << 20) + 1, 1 << 28]) {
			const head = `POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`;
			const { text, closed } = await sendRaw(served().port, head);
			assert.match(text, /^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/, `${length}`);
			assert.equal(closed, true, `${length}`);
		}
	});

	test("a refused message leaves its connection usable, or closes it", async () => {
		const key = await served().key();
		const body = JSON.stringify(WHOAMI);
		const head = (more: string) =>
			`POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
		const good = head(`Authorization: Bearer ${key}\r\n`);
		for (const refused of [
			head(""),
			head(`Authorization: Bearer ${key}\r\nOrigin: https://evil.example\r\n`),
			head(`Authorization: Bearer ${key}\r\nAccept: text/html\r\n`),
		]) {
			const { text, closed } = await sendRaw(served().port, refused + good);
			const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));
			assert.ok(statuses[0] >= 400, text);
			if (closed) assert.equal(statuses.length, 1, text);
			else assert.deepEqual(statuses.slice(1), [200], text);
		}
	});
});
