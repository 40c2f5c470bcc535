/** Addresses of object stores. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ObjectStoreError, openStore } from "../../formats/object-store/index.js";
import { runCommandLine } from "../command-line.js";
import { scratchFolder } from "../keys/scratch.js";

test("what is wrong with an address is said by its part", () => {
	const environment = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
	for (const [url, fault] of [
		["s3://", /^s3:\/\/ is neither s3:\/\/BUCKET\/PREFIX nor an https address$/],
		["ftp://x", /is neither s3:\/\/BUCKET\/PREFIX nor an https address$/],
		[
			"s3://B_x/p",
			/^s3:\/\/B_x\/p has no valid name of a bucket: 2 to 63 lower-case letters, digits, \. and -, /,
		],
		["s3://-b/p", /has no valid name of a bucket/],
		["s3://u:p@bucket/p", /^s3:\/\/bucket\/p has no valid name of a bucket/],
		["s3://bucket/a b", /has no valid prefix: letters, digits, \., _, - and \//],
		["s3://bucket/../x", /has no valid prefix: .*, without \. and \.\. as parts$/],
	] as const)
		assert.throws(() => openStore(url, environment), { code: "bad_store_url", message: fault }, url);
	for (const url of ["s3://my.bucket-1", "s3://bucket/", "s3://bucket/a/b_c.d-e/"])
		assert.match(openStore(url, environment).url, /^s3:\/\/(my\.bucket-1|bucket)/);
});

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

test("an address that is no store's is wrong usage of every command that takes one", async (t) => {
	const data = scratchFolder(t);
	const inFolder = ["--data", data];
	for (const args of [["push", ...inFolder], ["pull", ...inFolder], ["withdraw", "2026-11"], ["gc"]]) {
		const { code, stdout, stderr } = await runCommandLine("builder", [...args, "--store", "s3://B_x/p"]);
		assert.equal(code, 2, `${args[0]}: ${stderr}`);
		assert.equal(stdout, "");
		assert.match(stderr, /^builder: s3:\/\/B_x\/p has no valid name of a bucket: [^\n]+\n$/);
	}
	const started = await runCommandLine("server", [
		"start",
		"--data",
		data,
		"--port",
		"0",
		"--months-from",
		"s3://B_x/p",
	]);
	assert.equal(started.code, 2, started.stderr);
	assert.match(started.stderr, /s3:\/\/B_x\/p has no valid name/);
});
