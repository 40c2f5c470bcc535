/** A key's text: its form, and what its checksum refuses without a lookup. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	createKeyText,
	hashesEqual,
	hashKeyText,
	isKeyText,
	KEY_TEXT_LENGTH,
	withoutKeys,
} from "../../server/keys/key-text.js";

test("a new text has the vendor's prefix, is accepted, and is unique", () => {
	const texts = Array.from({ length: 500 }, createKeyText);
	for (const text of texts) {
		assert.match(text, /^rollcall_[0-9A-Za-z]{33}$/);
		assert.equal(text.length, KEY_TEXT_LENGTH);
		assert.ok(isKeyText(text));
	}
	assert.equal(new Set(texts).size, texts.length);
	assert.equal(new Set(texts.map(hashKeyText)).size, texts.length);
	assert.match(hashKeyText(texts[0]), /^[0-9a-f]{64}$/);
});

test("every single-character mistake is refused", () => {
	const text = createKeyText();
	for (let i = 0; i < text.length; i++) {
		for (const other of ["0", "z", "_", "é", " "]) {
			const slipped = text.slice(0, i) + other + text.slice(i + 1);
			assert.equal(isKeyText(slipped), slipped === text, slipped);
		}
	}
});

test("truncated, extended, recased and reordered texts are refused", () => {
	const text = createKeyText();
	const body = text.slice("rollcall_".length);
	const wrong = [
		"",
		text.slice(0, -1),
		`${text}0`,
		text.toUpperCase(),
		text.replace("rollcall_", "rollcall-"),
		`rollcall_${[...body].reverse().join("")}`,
		body,
	];
	for (const candidate of wrong) assert.equal(isKeyText(candidate), false, candidate);
});

test("invented texts are refused", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
			assert.equal(isKeyText(text), false);
			assert.equal(isKeyText(`rollcall_${text.padEnd(33, "a").slice(0, 33)}`), false);
		}),
	);
});

test("hashes are equal to themselves, and to no other, shorter or longer one", () => {
	const hash = hashKeyText(createKeyText());
	assert.equal(hashesEqual(hash, hash.slice()), true);
	for (const other of [hash.slice(1), `${hash}0`, "", hashKeyText("")]) {
		assert.equal(hashesEqual(hash, other), false);
		assert.equal(hashesEqual(other, hash), false);
	}
});

test("a message is rid of every key in it, whole or cut off", () => {
	const [one, other] = [createKeyText(), createKeyText()];
	const message = `no parameter "${one}"; did you mean ${other.slice(0, 20)}?`;
	assert.equal(withoutKeys(message), 'no parameter "rollcall_…"; did you mean rollcall_…?');
	assert.equal(withoutKeys("no parameter rollcall"), "no parameter rollcall");
});
