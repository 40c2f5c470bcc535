/** The encoding that is advised for bytes that are not UTF-8. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { remediedRejects } from "../../builder/gates/reject-remedies.js";
import { escapedBytes, likelyEncoding, unescapedBytes } from "../../builder/input/likely-encoding.js";

const bytes = (latin1: string) => Buffer.from(latin1, "latin1");

test("the advised encoding has letters with accents, in the case of their word, for the bytes", () => {
	assert.equal(likelyEncoding(bytes("Ren\xe9 Nu\xf1ez")), "windows-1252");
	assert.equal(likelyEncoding(bytes("MAR\xcdA N\xda\xd1EZ")), "windows-1252");
	assert.equal(likelyEncoding(bytes("Ren\x82 Nu\xa4ez")), "cp850");
	assert.equal(likelyEncoding(bytes("Jos\x8e \x84u\x96ez")), "macintosh");
	assert.equal(likelyEncoding(bytes("5 \xb0")), null);
});

test("bytes are shown with escapes, and rejects are advised by them", () => {
	const shown = escapedBytes(bytes('Ren\x82 "Nu\xa4ez"\n'));
	assert.equal(shown, '"Ren\\x82 \\"Nu\\xa4ez\\"\\n"');
	assert.deepEqual(unescapedBytes("Ren\\x82"), bytes("Ren\x82"));
	const sample = {
		file: "a.csv",
		line: 2,
		column: null,
		reason: "invalid_utf8",
		found: shown,
		raw: "",
	} as const;
	const remedyOf = (found: string | null) => {
		const reasons = [{ reason: "invalid_utf8", rows: 1, samples: [{ ...sample, found }] }] as const;
		return remediedRejects({ rows: 1, reasons }).reasons[0].remedy;
	};
	assert.equal(remedyOf(shown), 'set "encoding" in a --map file, probably to cp850');
	assert.equal(remedyOf(null), 'set "encoding" in a --map file, such as to windows-1252');
});
