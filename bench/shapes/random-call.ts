/**
 * Random calls of what is not a list: verifications, offices, and a license's rows. The search for slow queries asks them;
 * no peer has the same rules.
 */

import { type AskedLicense, DEFAULT_QUERY, OFFICE_SORTS } from "../../engine/index.js";
import { OFFICES_MAX } from "../../server/api/schemas/offices-parameters.js";
import { WHOLE_ROW } from "./named-shapes.js";
import { PROJECTIONS, randomGrant } from "./projected-shapes.js";
import type { Call } from "./question.js";
import { officeFilters } from "./random-filters.js";
import type { ValueSource } from "./value-source.js";

/** Licenses of one verification: as many as a request and a tool's call may have. */
const MANY_LICENSES = [100, 500];
const OFFICES_DEPTH_MAX = 10_000;

/** A random verification, page of offices, or license. */
export function randomCall(source: ValueSource): Call {
	const { draw } = source;
	const geography = draw.oneIn(3) ? randomGrant(source) : DEFAULT_QUERY.geography;
	const projection = draw.oneIn(2) ? draw.pick(PROJECTIONS) : WHOLE_ROW;
	switch (draw.below(4)) {
		case 0: {
			const { state, licenseNumber } = randomLicense(source);
			return { kind: "history", state, licenseNumber, projection, geography };
		}
		case 1: {
			const licenses = manyLicenses(draw.pick([1, 10, ...MANY_LICENSES]), source);
			return { kind: "verify", licenses, projection, geography };
		}
		default: {
			const like = draw.oneIn(2) ? [misspelled(source.value("office_name"), source)] : null;
			const sort = draw.pick([...OFFICE_SORTS, ...(like === null ? [] : (["match"] as const))]);
			const limit = draw.pick([1, 20, OFFICES_MAX]);
			const offset = draw.oneIn(2) ? 0 : draw.below(OFFICES_DEPTH_MAX);
			return {
				kind: "offices",
				request: { like, sort, offset, limit },
				filters: officeFilters(source),
				geography,
			};
		}
	}
}

/** Other licenses, as many, for a verification or a history. */
export function randomLicenses(
	call: Extract<Call, { kind: "verify" | "history" }>,
	source: ValueSource,
): { licenses: AskedLicense[] } | Pick<AskedLicense, "state" | "licenseNumber"> {
	if (call.kind === "verify") return { licenses: manyLicenses(call.licenses.length, source) };
	const { state, licenseNumber } = randomLicense(source);
	return { state, licenseNumber };
}

function manyLicenses(count: number, source: ValueSource): AskedLicense[] {
	return Array.from({ length: count }, () => randomLicense(source));
}

/** A license of a row, with its holder's name or another's, its number sometimes spelled otherwise. */
function randomLicense(source: ValueSource): AskedLicense {
	const { draw } = source;
	const row = source.row();
	const person = draw.oneIn(4) ? source.row() : row;
	const number = source.value("member_state_license_number", row);
	return {
		state: source.value("state", row),
		licenseNumber: draw.oneIn(3) ? respelled(number, source) : number,
		...(draw.oneIn(2) ? { lastName: source.value("member_last_name", person) } : {}),
		...(draw.oneIn(4) ? { firstName: source.value("member_first_name", person) } : {}),
	};
}

/** The number as somebody may have copied it: zeros before it, a suffix, dashes, or fewer of its characters. */
function respelled(number: string, { draw }: ValueSource): string {
	return draw.pick([
		`0${number}`,
		`${number}-00`,
		number.replace(/(..)/, "$1-"),
		number.toLowerCase(),
		number.slice(0, -1),
	]);
}

/** The text with two letters exchanged. */
export function misspelled(text: string, { draw }: ValueSource): string {
	const letters = Array.from(text);
	if (letters.length < 4) return text;
	const at = 1 + draw.below(letters.length - 2);
	[letters[at - 1], letters[at]] = [letters[at], letters[at - 1]];
	return letters.join("");
}
