/** `keys …` as scripts use it: one JSON document on stdout, one line on stderr, exit codes 0, 1 and 2. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { COLUMNS } from "../../formats/index.js";
import { isKeyText } from "../../server/keys/key-text.js";
import { announceServer } from "../../server/store/presence.js";
import { type Ended, runCommandLine } from "../command-line.js";
import { scratchFolder } from "./scratch.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

const ENDED_GRACE = /^warning: the text from before the last rotation, .* until 20\S+Z, ended now: [^\n]+\n$/;

function keys(...args: string[]): Promise<Ended> {
	return runCommandLine("server", ["keys", ...args]);
}

/** Runs a command that must succeed. Returns its one JSON document. */
async function document<T = Record<string, unknown>>(...args: string[]): Promise<T> {
	const { code, stdout, stderr } = await keys(...args, "--json");
	assert.equal(code, 0, stderr);
	assert.equal(stderr, "");
	assert.equal(stdout.trimEnd().includes("\n"), false);
	return JSON.parse(stdout);
}

async function fails(expected: 1 | 2, message: RegExp, ...args: string[]): Promise<void> {
	const { code, stdout, stderr } = await keys(...args);
	assert.equal(code, expected, stderr);
	assert.equal(stdout, "");
	assert.match(stderr, /^error: [^\n]+\n$/);
	assert.match(stderr, message);
}

test("a key's life from the command line", async (t) => {
	const data = join(scratchFolder(t), "not", "there", "yet");
	const created = await document("create", "--tier", "production", "--name", "Acme", "--data", data);
	assert.deepEqual(Object.keys(created).slice(0, 2), ["id", "key"]);
	assert.ok(isKeyText(String(created.key)));
	const id = String(created.id);
	const { key, ...view } = created;
	assert.deepEqual(view, {
		id,
		name: "Acme",
		tier: "production",
		status: "active",
		created_at: view.created_at,
		expires_at: null,
		rate_limits: { per_minute: 600, per_day: 100_000, monthly_quota: null },
		scope: { geography: null, columns: null, history: { mode: "latest" } },
		previous_key_until: null,
		last_used_at: null,
	});
	assert.deepEqual(await document("show", id, "--data", data), view);
	assert.deepEqual(await document("list", "--data", data), [view]);
	assert.equal((await document("suspend", id, "--data", data)).status, "suspended");
	assert.equal((await document("resume", id, "--data", data)).status, "active");
	const rotated = await document("rotate", id, "--grace", "1h", "--data", data);
	assert.ok(isKeyText(String(rotated.key)) && rotated.key !== key && rotated.id === id);
	assert.ok(Date.parse(String(rotated.previous_key_until)) > Date.now() + 3_500_000);
	assert.ok(!("ended_grace_until" in rotated));
	const again = await keys("rotate", id, "--data", data, "--json");
	assert.equal(JSON.parse(again.stdout).ended_grace_until, rotated.previous_key_until);
	assert.match(again.stderr, ENDED_GRACE);
	assert.equal((await document("revoke", id, "--data", data)).status, "revoked");
	const audit = await document<{ action: string; by: string; key_id: string }[]>("audit", id, "--data", data);
	assert.deepEqual(
		audit.map((e) => e.action),
		["create", "suspend", "resume", "rotate", "rotate", "revoke"],
	);
	assert.ok(audit.every((e) => e.by === userInfo().username && e.key_id === id));
	assert.deepEqual(await document("audit", "--data", data), audit);
	const { id: other } = await document("create", "--tier", "demo", "--data", data);
	assert.deepEqual(await document("audit", id, "--data", data), audit, "of one key");
	assert.equal((await document<unknown[]>("audit", "--data", data)).length, audit.length + 1, String(other));
	await fails(1, /is revoked, which is final/, "resume", id, "--data", data);
});

test("a key with every option", async (t) => {
	const data = scratchFolder(t);
	const options =
		"--tier trial --countries ca --states tx,CA --columns office_name,state --history months:3 " +
		"--per-minute 5 --per-day none --monthly-quota 70 --expires-in 2h";
	const created = await document("create", ...options.split(" "), "--data", data);
	assert.deepEqual(created.rate_limits, { per_minute: 5, per_day: null, monthly_quota: 70 });
	assert.deepEqual(created.scope, {
		geography: { countries: ["CA"], states: ["CA", "TX"] },
		columns: ["id", "snapshot", "state", "office_name"],
		history: { mode: "months", months: 3 },
	});
	assert.equal(Date.parse(String(created.expires_at)) - Date.parse(String(created.created_at)), 7_200_000);
	assert.equal(created.name, "unnamed");
	const repeated =
		"--tier production --countries US --countries ca --states ON --states tx,CA --columns state --columns office_name";
	const { scope } = await document("create", ...repeated.split(" "), "--data", data);
	const { geography, columns } = scope as { geography: unknown; columns: unknown };
	assert.deepEqual(geography, { countries: ["US", "CA"], states: ["CA", "TX", "ON"] });
	assert.deepEqual(columns, ["id", "snapshot", "state", "office_name"]);
});

