/** The OpenAPI document: complete, accepted by two linters, with examples that conform. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CURSOR_LENGTH_MAX } from "../../server/api/bulk/cursor.js";
import { EXAMPLES } from "../../server/api/openapi/generated/examples.js";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { ENDPOINTS } from "../../server/limits/usage-codes.js";
import { assertFits, DOCUMENT, describedAnswer } from "./document-check.js";
import { EXAMPLE_QUESTIONS } from "./example-questions.js";
import { overBothTransports } from "./served.js";

/** A parameter with a bound. */
interface Bounded {
	readonly name: string;
	readonly description: string;
	readonly schema: { readonly maximum?: number; readonly maxLength?: number };
}

const BIN = fileURLToPath(new URL("../../../node_modules/.bin", import.meta.url));

/** Runs a linter over the document; returns its findings. */
function lint(command: string, args: (file: string) => string[], rules: string): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-openapi-"));
	try {
		writeFileSync(join(folder, "openapi.json"), JSON.stringify(DOCUMENT, null, 2));
		writeFileSync(join(folder, ".spectral.yaml"), rules);
		const { status, stdout, stderr } = spawnSync(join(BIN, command), args("openapi.json"), {
			cwd: folder,
			encoding: "utf8",
			env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
		});
		const output = `${stdout}${stderr}`;
		// Redocly exits with 0 beside warnings.
		return status === 0 && !/^You have \d+ warning/m.test(output) ? "" : output;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

test("Redocly has no findings", () => {
	// A licence of no public text has neither an address nor an identifier: readers would link to a page that does not exist.
	const rules = ["--skip-rule=info-license-strict"];
	const found = lint("redocly", (file) => ["lint", "--max-problems=20", ...rules, file], "");
	assert.equal(found, "");
});

test("Spectral has no findings", () => {
	const found = lint(
		"spectral",
		(file) => ["lint", "--fail-severity=hint", file],
		'extends: ["spectral:oas"]\n',
	);
	assert.equal(found, "");
});

test("the document is OpenAPI 3.1, version 1.0.0, and has every path", () => {
	assert.match(DOCUMENT.openapi, /^3\.1\./);
	assert.equal(DOCUMENT.info.version, "1.0.0");
	const paths = ["/v1/health", ...ENDPOINTS.filter((endpoint) => endpoint !== "other")];
	assert.deepEqual(new Set(Object.keys(DOCUMENT.paths)), new Set(paths));
	const names = OPERATIONS.map((operation) => operation.operationId);
	assert.equal(new Set(names).size, OPERATIONS.length);
});

test("every path has an example, and every example fits its schema", () => {
	for (const [name, path] of Object.entries(EXAMPLE_QUESTIONS)) {
		const content = describedAnswer("GET", path, 200)?.content ?? {};
		const type =
			name === "csv" ? "text/csv" : name === "ndjson" ? "application/x-ndjson" : "application/json";
		const example = content[type].example;
		assert.deepEqual(example, JSON.parse(JSON.stringify(EXAMPLES[name])), name);
		assertFits(content[type].schema, example, name);
	}
});

test("a limit may be what the server takes by a cursor in CSV or NDJSON, and the description says when", () => {
	for (const path of ["/v1/licenses", "/v1/changes"]) {
		const { parameters } = (
			DOCUMENT as unknown as { paths: Record<string, { get: { parameters: Bounded[] } }> }
		).paths[path].get;
		const limit = parameters.find(({ name }) => name === "limit");
		assert.equal(limit?.schema.maximum, 100_000, path);
		assert.match(
			limit?.description ?? "",
			/at most 1,000; up to 100,000 with a cursor and format=csv or ndjson/,
		);
	}
});

test("a cursor may be as long as the server makes it", () => {
	const { paths } = DOCUMENT as unknown as { paths: Record<string, { get?: { parameters: Bounded[] } }> };
	const cursors = Object.values(paths).flatMap(({ get }) =>
		(get?.parameters ?? []).filter(({ name }) => name === "cursor"),
	);
	assert.equal(cursors.length, 4);
	for (const { schema } of cursors) assert.equal(schema.maxLength, CURSOR_LENGTH_MAX);
});

overBothTransports("the document", (served) => {
	test("is served without a key, as generated", async () => {
		const { status, headers, text } = await served().request("/openapi.json");
		assert.equal(status, 200);
		assert.equal(headers.get("content-type"), "application/json; charset=utf-8");
		assert.deepEqual(JSON.parse(text), DOCUMENT);
		const tag = headers.get("etag") ?? "";
		const again = await served().request("/openapi.json", null, { headers: { "if-none-match": tag } });
		assert.equal(again.status, 304);
	});

	test("the reference at /docs loads from this service alone", async () => {
		const page = await served().request("/docs");
		assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
		assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'.*connect-src 'self'/);
		const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
		for (const path of loaded.filter((path) => path !== "data:,")) {
			assert.match(path, /^\//);
			assert.equal((await served().request(path)).status, 200, path);
		}
	});
});
