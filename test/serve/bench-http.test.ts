/** The HTTP benchmark on a small month: its questions are answered, and its twin sends the same bytes. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { loadObstacle } from "../../bench/http/load.js";
import { DistinctPaths, MIXED_SHAPES, PAGE_SHAPES, pathsOf, Values } from "../../bench/http/requests.js";
import { runScenario } from "../../bench/http/rounds.js";
import { TwinProcess } from "../../bench/http/twin-process.js";
import { readMetrics } from "../../bench/http/workers.js";
import { openLibrary } from "../../engine/index.js";
import { fixtureFolder } from "../http/served.js";
import { whyNotOver } from "../http/transports.js";

test("every shape of the mix is answered, and the twin answers it with the same bytes", {
	skip: whyNotOver("uws"),
}, async (t) => {
	const folder = await fixtureFolder();
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	const { latest } = openLibrary({ dataFolder: folder });
	assert.ok(latest !== null);
	assert.equal(MIXED_SHAPES.length, 20);
	assert.equal(
		MIXED_SHAPES.reduce((sum, shape) => sum + shape.weight, 0),
		100,
	);
	const process = await TwinProcess.start({ dataFolder: folder, workers: 1, pin: false, metrics: true });
	t.after(() => process.stop());
	const values = new Values(latest, 1);
	const paths = MIXED_SHAPES.flatMap((shape) => pathsOf(shape, values, 3));
	assert.ok((await process.hold(paths)) > 10_000);
	const { authorization } = process;
	for (const path of paths) {
		const ours = await fetch(`http://127.0.0.1:${process.port}${path}`, { headers: { authorization } });
		const twins = await fetch(`http://127.0.0.1:${process.twinPort}${path}`);
		assert.equal(ours.status, 200, path);
		assert.equal(await twins.text(), await ours.text(), path);
	}
	const pages = new DistinctPaths(PAGE_SHAPES, values);
	const asked = [...pages.next(40), ...pages.next(40)];
	assert.equal(asked.length, 80);
	assert.equal(new Set(asked).size, asked.length, "no page is asked twice");
	const { masked, narrowed, ten } = process.others;
	assert.equal(new Set(ten).size, 10);
	for (const key of [...masked, ...narrowed, ...ten])
		assert.ok((await process.meanBytes(asked.slice(0, 10), { authorization: key })) > 0);
	const bounds = async (key: string) => {
		const url = `http://127.0.0.1:${process.port}/v1/licenses`;
		const answer = await fetch(url, { headers: { authorization: key } });
		return Object.keys(((await answer.json()) as { meta: object }).meta);
	};
	assert.ok((await bounds(masked[0])).includes("masked"));
	assert.ok((await bounds(narrowed[0])).includes("scope"));
	const metrics = await readMetrics(process.adminPort);
	assert.match(metrics, /^rollcall_requests_total\{[^}]*\} [1-9]/m);
	const constant = await fetch(`http://127.0.0.1:${process.twinPort}/constant?70000`);
	assert.equal((await constant.arrayBuffer()).byteLength, 70_000);
	if (loadObstacle() !== null) {
		t.diagnostic(`not measured: ${loadObstacle()}`);
		return;
	}
	const load = { connections: 2, waitMs: 0, target: { of: "rate", atLeast: 0 } } as const;
	const scenario = { name: "all", paths, twinPaths: paths, ...load };
	const outcome = await runScenario(process, scenario, 1, 1);
	assert.ok(outcome.requests > 0 && outcome.subject.cpuUs > 0 && outcome.reached);
	await assert.rejects(
		runScenario(process, { ...scenario, paths: paths.slice(0, 3), once: true }, 1, 1),
		/only 3 paths that were not requested before/,
	);
});
