/** A download of a file that is shorter than it was when its answer began. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileStream } from "../../server/exports/file-stream.js";
import { Pace } from "../../server/exports/pace.js";
import { scratchFolder } from "../keys/scratch.js";

test("a file that ends before the range that was promised ends the download with an error", async (t) => {
	const path = join(scratchFolder(t), "export");
	writeFileSync(path, "abc");
	const stream = await FileStream.open(path, { from: 1, to: 9 }, new Pace(0, () => 0), () => undefined);
	t.after(() => stream.close());
	assert.equal(String(await stream.next()), "bc");
	await assert.rejects(stream.next(), new RangeError("an exported file ends at 3, before 9"));
});
