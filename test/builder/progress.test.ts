/** The progress that a build shows to its operator. */

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { BuildProgress } from "../../builder/build/build-progress.js";
import { shareDone } from "../../builder/commands/live-progress.js";
import { progressView } from "../../builder/commands/progress.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const STEPS: readonly BuildProgress[] = [
	{ stage: "parse", tasks: 0, done: 0 },
	{ stage: "parse", tasks: 0, done: 0, bytes: 50, totalBytes: 100, rows: 10 },
	{ stage: "parse", tasks: 0, done: 0, bytes: 100, totalBytes: 100, rows: 20 },
	{ stage: "merge", tasks: 0, done: 0 },
	{ stage: "merge", tasks: 20, done: 10 },
	{ stage: "order", tasks: 0, done: 0 },
	{ stage: "write", tasks: 23, done: 23 },
	{ stage: "rows", tasks: 5, done: 1 },
	{ stage: "publish", tasks: 0, done: 0 },
];

async function written(tty: boolean): Promise<string> {
	const stream = Object.assign(new PassThrough(), {
		isTTY: tty,
		columns: 200,
		cursorTo: () => true,
		clearLine: () => true,
		moveCursor: () => true,
	});
	const chunks: string[] = [];
	stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
	const view = await progressView(stream as unknown as NodeJS.WriteStream);
	for (const step of STEPS) view?.show(step);
	view?.stop();
	stream.read();
	return chunks.join("");
}

test("the completed share of a build only grows, from zero to nearly one", () => {
	const shares = STEPS.map(shareDone);
	assert.equal(shares[0], 0);
	for (let i = 1; i < shares.length; i++) assert.ok(shares[i] >= shares[i - 1], `step ${i}`);
	assert.ok(shares[shares.length - 1] > 0.95);
});

test("a pipe gets nothing", async () => {
	assert.equal(await written(false), "");
});

test("a build that fails writes one line to stderr", async (t) => {
	const builder = builderFolder(t);
	const { code, stderr } = await builder.run("build", builder.write("a-2026-11.csv", "first,last\na,b\n"));
	assert.equal(code, 1);
	assert.match(stderr, /^.*required column state is missing.*\n$/);
});

test("a terminal gets a live line with stage, bytes, rows and time left", async () => {
	const text = await written(true);
	assert.match(text, /parse/);
	assert.match(text, /ETA/);
});

test("a build prints its report and the path of the page", async (t) => {
	const builder = builderFolder(t);
	const { code, stdout, stderr } = await builder.run(
		"build",
		builder.write("a-2026-09.csv", csv(stateRows("CA", 30))),
	);
	assert.equal(code, 0);
	assert.match(stdout, /^2026-09: 30 rows, .*, published\n/);
	assert.match(stdout, /report: .*2026-09\.html\n$/);
	assert.equal(stderr, "");
});
