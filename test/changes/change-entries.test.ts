/** The bytes of entries of changes over random months, against those of a naive comparison. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { OlderRows } from "../../engine/changes/older-rows.js";
import { ByteSink, CHANGE_KINDS, ChangesWriter, type Projection } from "../../engine/index.js";
import { COLUMNS } from "../../formats/index.js";
import { csvCell, naiveObject, visibleValue } from "../oracle/naive-render.js";
import type { NaiveRow } from "../oracle/naive-rows.js";
import { checkAsyncProperty, fuzzRuns } from "../oracle/seeded.js";
import { expected, FIELDS, onPairs, randomAsk } from "./change-pairs.js";
import type { NaiveChange } from "./naive-changes.js";

/**
 * Random months whose changes are written: one in twelve has entries that are written from rows stored with the changes.
 * More map more files than a process may.
 */
const CASES = 90;

function picked(row: NaiveRow | null, projection: Projection) {
	return row === null ? null : naiveObject(row, projection);
}

test("entries are written as JSON, NDJSON and CSV with the columns and changes that a key reads", async (t) => {
	const sources = t.mock.method(OlderRows.prototype, "sourceOf").mock;
	const property = onPairs((pair, draw) => {
		const columns = draw.oneIn(2)
			? COLUMNS.map((c) => c.name)
			: COLUMNS.map((c) => c.name).filter(() => draw.oneIn(3));
		if (columns.length === 0) columns.push("id");
		const projection: Projection = { columns, masked: draw.oneIn(2) };
		const ask = draw.oneIn(2)
			? { filters: {}, geography: null, kinds: CHANGE_KINDS, fields: FIELDS, filtersOn: undefined }
			: randomAsk(pair, draw);
		const all = expected(pair, ask);
		const page = pair.set.query({ ...ask, after: null, limit: 100_000 });
		const render = (format: "json" | "ndjson" | "csv", step: number) => {
			const sink = new ByteSink();
			const writer = new ChangesWriter(pair.set, projection, () => true, format);
			writer.header(sink);
			for (let at = 0; at < all.length; at += step) {
				if (format === "json" && at > 0) sink.text(",");
				writer.entries(page, at, Math.min(all.length, at + step), sink);
			}
			return sink.view().toString();
		};
		const objects = all.map(({ kind, row, previous, fields }) => ({
			kind,
			state: (row ?? previous)?.state,
			license_number: (row ?? previous)?.member_state_license_number,
			row: picked(row, projection),
			previous: picked(previous, projection),
			changes: fields.map((field) => ({ field, from: previous?.[field], to: row?.[field] })),
		}));
		const step = 1 + draw.below(7);
		assert.deepEqual(JSON.parse(`[${render("json", step)}]`), objects);
		const lines = render("ndjson", step).split("\n");
		assert.equal(lines.pop(), "");
		assert.deepEqual(
			lines.map((line) => JSON.parse(line)),
			objects,
		);
		const line = ({ kind, row, previous, fields }: NaiveChange) => {
			const shown = (row ?? previous) as NaiveRow;
			const before = FIELDS.map((name) => (kind === "changed" ? (previous?.[name] ?? null) : null));
			const license = [shown.state, shown.member_state_license_number];
			const cells = [
				kind,
				...license,
				fields.join(" "),
				...columns.map((name) => visibleValue(shown, name, projection)),
				...before,
			];
			return `${cells.map(csvCell).join(",")}\r\n`;
		};
		const header = ["kind", "state", "license_number", "changed_fields", ...columns];
		const names = [...header, ...FIELDS.map((name) => `previous_${name}`)];
		assert.equal(render("csv", step), `${names.join(",")}\r\n${all.map(line).join("")}`);
	});
	await checkAsyncProperty(t, CASES, property);
	assert.ok(
		fuzzRuns(CASES) < CASES || sources.callCount() > 0,
		"some are written from rows stored with the changes",
	);
});
