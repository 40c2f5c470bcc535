/** What is precomputed for grants is all that their first queries would compute from rows, and equal to it. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { prepareGrants } from "../../engine/columns/prepare-grants.js";
import { SnapshotColumns } from "../../engine/columns/snapshot-columns.js";
import type { ValueSections } from "../../engine/columns/state-sets.js";
import { COLUMNS, columnNamed, SnapshotFiles, snapshotFolder, WORD_COLUMNS } from "../../formats/index.js";
import { buildSynthetic } from "../synthetic-month.js";

const MONTH = "2026-11";
const ROWS = 5_000;

/** The columns with filters whose values grants search for, but those that a month stores by state. */
const MADE = [
	"member_first_name",
	"member_postal_code",
	"license_status_group",
	"member_license_expires",
] as const;

const sealed = { get: () => assert.fail("rows are read") };

describe("what is precomputed for grants", () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	before(async () => {
		await synthesize({ rows: ROWS, months: [MONTH], seed: 3, out: folder });
		await buildSynthetic(join(folder, dropName(MONTH)), folder, MONTH);
	});
	after(() => rmSync(folder, { recursive: true }));

	const open = () => new SnapshotColumns(SnapshotFiles.open(snapshotFolder(folder, MONTH)));

	test("is all that first queries need, and equal to what they compute", () => {
		const prepared = open();
		const other = open();
		for (const _ of prepareGrants(prepared));
		const distinctOf = (name: (typeof MADE)[number]) => prepared.dictionary.get(columnNamed(name)).distinct;
		const bitsFor = (count: number) => new Uint32Array((count >>> 5) + 1);
		const lengths = MADE.map(distinctOf);
		const indexes = WORD_COLUMNS.map((name) => prepared.nameIndex.get(columnNamed(name)));
		(prepared as { -readonly [K in keyof ValueSections]: unknown }).codes = sealed;
		let found = 0;
		for (const number of prepared.states.runs.keys()) {
			for (const [i, name] of MADE.entries()) {
				const [made, expected] = [bitsFor(lengths[i]), bitsFor(lengths[i])];
				prepared.stateSets.addCodes(made, columnNamed(name), number);
				other.stateSets.addCodes(expected, columnNamed(name), number);
				assert.deepEqual(made, expected, `${name} of state ${number}`);
				found += made.filter((word) => word !== 0).length;
			}
			for (const [i, name] of WORD_COLUMNS.entries()) {
				const index = indexes[i];
				assert.ok(index !== null);
				const [made, expected] = [bitsFor(index.count), bitsFor(index.count)];
				const closed = Object.create(index, { valueWords: { get: sealed.get } });
				prepared.stateSets.addWords(made, columnNamed(name), closed, number);
				other.stateSets.addWords(expected, columnNamed(name), index, number);
				assert.deepEqual(made, expected, `words of ${name} of state ${number}`);
			}
			for (const column of COLUMNS) {
				if (column.kind === "id" || column.kind === "snapshot") continue;
				const made = prepared.stateSets.presence(column, number);
				assert.deepEqual(made, other.stateSets.presence(column, number), column.name);
			}
		}
		assert.ok(found > 0);
	});

	test("is computed in steps of one state and column", () => {
		const columns = open();
		let steps = 0;
		for (const _ of prepareGrants(columns)) steps++;
		const kinds = COLUMNS.filter(({ kind }) => kind !== "id" && kind !== "snapshot");
		assert.equal(steps, kinds.length * columns.states.runs.length);
	});
});
