/** PostgreSQL's tables are unlogged, so a server that was killed has them empty: they are loaded again. */

import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT_MONTH, openSnapshot, prepareData, rowsDigest } from "../../bench/data/bench-month.js";
import { runShape } from "../../bench/measure/run-shape.js";
import { openNamePeers } from "../../bench/peers/name-peers.js";
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
			t.skip("no peer is installed: npm run bench -- peers");
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
		const names = await openNamePeers(data.folder, snapshot, () => {});
		try {
			const name = String(snapshot.value(0, "member_full_name"));
			for (const named of names) assert.equal((await named.ask(name, ""))[0], name, named.name);
			const gin = names.find((named) => named.name.endsWith("GIN"));
			// About 1.6 trigrams more for each of the name's, which leaves a similarity of 0.38.
			let state = 7;
			const other = Array.from({ length: Math.round(1.6 * (name.length + 1)) }, () => {
				state = (state * 16_807) % 2_147_483_647;
				return "qzxjvwkbg"[state % 9];
			});
			assert.deepEqual(await gin?.ask(`${name} ${other.join("")}`, ""), []);
		} finally {
			for (const named of names) await named.close();
		}
	} finally {
		rmSync(work, { recursive: true });
	}
});
