/** Names of countries as drops write them: which are read, and as which country. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COUNTRY_NAMES, countryCodeOf } from "../../builder/input/country-names.js";

test("every name is read as its own country's, in any case, with dots or accents apart", () => {
	for (const code of ["US", "CA"] as const) {
		for (const name of COUNTRY_NAMES[code]) {
			assert.equal(countryCodeOf(name), code, name);
			assert.equal(countryCodeOf(name.toLowerCase()), code, name);
			assert.equal(countryCodeOf(name.normalize("NFD")), code, name);
		}
	}
	for (const text of ["u.s.", "U.S.A.", "ÉTATS-UNIS", "EE. UU."])
		assert.equal(countryCodeOf(text), "US", text);
});

test("another text names no country", () => {
	for (const text of ["", "E.U.", "Cook", "Mexico", "U/S", "USA1", "Canada, US", "1"])
		assert.equal(countryCodeOf(text), null, text);
});
