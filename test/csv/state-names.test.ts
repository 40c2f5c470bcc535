/** Names of states as drops write them: which are read, and as which state. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { STATE_NAMES, stateCodeOf } from "../../formats/domain/state-names.js";

test("every name is read as its own state's, with or without accents and in any case", () => {
	for (const [name, state] of STATE_NAMES) {
		assert.equal(stateCodeOf(name), state, name);
		assert.equal(stateCodeOf(name.toLowerCase()), state, name);
	}
});

test("names are read with dots, hyphens, apostrophes and accents, where no other state is meant", () => {
	const read = {
		"N.Y.": "NY",
		"D.C.": "DC",
		"Washington, D.C.": "DC",
		QUEBEC: "QC",
		"P.E.I.": "PE",
		"\u00ce.-P.-\u00c9.": "PE",
		"N.-\u00c9.": "NS",
		"N.E.": "NE",
		"T.N.": "TN",
		"T.-N.-L.": "NL",
		"Newfoundland & Labrador": "NL",
		"\u00cele-du-Prince-\u00c9douard": "PE",
		"Hawai'i": "HI",
		"HAWAI\u2018I": "HI",
		"Hawai\u2019i": "HI",
		"Hawai\u02bbi": "HI",
	};
	for (const [text, state] of Object.entries(read)) assert.equal(stateCodeOf(text), state, text);
});

test("a text with other characters names no state", () => {
	for (const text of [
		"T&X",
		"T,X",
		"T/X",
		"T_X",
		"TX1",
		"-TX",
		".TX",
		"T\nX",
		"\uff34\uff38",
		"Ma\u00df",
		"",
		".",
	])
		assert.equal(stateCodeOf(text), null, text);
});