test("the bulk entitlement is granted, shown, kept by a rotation and withdrawn by one", async (t) => {
	const data = scratchFolder(t);
	type View = { id: string; scope: { bulk?: boolean } };
	const { id, scope } = await document<View>("create", "--tier", "enterprise", "--bulk", "--data", data);
	assert.equal(scope.bulk, true);
	assert.match((await keys("show", id, "--data", data)).stdout, /^bulk +yes$/m);
	assert.equal((await document<View>("rotate", id, "--data", data)).scope.bulk, true);
	assert.equal((await document<View>("rotate", id, "--no-bulk", "--data", data)).scope.bulk, false);
	assert.equal((await document<View>("rotate", id, "--bulk", "--data", data)).scope.bulk, true);
	assert.equal((await document<View>("show", id, "--data", data)).scope.bulk, true);
});

test("a trial key expires in fourteen days, a demo key's columns lack the street address", async (t) => {
	const data = scratchFolder(t);
	const trial = await document("create", "--tier", "trial", "--data", data);
	assert.equal(Date.parse(String(trial.expires_at)) - Date.parse(String(trial.created_at)), 14 * 86_400_000);
	const demo = await document<{ scope: { columns: string[] } }>("create", "--tier", "demo", "--data", data);
	assert.deepEqual(
		demo.scope.columns,
		COLUMNS.map((c) => c.name as string).filter((name) => name !== "member_address"),
	);
});

test("without --json the output is readable text, with the key's text once", async (t) => {
	const data = scratchFolder(t);
	const { stdout } = await keys("create", "--tier", "demo", "--name", "Try it", "--data", data);
	const text = /^key +(\S+)$/m.exec(stdout)?.[1] ?? "";
	const id = /^id +(\S+)$/m.exec(stdout)?.[1] ?? "";
	assert.ok(isKeyText(text));
	assert.match(stdout, /not shown again/);
	for (const command of ["list", "show", "audit"]) {
		const { stdout: output } = await keys(command, ...(command === "show" ? [id] : []), "--data", data);
		assert.ok(output.includes(id), output);
		assert.ok(!output.includes(text));
	}
	assert.match((await keys("suspend", id, "--data", data)).stdout, new RegExp(`^${id} is suspended\n$`));
	const first = await keys("rotate", id, "--grace", "1h", "--data", data);
	assert.match(first.stdout, /^key +rollcall_/);
	assert.equal(first.stderr, "");
	const second = await keys("rotate", id, "--grace", "1h", "--data", data);
	assert.match(second.stderr, ENDED_GRACE);
});

test("a server that does not act on a change is named on stderr, beside what was done", async (t) => {
	const data = scratchFolder(t);
	const { id } = await document("create", "--tier", "demo", "--data", data);
	// A server that runs and confirms nothing: this process.
	t.after(announceServer(join(data, "keys")));
	const name = `process ${process.pid}`;
	const stderr = `warning: the change is stored, but not confirmed within 1 s by ${name}\n`;
	assert.deepEqual(await keys("suspend", String(id), "--data", data), {
		code: 0,
		stdout: `${id} is suspended\n`,
		stderr,
	});
	const rotated = await keys("rotate", String(id), "--data", data, "--json");
	assert.deepEqual([rotated.code, rotated.stderr], [0, stderr]);
	assert.deepEqual(JSON.parse(rotated.stdout).unconfirmed, [{ name, last_heard_at: null }]);
});

