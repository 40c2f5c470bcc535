/** Addresses of object stores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ObjectStoreError, openStore } from "../../formats/object-store/index.js";

test("addresses that are no store's are refused", () => {
	for (const url of [
		"s3://",
		"s3://b",
		"s3://UPPER/x",
		"s3://bucket/../x",
		"ftp://x",
		"https://u:p@host/x",
		"https://h/x?q=1",
	]) {
		assert.throws(
			() => openStore(url, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" }),
			(error: ObjectStoreError) => error.code === "bad_store_url" && !error.message.includes("u:p"),
			url,
		);
	}
});
