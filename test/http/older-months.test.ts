/** Months of earlier format versions over HTTP: what they did not store is refused as the OpenAPI document says. */

import assert from "node:assert/strict";
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const FIRST_VERSION = fileURLToPath(new URL("../../../test/compat/v1", import.meta.url));

test("what a month of the first version did not store is 501, naming the parameter", async (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-older-"));
	cpSync(FIRST_VERSION, data, { recursive: true });
	const served = await ServedFixture.start(ANY_TRANSPORT, { data });
	t.after(() => served.close());
	const key = await served.key();
	for (const [path, param] of [
		["/v1/licenses?name=smith", "name"],
		["/v1/aggregate?by=state&name=smith", "name"],
		["/v1/offices?name=realty", "name"],
		["/v1/verify?license=CA:0", "license"],
	]) {
		const refused = await served.refused(path, key);
		assert.deepEqual([refused.status, refused.code, refused.param], [501, "not_supported", param], path);
	}
});