test("a command that cannot be done exits with code 1", async (t) => {
	const data = scratchFolder(t);
	for (const command of ["show", "suspend", "resume", "revoke", "rotate"])
		await fails(1, /no keys have been created yet/, command, "key_none", "--data", data);
	assert.equal(existsSync(join(data, "keys")), false);
	assert.deepEqual(await document("list", "--data", data), []);
	assert.deepEqual(await document("audit", "--data", data), []);
	await fails(1, /no such data folder/, "list", "--data", join(data, "nowhere"));
	const file = join(data, "ca-2026-11.csv");
	writeFileSync(file, "state,number\n");
	for (const args of [["list"], ["audit"], ["show", "x"], ["create", "--tier", "demo"]])
		await fails(1, /csv: this is a file; --data takes a data folder\n$/, ...args, "--data", file);
	await document("create", "--tier", "demo", "--data", data);
	for (const command of ["show", "suspend", "resume", "revoke", "rotate", "audit"]) {
		await fails(1, /no key has the id "key_none"/, command, "key_none", "--data", data);
	}
	for (const [code, failure, args] of [
		[
			1,
			{ code: "unknown_key", message: 'no key has the id "key_none"' },
			["show", "key_none", "--data", data],
		],
		[2, { code: "usage", message: "missing required argument 'id'" }, ["show"]],
	] as const) {
		const failed = await keys(...args, "--json");
		assert.deepEqual([failed.code, JSON.parse(failed.stdout)], [code, { error: failure }]);
		assert.match(failed.stderr, /^error: [^\n]+\n$/);
	}
});

test("an invalid command line exits with code 2 and makes no key", async (t) => {
	const data = scratchFolder(t);
	const create = (...args: string[]) => ["create", "--data", data, ...args];
	await fails(2, /--tier/, ...create());
	await fails(
		2,
		/'gold' is invalid. Allowed choices are demo, trial, production, enterprise/,
		...create("--tier", "gold"),
	);
	await fails(2, /did you mean "member_city"\?/, ...create("--tier", "trial", "--columns", "member_cty"));
	await fails(2, /--countries must be US or CA; got "MX"/, ...create("--tier", "trial", "--countries", "MX"));
	await fails(2, /no state or province "ZZ"/, ...create("--tier", "trial", "--states", "CA,ZZ"));
	await fails(
		2,
		/demo keys never read member_address/,
		...create("--tier", "demo", "--columns", "member_address"),
	);
	await fails(2, /--per-minute.*whole number/, ...create("--tier", "trial", "--per-minute", "many"));
	await fails(2, /--history.*months:N/, ...create("--tier", "trial", "--history", "some"));
	await fails(2, /--expires-in.*14d/, ...create("--tier", "trial", "--expires-in", "soon"));
	await fails(2, /--expires-in.*at once/, ...create("--tier", "trial", "--expires-in", "0s"));
	await fails(2, /unknown option '--jsn' \(Did you mean --json\?\)/, "list", "--data", data, "--jsn");
	await fails(2, /unknown command 'lst'/, "lst");
	await fails(2, /missing required argument 'id'/, "show", "--data", data);
	await fails(2, /too many arguments/, "list", "extra", "--data", data);
	// Without the address, which may hold a password.
	await fails(2, /^error: --shared must be redis:[^\n]*TLS\n$/, "list", "--shared", "http://jo:secret@host");
	assert.deepEqual(await document("list", "--data", data), []);
	for (const command of [
		["backup", "--out", "copy"],
		["restore", "--from", "copy"],
	])
		await fails(
			2,
			/^error: --shared has no backup[^\n]*\(--data\)\n$/,
			...command,
			"--shared",
			"redis://host",
		);
});

test("a backup where keys are shared asks for the data folder that it is of", (t) => {
	const env = { ...process.env, ROLLCALL_SHARED: "redis://host" };
	const cwd = scratchFolder(t);
	const run = (...command: string[]) =>
		spawnSync(process.execPath, [MAIN, "keys", ...command], { env, cwd, encoding: "utf8" });
	for (const command of [
		["backup", "--out", "copy"],
		["restore", "--from", "copy"],
	]) {
		const { status, stderr } = run(...command);
		assert.equal(status, 2, stderr);
		assert.match(stderr, /^error: there is no \.\/data; keys are shared [^\n]* --data\n$/);
	}
	assert.match(run("backup", "--out", "copy", "--data", "other").stderr, /no such data folder|no keys/);
});

test("help goes to stdout with exit code 0, an error to stderr with its code", () => {
	// As an operator runs it: by the program's main module.
	const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
	const { status, stdout, stderr } = run("keys", "create", "--help");
	assert.deepEqual([status, stderr], [0, ""]);
	for (const option of ["--tier", "--countries", "--history", "--monthly-quota", "--expires-in", "--json"]) {
		assert.ok(stdout.includes(option));
	}
	const failed = run("keys", "lst");
	assert.deepEqual([failed.status, failed.stdout], [2, ""]);
	assert.match(failed.stderr, /^error: unknown command 'lst'/);
});
