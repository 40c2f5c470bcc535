/** Bodies are parsed as JSON.parse does it, however often messages of their form came before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseBody } from "../../server/mcp/message.js";
import { MessageForms } from "../../server/mcp/message-forms.js";
import { checkProperty } from "../oracle/seeded.js";

function call(id: number, row: number): string {
	const params = { name: "get_license", arguments: { id: row } };
	return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** The value, or that there is none. */
function outcome(parse: () => unknown): unknown {
	try {
		// A copy, since the value is overwritten.
		return { value: structuredClone(parse()) };
	} catch {
		return "refused";
	}
}

function check(body: string): void {
	const expected = outcome(() => JSON.parse(body));
	assert.deepEqual(
		outcome(() => parseBody(Buffer.from(body))),
		expected,
		body,
	);
}

test("messages that differ in whole numbers alone are recognised from the third on", () => {
	const forms = new MessageForms();
	const parse = (body: string) => {
		const found = forms.find(Buffer.from(body));
		if (found === undefined) forms.offer(Buffer.from(body));
		return found;
	};
	assert.equal(parse(call(1, 2)), undefined);
	assert.equal(parse(call(3, 40)), undefined);
	assert.deepEqual(parse(call(5, 202_611_000_000_007)), JSON.parse(call(5, 202_611_000_000_007)));
	assert.deepEqual(parse(call(0, 0)), JSON.parse(call(0, 0)));
	assert.equal(parse(call(1, 2).replace("get_license", "get_licence")), undefined);
	assert.equal(parse(call(1, 2).replace('"2.0"', '"3.0"')), undefined, "digits in strings are no numbers");
});

test("a number is read as JSON has it, and everything else is refused as before", () => {
	for (let i = 0; i < 3; i++) check(call(i, i));
	const spellings = ["07", "00", "-1", "1.5", "1e3", "1E3", "1.", "-", "", " 7 ", "1 2", "9007199254740993"];
	spellings.push("999999999999999", "1234567890123456", "99999999999999999999", "٣", '"7"', "null", "[7]");
	for (const spelling of spellings) for (let i = 0; i < 4; i++) check(call(i, 8).replace("8", spelling));
	for (let i = 0; i < 3; i++) check(`${call(i, 8)}7`);
	for (const body of ['{"a":1,"a":2}', '{"__proto__":1}', '{"a\\u0031":1}', '{"é":1}', "5", "[1,[2,{}]]"])
		for (let i = 1; i < 5; i++) check(body.replaceAll("1", String(i)));
});

test("random messages and their neighbours are parsed as by JSON.parse", (t) => {
	const message = fc.oneof(
		fc.jsonValue({ maxDepth: 3 }),
		fc.record({ id: fc.nat(), params: fc.dictionary(fc.string(), fc.oneof(fc.nat(), fc.double())) }),
	);
	const digit = fc.constantFrom("0", "1", "7", "12", ".", "-", "e", '"', " ", "\\", "é", "");
	checkProperty(
		t,
		300,
		fc.property(message, fc.array(digit, { maxLength: 12 }), (value, replacements) => {
			const text = JSON.stringify(value);
			for (let i = 0; i < 3; i++) check(text.replaceAll(/\d+/g, (digits) => `${Number(digits) % (97 + i)}`));
			// Replaces one run of digits after another, which gives messages that are nearly of the form.
			let at = 0;
			for (const replacement of replacements) {
				const changed = text.replace(/\d+/g, (digits) => (at++ % 3 === 0 ? replacement : digits));
				check(changed);
			}
		}),
	);
});
