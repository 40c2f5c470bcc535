/** PostgreSQL's tables are unlogged, so a server that was killed has them empty: they are loaded again. */

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_MONTH, openSnapshot, prepareData, rowsDigest } from "../../bench/data/bench-month.js";
import { runShape } from "../../bench/measure/run-shape.js";
import { openPeers } from "../../bench/peers/open-peers.js";
import { startPostgres } from "../../bench/peers/postgres-server.js";
import { allShapes } from "../../bench/shapes/index.js";

test("after its server was killed, PostgreSQL is loaded again and answers every kind of shape", async (t) => {
	// As root, the server runs as another user, who must reach the folder.
	const work = mkdtempSync(join(process.getuid?.() === 0 ? "/tmp" : tmpdir(), "rollcall-test-"));
	chmodSync(work, 0o755);
	try {
		const data = await prepareData({ work, rows: 1000, seed: 3, months: [DEFAULT_MONTH] }, () => {});
		const snapshot = openSnapshot(data);
		const open = async () => {
			const [outcome] = await openPeers(["postgres"], data, snapshot, () => {});
			return "peer" in outcome ? outcome.peer : null;
		};
		const first = await open();
		if (first === null) {
			t.skip("PostgreSQL or its client is not installed: npm run bench -- peers");
			return;
		}
		await first.close();
		const folder = join(data.folder, `peers-${rowsDigest(data)}`, "postgres");
		const server = await startPostgres(folder);
		process.kill(
			Number.parseInt(readFileSync(join(folder, "cluster", "postmaster.pid"), "utf8"), 10),
			"SIGQUIT",
		);
		await server?.stop();
		const peer = await open();
		assert.ok(peer);
		try {
			for (const name of [
				"row by id",
				"city",
				"stats",
				"suggest 2 letters",
				"office prefix",
				"type and city",
			]) {
				const [shape] = allShapes(snapshot, 3, [name]);
				const figures = await runShape(shape, snapshot, () => openSnapshot(data), [peer], {
					draws: 3,
					peerSeconds: 5,
				});
				assert.equal(figures.compared, 3, name);
			}
		} finally {
			await peer.close();
		}
	} finally {
		rmSync(work, { recursive: true });
	}
});
