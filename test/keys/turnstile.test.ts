/** Turns at the store: one at a time, within and across processes, and none held by a dead process. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstatSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { TURNSTILE, takeTurn, takeTurnSync } from "../../server/store/turnstile.js";
import { scratchFolder } from "./scratch.js";

const SCRIPT = new URL("../../server/store/turnstile.js", import.meta.url).href;

function isThere(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Leaves the lock of a process that was killed during its turn. */
function dieAmidTurn(folder: string): void {
	const code = `
		const { takeTurnSync } = await import(${JSON.stringify(SCRIPT)});
		takeTurnSync(${JSON.stringify(folder)}, () => process.kill(process.pid, "SIGKILL"));
	`;
	const { signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", code]);
	assert.equal(signal, "SIGKILL");
	assert.ok(isThere(join(folder, TURNSTILE)));
}

test("turns of one thread are granted one after the other, in the order requested", async (t) => {
	const folder = scratchFolder(t);
	const seen: string[] = [];
	const turn = (name: string) =>
		takeTurn(folder, async () => {
			seen.push(`${name} in`);
			await delay(5);
			seen.push(`${name} out`);
		});
	await Promise.all(["a", "b", "c"].map(turn));
	assert.deepEqual(seen, ["a in", "a out", "b in", "b out", "c in", "c out"]);
	assert.equal(isThere(join(folder, TURNSTILE)), false);
});

test("a failure releases the turn", async (t) => {
	const folder = scratchFolder(t);
	const fail = () => {
		throw new RangeError("no");
	};
	assert.throws(() => takeTurnSync(folder, fail), RangeError);
	await assert.rejects(
		takeTurn(folder, async () => fail()),
		RangeError,
	);
	assert.equal(
		takeTurnSync(folder, () => 1),
		1,
	);
	assert.equal(isThere(join(folder, TURNSTILE)), false);
});

test("a turn that another process has taken over meanwhile is left to it", (t) => {
	const folder = scratchFolder(t);
	takeTurnSync(folder, () => {
		rmSync(join(folder, TURNSTILE));
		symlinkSync("another", join(folder, TURNSTILE));
	});
	assert.equal(readlinkSync(join(folder, TURNSTILE)), "another");
});

test("opening during a commit of the same thread does not wait for it", async (t) => {
	const folder = scratchFolder(t);
	await takeTurn(folder, async () => {
		assert.equal(
			takeTurnSync(folder, () => 1),
			1,
		);
		assert.ok(isThere(join(folder, TURNSTILE)), "the turn goes on");
	});
});

test("a turn held by another is waited for", async (t) => {
	const folder = scratchFolder(t);
	const lock = join(folder, TURNSTILE);
	const aside = join(folder, "aside");
	takeTurnSync(folder, () => renameSync(lock, aside));
	// The name of a lock held by a live process: this one.
	symlinkSync(readlinkSync(aside), lock);
	let taken = false;
	const waiting = takeTurn(folder, async () => {
		taken = true;
	});
	await delay(100);
	assert.equal(taken, false);
	renameSync(lock, aside);
	await waiting;
	assert.ok(taken);
});

test("the turn of a killed process is taken over at once, by one at a time", async (t) => {
	const folder = scratchFolder(t);
	dieAmidTurn(folder);
	const startedMs = performance.now();
	takeTurnSync(folder, () => assert.ok(isThere(join(folder, TURNSTILE))));
	dieAmidTurn(folder);
	await takeTurn(folder, async () => assert.ok(isThere(join(folder, TURNSTILE))));
	assert.equal(isThere(join(folder, TURNSTILE)), false);
	assert.ok(performance.now() - startedMs < 5_000);
});

test("a process killed while breaking another's lock blocks no other process", async (t) => {
	const folder = scratchFolder(t);
	dieAmidTurn(folder);
	const lock = join(folder, TURNSTILE);
	symlinkSync(readlinkSync(lock), `${lock}.removing`);
	assert.equal(
		takeTurnSync(folder, () => 1),
		1,
	);
	assert.equal(isThere(lock) || isThere(`${lock}.removing`), false);
});
