/** Every rule of source-rules.ts detects a planted violation and accepts valid sources. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findViolations, type Source } from "./source-rules.js";

function source(path: string, ...lines: string[]): Source {
	return { path, text: ["/** Purpose. */", ...lines, ""].join("\n") };
}

function violationsOf(...sources: Source[]): string {
	return findViolations(sources, {}).join("\n");
}

test("valid sources have no violations", () => {
	const found = violationsOf(
		source("formats/encode/a.ts", 'import { b } from "../b.js";'),
		source("formats/decode/a.ts", 'import { c } from "../encode/a.js";'),
		source("formats/b.ts", 'import type { a } from "./c.js";', 'import "node:fs";'),
		source("formats/files/addon.ts", 'createRequire(import.meta.url)(join(root, "native"));'),
		source("server/transport.ts", 'const uws = await import("uWebSockets.js");'),
		source(
			"server/main.ts",
			'import {\n\ta,\n} from "../formats/b.js";',
			'export * from "../engine/index.js";',
		),
	);
	assert.equal(found, "");
});

test("an import against the layering is detected in every form of import", () => {
	const forms = [
		'import { x } from "../builder/x.js";',
		'import type { X } from "../builder/x.js";',
		'import {\n\tx,\n} from "../builder/x.js";',
		'import "../builder/x.js";',
		'export * from "../builder/x.js";',
		'export { x } from "../builder/x.js";',
		'const { x } = await import("../builder/x.js");',
	];
	for (const form of forms) {
		assert.match(violationsOf(source("engine/y.ts", form)), /engine may not import builder/, form);
	}
	assert.match(
		violationsOf(source("formats/y.ts", 'import { x } from "rollcall/engine";')),
		/formats may not import engine/,
	);
	assert.match(
		violationsOf(source("server/y.ts", 'import { x } from "../test/x.js";')),
		/server may not import test/,
	);
	assert.match(
		violationsOf(source("server/y.ts", 'import { x } from "../builder/x.js";')),
		/server may not import builder/,
	);
});

test("a second file that uses a wrapped package is detected", () => {
	const twice = violationsOf(
		source("server/a.ts", 'import { open } from "lmdb";'),
		source("server/b.ts", 'const { open } = createRequire(import.meta.url)("lmdb");'),
	);
	assert.match(twice, /server\/b\.ts touches lmdb, which is server\/a\.ts's alone/);
	assert.match(
		violationsOf(source("engine/a.ts", 'const addon = require(join(root, "native"));')),
		/engine\/a\.ts touches native, which is formats\/files\/addon\.ts's alone/,
	);
});

test("circular imports between files, type-only ones included, and between folders are detected", () => {
	const files = violationsOf(
		source("engine/a.ts", 'import { b } from "./b.js";'),
		source("engine/b.ts", 'import { c } from "./c.js";'),
		source("engine/c.ts", 'import { a } from "./a.js";'),
	);
	assert.match(
		files,
		/files import in a circle: engine\/a\.ts > engine\/b\.ts > engine\/c\.ts > engine\/a\.ts/,
	);
	const types = violationsOf(
		source("server/a.ts", 'import type { b } from "./b.js";'),
		source("server/b.ts", 'import { a } from "./a.js";'),
	);
	assert.match(types, /files import in a circle: server\/a\.ts > server\/b\.ts > server\/a\.ts/);
	const folders = violationsOf(
		source("server/keys/a.ts", 'import { b } from "../limits/b.js";'),
		source("server/limits/c.ts", 'import type { d } from "../keys/d.js";'),
	);
	assert.match(folders, /folders import in a circle: server\/keys > server\/limits > server\/keys/);
});

test("an import from a lower room of the engine to a higher one, or between rooms of one rank, is detected", () => {
	const upward = [
		source("engine/kernels/a.ts", 'import { b } from "../columns/b.js";'),
		source("engine/plan/a.ts", 'import type { b } from "../order/bitmap/b.js";'),
		source("engine/query.ts", 'import type { b } from "./scratch.js";'),
		source("engine/render/a.ts", 'import { b } from "../aggregate/b.js";'),
		source("engine/trace.ts", 'import { b } from "./tuning.js";'),
	];
	for (const file of upward) assert.match(violationsOf(file), /is not below/, file.path);
	assert.match(
		violationsOf(source("engine/attic/a.ts", 'import { b } from "../query.js";')),
		/engine\/attic is not in ENGINE_ROOMS/,
	);
	const downward = [
		source(
			"engine/order/bitmap/a.ts",
			'import { b } from "../b.js";',
			'import { c } from "../../plan/c.js";',
		),
		source("engine/order/b.ts", 'import type { c } from "../columns/c.js";'),
		source("engine/columns/c.ts", 'import { d } from "../tuning.js";'),
	];
	assert.equal(violationsOf(...downward), "");
});

test("vague names, missing opening comments, long files and unpaired codecs are detected", () => {
	for (const path of [
		"engine/utils.ts",
		"engine/row-helpers.ts",
		"engine/misc/a.ts",
		"test/common.test.ts",
	]) {
		assert.match(violationsOf(source(path)), /tells nobody what it owns/, path);
	}
	assert.match(
		violationsOf({ path: "engine/a.ts", text: "// Purpose.\n" }),
		/does not open with a block comment/,
	);
	const long = source("engine/a.ts", ..."x".repeat(350).split(""));
	assert.match(violationsOf(long), /engine\/a\.ts: 351 lines, at most 350/);
	assert.equal(findViolations([long], { "engine/a.ts": "a table" }).join(), "");
	assert.match(findViolations([], { "engine/a.ts": "a table" }).join(), /allowed to be long and is not/);
	assert.match(violationsOf(source("formats/encode/a.ts")), /has no twin in formats\/decode/);
});

test("a link to a name that the file does not have is detected, and one to what it imports is not", () => {
	const link = (name: string) => `/** As {@link ${name}}. */`;
	const found = violationsOf(
		source(
			"formats/a.ts",
			'import { B } from "./b.js";',
			link("B.value"),
			link("C"),
			"// C",
			"const d = new B();",
		),
		source("formats/b.ts", "export class B {}"),
	);
	assert.equal(found, "formats/a.ts: {@link C} names nothing in this file");
});

test("an exported value that no other file names is detected, whatever it is; a type is not", () => {
	const values = ["function a() {}", "async function* b() {}", "const c = 1;", "abstract class d {}"];
	for (const value of values) {
		const declared = source("formats/a.ts", `export ${value}`, "export interface Unnamed {}");
		assert.match(violationsOf(declared), /^formats\/a\.ts: exports [abcd], which no other file names$/);
		assert.equal(violationsOf(declared, source("engine/b.ts", "a(b, c, d);")), "");
	}
});
