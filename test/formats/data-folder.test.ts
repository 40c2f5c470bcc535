/** Which of a month's folders is live: the one of the highest revision, by number and not by name. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { nextRevisionFolder, publications, revisionFolders, snapshotFolder } from "../../formats/index.js";

test("the tenth revision of a month is live before the ninth, and other names are no revisions", (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-revisions-"));
	t.after(() => rmSync(data, { recursive: true }));
	const live = (month: string) => basename(snapshotFolder(data, month));
	assert.deepEqual([live("2026-11"), basename(nextRevisionFolder(data, "2026-11"))], ["2026-11", "2026-11"]);
	assert.equal(publications(data).size, 0);
	const named = ["2026-11", "2026-11.1", "2026-11.2", "2026-11.9", "2026-11.10", "2026-12"];
	const others = ["2026-13", "2026-11.x", "2026-11.", "2026-11.1.2", ".2026-11.99", "2026-11.9999999999"];
	for (const name of [...named, ...others]) mkdirSync(join(data, "snapshots", name), { recursive: true });
	assert.deepEqual(
		revisionFolders(data, "2026-11").map((path) => basename(path)),
		named.slice(0, 5),
	);
	assert.deepEqual([live("2026-11"), live("2026-12")], ["2026-11.10", "2026-12"]);
	assert.equal(basename(nextRevisionFolder(data, "2026-11")), "2026-11.11");
	assert.equal(basename(nextRevisionFolder(data, "2026-12")), "2026-12.1");
	const inodes = [...publications(data)].map(([month, stamp]) => [month, stamp.split(":")[0]]).sort();
	const inodeOf = (name: string) => String(statSync(join(data, "snapshots", name)).ino);
	assert.deepEqual(inodes, [
		["2026-11", inodeOf("2026-11.10")],
		["2026-12", inodeOf("2026-12")],
	]);
});
