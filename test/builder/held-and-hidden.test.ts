/** What a builder finds in its folders and cannot take: damaged manifests of held months, and hidden files of drops. */

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { arrivalAt } from "../../builder/watch/arrivals.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

test("a held month with a damaged manifest is an error of one line, and can be discarded", async (t) => {
	const builder = builderFolder(t);
	const drop = builder.write("a-2026-10.csv", csv(stateRows("CA", 12)));
	const manifest = join(builder.data, "held", "2026-10.json");
	for (const damage of ["", '{"replace": tr', "{}"]) {
		await builder.json("build", drop, "--hold");
		writeFileSync(manifest, damage);
		for (const command of [
			["list", "--held"],
			["release", "2026-10"],
		]) {
			const { code, stderr } = await builder.run(...command);
			assert.equal(code, 1, stderr);
			assert.match(
				stderr,
				/^builder: \S+2026-10\.json: the held month's manifest is damaged: .*--discard\n$/,
			);
		}
		assert.equal((await builder.run("release", "2026-10", "--discard")).code, 0);
		assert.deepEqual(await builder.json<unknown[]>("list", "--held"), []);
		assert.match((await builder.run("release", "2026-10", "--discard")).stderr, /2026-10 is not held/);
	}
	assert.equal(existsSync(join(builder.data, "held", "2026-10")), false);
});

test("hidden files in a drop's folder are not part of the drop", (t) => {
	const builder = builderFolder(t);
	const folder = join(builder.folder, "in");
	builder.write("in/2026-10/.a.csv", "hidden");
	assert.equal(arrivalAt(folder, "2026-10"), null, "nothing but a hidden file");
	builder.write("in/2026-10/a.csv", csv(stateRows("CA", 12)));
	const stamp = arrivalAt(folder, "2026-10")?.stamp;
	assert.match(stamp ?? "", /^a\.csv:[^;]+$/);
	builder.write("in/2026-10/._a.csv", "resource fork");
	assert.equal(arrivalAt(folder, "2026-10")?.stamp, stamp);
});
