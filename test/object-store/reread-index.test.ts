/** A host that is given an older index than before reads it again, twice a second, and keeps nothing of each reading. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { documentBytes, EMPTY_INDEX, openStore } from "../../formats/object-store/index.js";
import { MonthPuller } from "../../server/months/month-puller.js";
import { OpenedPublications } from "../../server/months/opened-publications.js";
import { MEMORY_FOLDER } from "../memory-folder.js";

test("an older index is read again without a listener left for each reading", async (t) => {
	const dataFolder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-reread-"));
	t.after(() => rmSync(dataFolder, { recursive: true, force: true }));
	mkdirSync(join(dataFolder, "pulls"));
	writeFileSync(join(dataFolder, "pulls", "index.json"), documentBytes({ ...EMPTY_INDEX, revision: 2 }));
	let requests = 0;
	const origin = createServer((_, response) => {
		requests++;
		response.end(documentBytes({ ...EMPTY_INDEX, revision: 1 }));
	}).listen(0, "127.0.0.1");
	t.after(() => origin.close().closeAllConnections());
	await once(origin, "listening");
	const warnings: string[] = [];
	const note = (warning: Error) => void warnings.push(warning.name);
	process.on("warning", note);
	t.after(() => process.off("warning", note));
	const puller = new MonthPuller({
		store: openStore(`http://127.0.0.1:${(origin.address() as AddressInfo).port}`, {}),
		dataFolder,
		publications: OpenedPublications.allocate(1),
		clock: { now: Date.now },
		scheduler: { every: () => () => {} },
		log: pino({ level: "silent" }),
		pollMs: 1_000,
		keepMonths: 0,
		bytesPerSecond: Number.POSITIVE_INFINITY,
	});
	puller.start();
	await delay(6_500);
	await puller.close();
	assert.ok(requests > 11, `${requests} readings`);
	assert.deepEqual(warnings, []);
});
