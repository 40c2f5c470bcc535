/** What is said of a bucket that does not exist, is in another region, or refuses the request. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { openStore } from "../../formats/object-store/index.js";

async function storeThatSays(
	t: TestContext,
	status: number,
	code: string,
	headers: Record<string, string> = {},
) {
	const server = createServer((_, response) => {
		response.writeHead(status, { "Content-Type": "application/xml", ...headers });
		response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.after(() => server.close());
	return openStore("s3://months/x", {
		AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		AWS_ACCESS_KEY_ID: "id",
		AWS_SECRET_ACCESS_KEY: "secret",
	});
}

test("a bucket that does not exist is named, and is no object that is not there", async (t) => {
	const store = await storeThatSays(t, 404, "NoSuchBucket");
	const expected = { code: "missing_object", message: /HTTP 404 NoSuchBucket; the bucket does not exist$/ };
	await assert.rejects(store.read("index.json", 1_024), expected);
	await assert.rejects(store.write("index.json", new Blob(["x"]), "0".repeat(64), "absent"), expected);
	const without = await storeThatSays(t, 404, "NoSuchKey");
	assert.equal(await without.read("index.json", 1_024), null);
	assert.equal(
		await without.write("index.json", new Blob(["x"]), "0".repeat(64), { etag: '"x"' }),
		"conflict",
	);
});

test("a bucket of another region is said to be there", async (t) => {
	const headers = { "x-amz-bucket-region": "eu-central-1", Location: "http://127.0.0.1:1/" };
	for (const [status, code] of [
		[400, "AuthorizationHeaderMalformed"],
		[301, "PermanentRedirect"],
	] as const) {
		const store = await storeThatSays(t, status, code, headers);
		await assert.rejects(store.read("index.json", 1_024), {
			code: "bad_store_url",
			message: new RegExp(`HTTP ${status} ${code}; the bucket is in region eu-central-1: set AWS_REGION$`),
		});
	}
});

test("a store that does not name the region of the bucket is refused by the setting that is wrong", async (t) => {
	const store = await storeThatSays(t, 400, "AuthorizationHeaderMalformed");
	await assert.rejects(store.read("index.json", 1_024), {
		code: "bad_store_url",
		message: /HTTP 400 AuthorizationHeaderMalformed; set AWS_REGION to the region of the bucket$/,
	});
});

test("a refusal names what to mend: the clock, or the credentials", async (t) => {
	for (const [code, remedy] of [
		["RequestTimeTooSkewed", "set this machine's clock"],
		["AccessDenied", "check the credentials and their rights"],
	] as const) {
		const store = await storeThatSays(t, 403, code);
		await assert.rejects(store.read("index.json", 1_024), {
			code: "store_denied",
			message: new RegExp(`HTTP 403 ${code}; ${remedy}$`),
		});
	}
});
