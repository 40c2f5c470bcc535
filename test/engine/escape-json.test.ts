/** JSON inside a JSON string: the module, the loop and JSON.stringify agree. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteSink, type EscapeJson, escapeInLoop, escapeJson } from "../../engine/index.js";
import { checkProperty } from "../oracle/seeded.js";

const WAYS: Readonly<Record<string, EscapeJson>> = {
	"the fastest way": escapeJson,
	"the loop": escapeInLoop,
};

function escaped(write: EscapeJson, json: string): string {
	const sink = new ByteSink(16);
	sink.text("[");
	write(Buffer.from(json), sink);
	sink.text("]");
	return sink.view().toString("utf8");
}

function check(json: string): void {
	for (const [way, write] of Object.entries(WAYS))
		assert.equal(escaped(write, json), `[${JSON.stringify(json).slice(1, -1)}]`, way);
}

test("escapes JSON as JSON.stringify does", (t) => {
	assert.notEqual(escapeJson, escapeInLoop, "this machine runs the module");
	const text = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^["\\a]{0,40}$/));
	checkProperty(
		t,
		500,
		fc.property(fc.oneof(fc.jsonValue(), text), (value) => check(JSON.stringify(value))),
	);
});

test("escapes documents of every length around a step and a chunk", () => {
	for (const around of [0, 16_384, 32_768])
		for (let length = Math.max(2, around - 10); length < around + 20; length++)
			for (const filling of ["a", '"', "\\", 'ab"'])
				check(`"${filling.repeat(length)}`.slice(0, length - 1).concat('"'));
});
