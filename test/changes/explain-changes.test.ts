/** `builder explain --changes`: where changes are from, how rows are selected, and that it asks what the API asks. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeChanges } from "../../builder/changes/keep-changes.js";
import { CHANGE_KINDS, ChangeSet, formatChangesPlan, openLibrary, rowsOf } from "../../engine/index.js";
import { snapshotFolder, TRACKED_COLUMNS } from "../../formats/index.js";
import { runBuilder } from "../builder/builder-process.js";
import { fixtureFolder } from "../http/served.js";

const FIELDS = TRACKED_COLUMNS.map(({ name }) => name);

describe("explain of changes", () => {
	let data: string;
	before(async () => {
		data = await fixtureFolder();
		mkdirSync(join(data, "staging"));
	});
	after(() => rmSync(data, { recursive: true, force: true }));

	const explain = (...args: string[]) => runBuilder(["explain", "--changes", ...args, "--data", data]);
	const store = (from: string, to: string) =>
		makeChanges(data, snapshotFolder(data, from), snapshotFolder(data, to));

	test("the source is the stored file, what is between, or a comparison", async () => {
		const query = {
			filters: {},
			geography: null,
			kinds: CHANGE_KINDS,
			fields: FIELDS,
			after: null,
			limit: 100,
		} as const;
		const sourceOf = (from: string, to: string) => {
			const library = openLibrary({ dataFolder: data });
			const [older, newer] = [library.find(from), library.find(to)];
			assert.ok(older !== undefined && newer !== undefined);
			return library.explainChanges(older, newer, query).source;
		};
		assert.equal(sourceOf("2026-09", "2026-11"), "compared");
		await store("2026-09", "2026-10");
		assert.equal(sourceOf("2026-09", "2026-10"), "stored");
		assert.equal(sourceOf("2026-09", "2026-11"), "compared");
		await store("2026-10", "2026-11");
		assert.equal(sourceOf("2026-09", "2026-11"), "composed");
		const library = openLibrary({ dataFolder: data });
		const [newest, middle, oldest] = library.snapshots;
		// Composing opens the stored changes of all pairs on the way.
		assert.ok(!(library.changesInSlices(oldest, middle) instanceof ChangeSet));
		library.changes(oldest, newest);
		assert.ok(library.changesInSlices(oldest, middle) instanceof ChangeSet);
		const composed = formatChangesPlan(library.explainChanges(oldest, newest, query));
		assert.equal(
			composed,
			[
				"changes 2026-09 to 2026-11: composed of stored ones, of 2 pairs of months",
				"rows of 2026-11, intersected with the bitmaps of new and changed",
				"  select  runs: the runs are the answer",
				`    1 run, ${newest.rows} rows`,
				"rows of 2026-09, intersected with the bitmaps of gone",
				"  select  runs: the runs are the answer",
				`    1 run, ${oldest.rows} rows`,
				"order   new, changed, gone; within each by row",
				"",
			].join("\n"),
		);
		await store("2026-09", "2026-11");
		assert.equal(sourceOf("2026-09", "2026-11"), "stored");
	});

	test("the command prints the plan of a question, answers it, and refuses what the API refuses", async () => {
		const plan = await explain("field=office_name&state=TX");
		assert.equal(plan.code, 0, plan.stderr);
		assert.match(plan.stdout, /^changes 2026-10 to 2026-11: /);
		assert.match(plan.stdout, /bitmaps of changed, changed in office_name\n {2}select {2}runs.*\n.*of TX/);
		assert.doesNotMatch(plan.stdout, /gone and|of gone/);
		const older = await explain("state=TX&filters_on=older");
		assert.match(older.stdout, /\nrows of 2026-10, intersected with the bitmaps of changed and gone\n/);
		assert.doesNotMatch(older.stdout, /rows of 2026-11|of new/);
		const analysis = await explain("from=2026-09&limit=2", "--analyze", "--json");
		const { totals, entries } = JSON.parse(analysis.stdout);
		const library = openLibrary({ dataFolder: data });
		const [newest, , oldest] = library.snapshots;
		const { changes } = library.changes(oldest, newest);
		assert.deepEqual(totals, changes.totals);
		assert.equal(totals.gone, [...rowsOf(changes.goneRows)].length);
		assert.equal(entries, 2);
		for (const [query, message] of [
			["kind=lost", /kind has no kind "lost"/],
			["from=2026-11&to=2026-10", /from 2026-11 is not before to 2026-10/],
			["to=2027-01", /2027-01 is not published/],
			["sort=state", /no parameter "sort"/],
		] as const) {
			const refused = await explain(query);
			assert.deepEqual([refused.code, refused.stdout], [1, ""], query);
			assert.match(refused.stderr, message);
		}
	});
});
