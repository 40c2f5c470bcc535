/** Counts of rows that match a name say how many have its words as they are given (docs/API.md §11.3). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Rows whose full name has all of the words. */
function naiveCount(
	month: "2026-10" | "2026-11",
	words: readonly string[],
	isMeant: (row: DropRow) => boolean,
) {
	return monthRows(month).filter((row) => {
		const own = (row.member_full_name ?? "").toLowerCase().split(" ");
		return isMeant(row) && words.every((word) => own.includes(word));
	}).length;
}

test("a count by a name tells the rows that have its words from those that have others", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key({ scope: { history: { mode: "all" } } });
	const metaOf = async (query: string, by = key) =>
		(await served.ok(aggregateResponse, `/v1/aggregate?${query}`, by)).meta;
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["TX"] } } });
	const any = () => true;
	const isTexan = (row: DropRow) => row.state === "TX";
	for (const [query, words, isMeant, by] of [
		["by=state&name=smith", ["smith"], any, key],
		["by=state,status_group&name=Smith&state=TX", ["smith"], isTexan, key],
		["by=member_city&name=smith", ["smith"], isTexan, narrow],
		["by=state&name=smith+given1", ["smith", "given1"], any, key],
		["by=state&name=smith&compare=2026-10&sort=rows", ["smith"], any, key],
	] as const) {
		const { rows, hints } = await metaOf(query, by);
		const exact = naiveCount("2026-11", words, isMeant);
		assert.ok(exact > 0 && exact < rows, query);
		const hint = hints?.find(({ param }) => param === "name");
		assert.ok(
			hint?.message.startsWith(
				`name forgives: ${exact} of ${rows} rows have each word as it is given, accents and punctuation ` +
					`aside, and ${rows - exact} match by a longer word`,
			),
			`${query}: ${hint?.message}, not ${exact} of ${rows}`,
		);
	}
	for (const query of ["by=state&name=obrien", "by=state", "by=state&name=smithson"])
		assert.equal((await metaOf(query)).hints, undefined, query);
});
