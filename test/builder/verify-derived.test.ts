/** What is made from published months is verified with them: changes against the months, exports against their digests. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { derivedParts, verifyDerived } from "../../builder/verify/verify-derived.js";
import { compareMonths } from "../../engine/index.js";
import {
	type ExportManifest,
	SnapshotFiles,
	snapshotFolder,
	storedExportName,
	writeChanges,
} from "../../formats/index.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

test("damaged or wrong changes and exports are found by verify", async (t) => {
	const builder = builderFolder(t);
	for (const [month, rows] of [
		["2026-09", 20],
		["2026-10", 25],
	] as const)
		await builder.json(
			"build",
			builder.write(`a-${month}.csv`, csv(stateRows("CA", rows))),
			"--accept",
			"all",
		);
	const exported = await builder.json<ExportManifest & { folder: string }>(
		...["export", "2026-10", "--format", "csv.gz", "--state", "CA"],
	);
	assert.equal((await builder.run("verify")).code, 0);
	const [older, newer] = ["2026-09", "2026-10"].map((month) =>
		SnapshotFiles.open(snapshotFolder(builder.data, month)),
	);
	const verifyAll = async () => {
		for (const part of derivedParts(builder.data, newer, older)) await verifyDerived(part);
	};
	await verifyAll();

	const file = join(exported.folder, storedExportName(exported.files[0]));
	const bytes = readFileSync(file);
	const flipped = Buffer.from(bytes);
	flipped[flipped.length >> 1] ^= 1;
	writeFileSync(file, flipped);
	await assert.rejects(verifyAll(), /corrupt|expected .* SHA-256/);
	writeFileSync(file, bytes.subarray(1));
	await assert.rejects(verifyAll(), /expected .* bytes/);
	const told = await builder.run("verify", "2026-10");
	assert.equal(told.code, 1);
	assert.match(told.stderr, /export the month anew/);
	writeFileSync(file, bytes);

	// Changes that are sound as files, and wrong.
	const [name] = readdirSync(join(builder.data, "changes"));
	const folder = join(builder.data, "changes", name);
	const changes = compareMonths(older, newer);
	const wrong = { ...changes, newRows: changes.newRows.map((word, i) => (i === 0 ? word ^ 1 : word)) };
	rmSync(folder, { recursive: true });
	await verifyAll();
	mkdirSync(folder);
	const described = ({ catalog, crc }: SnapshotFiles) => ({ month: catalog.month, rows: catalog.rows, crc });
	writeChanges(folder, described(older), described(newer), wrong);
	await assert.rejects(verifyAll(), /newRows are not those of the two months/);
});

test("a damaged manifest is found by verify, in one line", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-09.csv", csv(stateRows("CA", 20))));
	const path = join(builder.data, "manifests", "2026-09.json");
	for (const damaged of ["{", "", "[]", '{"month": 9}']) {
		writeFileSync(path, damaged);
		const { code, stderr } = await builder.run("verify");
		assert.equal(code, 1, damaged);
		assert.match(stderr, /^[^\n]*manifests\/2026-09\.json: [^\n]+\n$/, damaged);
	}
});
