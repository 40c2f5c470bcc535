/**
 * After a power loss at any moment, in any state that a file system may leave, every month is the old one or
 * the new one whole, and what a command has reported stays. Without any one sync some state would not be.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Staging } from "../../builder/months/publish.js";
import { csv, stateRows } from "../builder/builder-process.js";
import { MEMORY_FOLDER } from "../memory-folder.js";
import { type CrashState, crashStates, digestOf, isUnseen } from "./crash-states.js";
import { Disk, type Tree } from "./disk.js";
import { everything, served, treeOf, UNTRACED } from "./inspect.js";
import { type Change, readTrace, TRACE_FILE, WATCHED_FOLDER } from "./trace.js";

const RECORDER = new URL("./recorder.js", import.meta.url);
const COMMANDS = fileURLToPath(new URL("./commands-process.js", import.meta.url));
const lacksProc = process.platform === "linux" ? false : "paths of descriptors are read from /proc";

const folder = mkdtempSync(join(MEMORY_FOLDER, "rollcall-power-"));
const data = join(folder, "data");
/** Where a state is played, and where the files that it is made of lie once each. */
const played = join(folder, "played");
const blobs = join(folder, "blobs");

/** One command of the trace: the changes from its beginning on, and what the disk held before. */
interface Command {
	readonly name: string;
	readonly begin: number;
	readonly end: number;
}

let changes: Change[] = [];
let commands: Command[] = [];
let disk: Disk;
/** Id of the process that ran the commands. */
let recorded = 0;

/** Commands by name, in the order they run. */
function commandLines(): Record<string, string[]> {
	const build = (file: string, ...more: string[]) => [
		...["build", file, "--data", data, "--accept", "all", "--threads", "1", "--json"],
		...more,
	];
	const on = (...command: string[]) => [...command, "--data", data, "--json"];
	const backup = join(data, "keys.backup");
	return {
		"build the first month": build(drop("a-2026-10.csv", 20)),
		"build the second": build(drop("b-2026-11.csv", 21)),
		"replace it": build(drop("c-2026-11.csv", 22), "--replace"),
		"restore the replaced one": on("restore", "2026-11"),
		export: on("export", "2026-11", "--format", "csv.gz"),
		"export a state again": on("export", "2026-11", "--format", "csv.gz", "--state", "TX"),
		"drop stored rows": on("rows", "drop", "2026-11"),
		"add stored rows": on("rows", "add", "2026-11"),
		"prune the replaced one": on("prune"),
		retire: on("retire", "2026-11"),
		"restore the retired one": on("restore", "2026-11"),
		"retire again": on("retire", "2026-11"),
		"prune the retired one": on("prune", "2026-11"),
		"hold a month": build(drop("d-2026-12.csv", 23), "--hold"),
		"hold another": build(drop("e-2026-12.csv", 24), "--hold"),
		release: on("release", "2026-12"),
		"hold a replacement": build(drop("f-2026-12.csv", 25), "--hold", "--replace"),
		discard: on("release", "2026-12", "--discard"),
		"make a key": on("server", "keys", "create", "--tier", "trial", "--name", "first"),
		"back up keys": on("server", "keys", "backup", "--out", backup),
		"make another key": on("server", "keys", "create", "--tier", "trial", "--name", "second"),
		"restore keys": on("server", "keys", "restore", "--from", backup),
	};
}

function drop(name: string, rows: number): string {
	const path = join(folder, name);
	writeFileSync(path, csv([...stateRows("CA", rows), ...stateRows("TX", 5)]));
	return path;
}

