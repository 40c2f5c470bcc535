/** What the log says at the start of keys that access tokens are mapped to. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { ServerProcess } from "../serve/server-process.js";

test("a scope whose key does not exist or has expired is named in the log, one with a good key is not", async (t) => {
	const first = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => rmSync(first.dataFolder, { recursive: true, force: true }));
	const good = await first.keyWithId({ name: "good" });
	const expired = await first.keyWithId({ name: "expired", lifetimeMs: 1 });
	await first.stop();
	const server = await ServerProcess.start(
		t,
		first.dataFolder,
		...["--workers", "1", "--no-supervise", "--oauth-issuer", "http://127.0.0.1:1"],
		...["--oauth-resource", "https://api.example.com/mcp"],
		...["--oauth-grants", `read=${good.id},none=key_0000000000000000,old=${expired.id}`],
	);
	const warned = server.lines.filter(({ msg }) => String(msg).startsWith("--oauth-grants"));
	assert.deepEqual(
		warned.map(({ scope, key_id }) => [scope, key_id]),
		[
			["none", "key_0000000000000000"],
			["old", expired.id],
		],
	);
	assert.match(String(warned[0].reason), /no key has this id/);
	assert.match(String(warned[1].reason), /expired/);
});
