/** Documentation files cost a stranger nothing but their bytes: no query, no compression for HEAD or twice. */

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { documentationRoutes } from "../../server/reference/routes.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const PATHS = ["/openapi.json", "/docs", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"];
const REQUESTS = 200;
/** CPU that so many requests for the largest file may take, in seconds; one compression takes a fifth. */
const CPU_SECONDS_MAX = 2;

interface Raw {
	readonly status: number;
	readonly coding: string | undefined;
	readonly length: number;
	readonly body: Buffer;
}

/** A request whose answer is not decoded. */
function raw(served: ServedFixture, method: string, path: string, acceptEncoding: string): Promise<Raw> {
	return new Promise((resolve, reject) => {
		const headers = { "accept-encoding": acceptEncoding };
		const sent = httpRequest({ port: served.port, host: "127.0.0.1", method, path, headers }, (answer) => {
			const chunks: Buffer[] = [];
			answer.on("data", (chunk: Buffer) => chunks.push(chunk));
			answer.on("end", () =>
				resolve({
					status: answer.statusCode ?? 0,
					coding: answer.headers["content-encoding"],
					length: Number(answer.headers["content-length"]),
					body: Buffer.concat(chunks),
				}),
			);
		});
		sent.on("error", reject);
		sent.end();
	});
}

overBothTransports("documentation files", (served) => {
	test("are sent in the best coding that the client accepts, with the same content", async () => {
		for (const path of PATHS) {
			const plain = await raw(served(), "GET", path, "identity");
			assert.equal(plain.status, 200, path);
			assert.equal(plain.coding, undefined);
			if (plain.body.length < 1_400) continue;
			const gzip = await raw(served(), "GET", path, "gzip");
			assert.equal(gzip.coding, "gzip");
			assert.deepEqual(gunzipSync(gzip.body), plain.body);
			const brotli = await raw(served(), "GET", path, "gzip, deflate, br");
			assert.equal(brotli.coding, "br");
			assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);
			assert.ok(brotli.body.length < plain.body.length / 2, path);
			const head = await raw(served(), "HEAD", path, "br");
			assert.equal(head.length, brotli.body.length, "HEAD describes what is ready");
		}
	});

	test("refuse a query, which would be another address of the same file", async () => {
		for (const path of PATHS) {
			const { status, code } = await served().refused(`${path}?1`, null);
			assert.equal(status, 400, path);
			assert.equal(code, "invalid_parameter");
		}
	});

	test("cost no compression for HEAD, nor for more than one GET", async () => {
		const before = process.cpuUsage();
		const path = "/docs/swagger-ui-bundle.js";
		for (let i = 0; i < REQUESTS; i++) {
			await raw(served(), "HEAD", `${path}?${i}`, "gzip");
			await raw(served(), "HEAD", path, "gzip, br");
		}
		const { user, system } = process.cpuUsage(before);
		assert.ok((user + system) / 1e6 < CPU_SECONDS_MAX, `${(user + system) / 1e6} s of CPU`);
	});
});

test("no file of the documentation is made before its first request", () => {
	let made = 0;
	const routes = documentationRoutes(() => {
		made++;
		return {};
	});
	assert.ok(routes.some(({ path }) => path === "/openapi.json"));
	assert.equal(made, 0);
});