before(() => {
	if (lacksProc !== false) return;
	for (const each of [data, played, blobs]) mkdirSync(each);
	const lines = commandLines();
	const trace = join(folder, "trace");
	const ran = spawnSync(
		process.execPath,
		["--import", RECORDER.href, COMMANDS, JSON.stringify(Object.values(lines))],
		{
			encoding: "utf8",
			env: { ...process.env, [WATCHED_FOLDER]: data, [TRACE_FILE]: trace },
		},
	);
	assert.equal(ran.status, 0, ran.stderr);
	recorded = ran.pid;
	changes = readTrace(trace);
	disk = new Disk(data, changes);
	const begins = changes.flatMap((change, at) => (change.kind === "begin" ? [at] : []));
	const ends = changes.flatMap((change, at) => (change.kind === "end" ? [at] : []));
	commands = Object.keys(lines).map((name, i) => ({ name, begin: begins[i], end: ends[i] }));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a state to {@link played}. Files that nothing changes in place are linked. */
function play(tree: Tree): void {
	rmSync(played, { recursive: true });
	mkdirSync(played);
	for (const [path, content] of tree) {
		const target = join(played, path);
		if (content === null) mkdirSync(target);
		else if (path.endsWith(".json") || path.startsWith("staging/")) writeFileSync(target, content);
		else {
			const blob = join(blobs, digestOf(content));
			if (!knownBlobs.has(blob)) writeFileSync(blob, content);
			knownBlobs.add(blob);
			linkSync(blob, target);
		}
	}
}

const knownBlobs = new Set<string>();
/** What each state turned out to be: what it holds after the next builder began, or what is wrong with it. */
const outcomes = new Map<string, string>();

function outcomeOf({ key, tree }: CrashState): string {
	let outcome = outcomes.get(key);
	if (outcome === undefined) {
		play(tree);
		try {
			const before = served(played, tree);
			// What the next builder finishes changes nothing that servers see.
			Staging.open(played, "2099-01").close();
			assert.deepEqual(served(played, tree), before);
			outcome = everything(played, tree).join("\n");
		} catch (error) {
			outcome = `FAULT ${(error as Error).message}`;
		}
		outcomes.set(key, outcome);
	}
	return outcome;
}

/** What the disk holds after change number `at` without a power loss. */
function wholeAt(model: Disk, at: number): string {
	const [state] = crashStates(model, at, false);
	return outcomeOf(state);
}

/** States that are neither what was before a command nor what is after it, or that lose what it reported. */
function* faultsOf(model: Disk, { name, begin, end }: Command, from: number, thorough: boolean) {
	const later = wholeAt(disk, end);
	const earlier = wholeAt(disk, begin);
	// A held month gives way to another: in between there may be none.
	const between = earlier.split("\n").filter((line) => !line.startsWith("held"));
	const allowed = new Set([later, earlier, ...(name.startsWith("hold") ? [between.join("\n")] : [])]);
	for (let at = Math.max(begin, from); at <= end; at++) {
		if (at === end) allowed.clear();
		else if (isUnseen(changes[at].path.slice(data.length + 1))) continue;
		for (const state of crashStates(model, at, thorough)) {
			const outcome = outcomeOf(state);
			if (outcome === later || allowed.has(outcome)) continue;
			yield `${name}: after change ${at} of ${begin} to ${end}, ${JSON.stringify({ ...changes[at], content: undefined })}:\n${outcome}`;
		}
	}
}

test("the recorder sees every change of the data folder", { skip: lacksProc }, () => {
	const seen = disk.treeAt(changes.length, new Set(disk.pendingEntries(changes.length)), () => "whole");
	const names = (tree: Tree) =>
		[...tree.keys()].filter((path) => !UNTRACED.has(path.split("/").at(-1) ?? ""));
	const real = treeOf(data);
	assert.deepEqual(names(seen).sort(), names(real).sort());
	for (const path of names(real)) assert.deepEqual(seen.get(path), real.get(path), path);
});

test("in every state after a power loss a month is the old one or the new one whole", {
	skip: lacksProc,
}, () => {
	const faults: string[] = [];
	for (const command of commands) for (const fault of faultsOf(disk, command, 0, true)) faults.push(fault);
	assert.ok(outcomes.size > 100, "states differ");
	assert.deepEqual(faults.slice(0, 3), [], `${faults.length} states`);
});

/** A sync by what it is of, without process ids and digests. Of the files of a month in the making, one column's stands for all. */
function nameOf({ path }: Change): string | null {
	const ids = new RegExp(`[-.]${recorded}(?=[/.]|$)|\\.[0-9a-f]{8}(?=/|$)`, "g");
	const name = path.slice(data.length).replaceAll(ids, "");
	const isColumn = /^\/staging\/.*\.(?:col|idx|msgpack)$/.test(name);
	return isColumn && !name.endsWith("/state.col") ? null : name;
}

const STAGED_MONTH = ["catalog", "state.col", "rows/000.row"];
const STAGED_CHANGES = ["/staging/changes/catalog", "/staging/changes", "/changes"];

/** By command, the syncs without which a month, its manifest, its changes or an export may be lost or cut short. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
	"build the second": [
		...STAGED_CHANGES,
		...STAGED_MONTH.map((name) => `/staging/2026-11/${name}`),
		"/staging/2026-11",
		"/manifests/2026-11.json",
		"/manifests",
		"/snapshots",
		// The folder of changes is new.
		"",
	],
	"replace it": [
		...STAGED_CHANGES,
		...STAGED_MONTH.map((name) => `/staging/2026-11/${name}`),
		"/staging/2026-11",
		"/manifests/2026-11.next.json",
		"/manifests",
		"/snapshots",
		"/retired/2026-11.json",
		"/retired",
	],
	export: [
		"/staging/export/CA.csv.gz",
		"/staging/export/TX.csv.gz",
		"/staging/export/all.csv.gz",
		"/exports",
		"/exports/2026-11",
		"/exports/2026-11/manifest.json",
		"",
	],
	retire: ["/retired"],
	"hold another": [
		"/staging/changes/catalog",
		"/staging/changes",
		...STAGED_MONTH.map((name) => `/staging/2026-12/${name}`),
		"/staging/2026-12",
		"/held/2026-12.json",
		"/held",
	],
	release: ["/manifests/2026-12.json", "/manifests", "/snapshots"],
	"back up keys": ["/keys.backup.partial/keys/data.mdb", ""],
	"restore keys": ["/keys-restoring/keys/data.mdb", "/keys"],
};

test("without one sync that a command needs, some state is neither", { skip: lacksProc }, () => {
	for (const [name, needed] of Object.entries(NEEDED)) {
		const command = commands.find((each) => each.name === name);
		assert.ok(command !== undefined, name);
		const missed = new Set<string>();
		for (let at = command.begin; at < command.end; at++) {
			const sync = changes[at].kind === "sync" ? nameOf(changes[at]) : null;
			if (sync === null || missed.has(sync) || !needed.includes(sync)) continue;
			const without = new Disk(data, changes.slice(0, command.end + 1), at);
			if (faultsOf(without, command, at, false).next().done !== true) missed.add(sync);
		}
		assert.deepEqual([...missed].sort(), [...needed].sort(), name);
	}
});
