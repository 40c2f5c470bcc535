/** `server start --signup-port` as an operator runs it, and the commands that show and remove what signup stored. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge } from "altcha-lib/types";
import { signupTables } from "../../server/signup/signup-records.js";
import { Store } from "../../server/store/store.js";
import { type Ended, runCommandLine } from "../command-line.js";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { ServerProcess } from "../serve/server-process.js";
import { linkOf, MailServer } from "./mail-server.js";

function command(...args: string[]): Promise<Ended> {
	return runCommandLine("server", args);
}

test("a trial key from the signup port works at once, is converted, and is forgotten", async (t) => {
	const mail = await MailServer.start(t);
	const data = await fixtureFolder();
	const flags = ["--signup-port", "0", "--smtp", mail.url, "--signup-difficulty", "1", "--workers", "1"];
	const adminPort = await freePort();
	flags.push("--admin-port", String(adminPort));
	assert.equal(
		(await command("start", "--data", data, "--port", "0", "--signup-port", "1")).code,
		2,
		"needs --smtp",
	);
	const signupPort = await freePort();
	const server = await ServerProcess.start(t, data, ...flags.with(1, String(signupPort)));
	const signup = `http://127.0.0.1:${signupPort}`;
	const post = async (path: string, body: unknown) => {
		const headers = { "Content-Type": "application/json" };
		return fetch(signup + path, { method: "POST", headers, body: JSON.stringify(body) });
	};
	const challenge = (await (await fetch(`${signup}/signup/challenge`)).json()) as Challenge;
	const solution = await solveChallenge({ challenge, deriveKey });
	const altcha = Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
	assert.equal((await post("/signup", { email: "jo@example.com", altcha })).status, 202);
	for (let waits = 0; mail.received.length === 0 && waits < 100; waits++)
		await new Promise((resolve) => setTimeout(resolve, 100));
	const token = linkOf(mail.received[0]).split("/").at(-1);
	const { key, id } = (await (await post("/signup/claim", { token })).json()) as { key: string; id: string };
	const ask = async (path: string) =>
		// Commands hold this process up for longer than the server keeps an idle connection.
		fetch(`http://127.0.0.1:${server.port}${path}`, {
			headers: { Authorization: `Bearer ${key}`, Connection: "close" },
		});
	const me = (await (await ask("/v1/me")).json()) as { data: { tier: string; quota: { used: number } } };
	assert.equal(me.data.tier, "trial");
	const page = await ask("/v1/licenses?limit=5&fields=member_email");
	assert.deepEqual(
		((await page.json()) as { data: { member_email: string | null }[] }).data.filter(
			({ member_email }) => member_email !== null && !member_email.includes("***"),
		),
		[],
		"contacts are masked",
	);

	for (const path of ["/v1/licenses?limit=0", "/v1/licenses?limit=x", "/v1/licenses/1"]) await ask(path);
	const portal = await fetch(`${signup}/portal/key`, { headers: { Authorization: `Bearer ${key}` } });
	const { errors } = (await portal.json()) as {
		errors: { code: string; requests: number; last_s: number }[];
	};
	assert.deepEqual(errors.map(({ code, requests }) => [code, requests]).sort(), [
		["invalid_parameter", 2],
		["not_found", 1],
	]);
	for (const { last_s } of errors) assert.ok(Math.abs(last_s - Date.now() / 1000) < 60);
	const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
	for (const line of [
		"rollcall_signups_today 1",
		"rollcall_signups_per_day_max 1000",
		"rollcall_signup_mailboxes 1",
		`rollcall_signup_keys_left ${(131_072 * 7) / 8 - 1}`,
		"rollcall_signup_mails_sent_total 1",
		'rollcall_signups_refused_total{reason="network"} 0',
		'rollcall_signup_mails{state="waiting"} 0',
	])
		assert.ok(metrics.includes(`${line}\n`), line);

	const listed = await command("signups", "list", "--data", data, "--json");
	assert.equal(JSON.parse(listed.stdout).mailboxes[0].key_id, id, listed.stderr);
	assert.equal((await command("signups", "convert", id, "--data", data)).code, 0);
	const converted = (await (await ask("/v1/me")).json()) as { data: { tier: string; id: string } };
	assert.deepEqual([converted.data.tier, converted.data.id], ["production", id]);
	const usage = (await (await ask("/v1/usage")).json()) as { data: { total: number } };
	assert.ok(usage.data.total >= 3, "usage stays");

	const forgotten = await command("signups", "forget", "JO+x@example.com", "--data", data, "--json");
	assert.deepEqual(JSON.parse(forgotten.stdout), { mailbox: "jo@example.com", forgotten: true });
	assert.deepEqual(JSON.parse((await command("signups", "list", "--data", data, "--json")).stdout), {
		mailboxes: [],
		mails: [],
	});
	assert.equal((await command("signups", "list", "--data", data)).stdout, "no signups\n");
	assert.equal((await ask("/v1/me")).status, 200, "a converted key is its owner's");
	assert.equal(await server.end("SIGTERM"), 0);
});

test("a mailbox that an earlier version named otherwise is forgotten by any of its addresses", async (t) => {
	const data = mkdtempSync(join(tmpdir(), "rollcall-forget-"));
	t.after(() => rmSync(data, { recursive: true }));
	const store = Store.open({ dataFolder: data, create: true });
	const record = {
		first_ms: 0,
		last_ms: 0,
		key_id: null,
		link: null,
		mails: { day: 0, count: 1 },
		reminded: null,
	};
	await store.transaction(() => {
		const { mailboxes } = signupTables(store);
		for (const name of ["j.o@proton.me", "al@proton.me"]) mailboxes.put(name, { ...record, address: name });
	});
	await store.close();
	const forgotten = await command("signups", "forget", "jo@pm.me", "--data", data, "--json");
	assert.deepEqual(JSON.parse(forgotten.stdout), { mailbox: "jo@proton.me", forgotten: true });
	const listed = JSON.parse((await command("signups", "list", "--data", data, "--json")).stdout);
	assert.deepEqual(
		listed.mailboxes.map(({ mailbox }: { mailbox: string }) => mailbox),
		["al@proton.me"],
	);
});
