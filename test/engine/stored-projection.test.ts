/** Projections of stored rows: the same bytes as from the columns, whatever is in contact cells. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ByteSink, DEFAULT_QUERY, type Projection } from "../../engine/index.js";
import { storedProjection } from "../../engine/render/json-from-store.js";
import { COLUMNS } from "../../formats/index.js";
import { Draw } from "../oracle/draw.js";
import { naiveJson } from "../oracle/naive-render.js";
import type { RawRow } from "../oracle/naive-rows.js";
import { checkAsyncProperty } from "../oracle/seeded.js";
import { withTwins } from "./compiled-month.js";

/** What contact cells and names are put together from. */
const PIECES = [
	"@",
	".",
	"-",
	"com",
	"c0m",
	"1st",
	"a@b.1st",
	"a@b.co-1",
	"x",
	"J",
	"5",
	"07",
	" ",
	"\\",
	'"',
	",",
	',"member_email":',
	"é",
	"😀",
	"\u0001",
	"{",
	"}",
	"null",
];

function someText(draw: Draw): string {
	return Array.from({ length: draw.below(7) }, () => draw.pick(PIECES)).join("");
}

function someRows(seed: number): RawRow[] {
	const draw = new Draw(seed, 1);
	return Array.from({ length: 40 }, (_, i) => ({
		state: draw.pick(["CA", "TX", "ON"]),
		member_state_license_number: `L${i}`,
		member_last_name: someText(draw),
		member_full_name: someText(draw),
		office_name: someText(draw),
		member_email: someText(draw),
		member_preferred_phone: someText(draw),
		matched_email: someText(draw),
		matched_phone: someText(draw),
		agent_count: draw.oneIn(2) ? "12" : "",
	}));
}

/** Columns in any order, enough of them that stored rows are read. */
function someProjection(draw: Draw): Projection {
	const names = COLUMNS.map((column) => column.name);
	const columns = draw.oneIn(3) ? names : draw.some(names, names.length);
	return {
		columns: columns.length === 0 ? ["member_email", "matched_phone"] : columns,
		masked: draw.oneIn(2),
	};
}

test("any projection of stored rows has the bytes that the naive renderer gives", async (t) => {
	let stored = 0;
	await checkAsyncProperty(
		t,
		25,
		fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) =>
			withTwins(someRows(seed), "2026-11", { rowStore: true }, ({ mapped, naive }) => {
				const draw = new Draw(seed, 2);
				for (let i = 0; i < 12; i++) {
					const projection = someProjection(draw);
					if (storedProjection(projection) !== null) stored++;
					const query = { ...DEFAULT_QUERY, limit: 1 + draw.below(40) };
					const sink = new ByteSink(16);
					mapped.renderRows(mapped.query(query).rows, projection, "json", sink);
					assert.equal(sink.view().toString(), naiveJson(naive.query(query).rows, projection));
				}
			}),
		),
		12,
	);
	assert.ok(stored > 100, `${stored} projections of stored rows`);
});
