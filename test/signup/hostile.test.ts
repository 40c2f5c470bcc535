/** What strangers send to the signup port: addresses of every shape, injections, foreign pages, guessed tokens, floods. */

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { open } from "lmdb";
import { ClientAddresses } from "../../server/http/client-address.js";
import { convertKey, resumeKey, revokeKey, suspendKey } from "../../server/keys/lifecycle.js";
import { DAY_MS } from "../../server/limits/windows.js";
import { jsonPageAnswer, PageServer } from "../../server/pages/page-server.js";
import { mailText } from "../../server/signup/mail-text.js";
import { readMailbox } from "../../server/signup/mailbox.js";
import { MAX_KEYS } from "../../server/store/record-checks.js";
import { addKey, SetClock } from "../keys/scratch.js";
import { linkOf } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";

test("addresses of every shape are accepted or refused, and name their mailbox", () => {
	const named: Record<string, string> = {
		"jo@example.com": "jo@example.com",
		"  Jo@Example.COM ": "jo@example.com",
		"jo+tag+more@example.com": "jo@example.com",
		"j.o+x@gmail.com": "jo@gmail.com",
		"J.O@googlemail.com": "jo@gmail.com",
		"jo@bücher.example.com": "jo@xn--bcher-kva.example.com",
		"jo@xn--bcher-kva.example.com": "jo@xn--bcher-kva.example.com",
		"josé@example.com": "josé@example.com",
		"jose\u0301@example.com": "josé@example.com",
		"+tag@example.com": "+tag@example.com",
		"Jo+x@pm.me": "jo@proton.me",
		"jo@protonmail.com": "jo@proton.me",
		"jo@proton.me": "jo@proton.me",
		"j.o_e-x+tag@protonmail.ch": "joex@proton.me",
		"_@proton.me": "_@proton.me",
		"j.o@example.com": "j.o@example.com",
		"shop+x@jo.fastmail.com": "jo@fastmail.com",
		"jo+x@FastMail.fm": "jo@fastmail.fm",
		"shop@jo.notfastmail.com": "shop@jo.notfastmail.com",
		"jo@me.com": "jo@icloud.com",
		"jo@MAC.com": "jo@icloud.com",
		"jo+x@icloud.com": "jo@icloud.com",
		"jo@hotmail.com": "jo@hotmail.com",
		"jo@outlook.com": "jo@outlook.com",
		"jo@live.com": "jo@live.com",
		'"Jo"@example.com': "jo@example.com",
		'"j\\o+tag"@example.com': "jo@example.com",
		'"j.o"@gmail.com': "jo@gmail.com",
		'"jo al"@example.com': "jo al@example.com",
		[`${"a".repeat(64)}@example.com`]: `${"a".repeat(64)}@example.com`,
	};
	for (const [address, name] of Object.entries(named))
		assert.equal(readMailbox(address)?.name, name, address);
	const refused = [
		"",
		"@",
		"jo",
		"jo@",
		"@example.com",
		"jo@localhost",
		"jo@127.0.0.1",
		"jo@[127.0.0.1]",
		"a@b@example.com",
		"Jo <jo@example.com>",
		"jo@example.com, al@example.com",
		"jo@example.com\r\nBcc: al@example.com",
		"jo\r\n@example.com",
		"jo\0@example.com",
		"jo@example.com>",
		"<script>@example.com",
		'"jo\r\nal@example.com  key_0000000000000000  active"@example.com',
		'"jo\\\u001b[2J"@example.com',
		'"jo\u0000"@example.com',
		'"jo\u009b2J"@example.com',
		'"jo\u200b"@example.com',
		"j\u200do@example.com",
		"jo\u3164@example.com",
		"jo\u202e@example.com",
		'"jo\u2028al"@example.com',
		'"jo\u00a0al"@example.com',
		`${"a".repeat(65)}@example.com`,
		`jo@${"a".repeat(250)}.com`,
	];
	for (const address of refused) assert.equal(readMailbox(address), null, JSON.stringify(address));
});

test("the networks of one IPv6 site cannot use up the signups of the day", async (t) => {
	const signup = await SignupFixture.start(t, {
		signup_network_per_day: 2,
		signup_per_day: 30,
		trusted_proxies: ["127.0.0.1"],
		signup_requests_per_minute: 1_000,
	});
	const statusFrom = async (address: string) =>
		(await signup.signUp("jo@example.com", { "X-Forwarded-For": address })).status;
	for (const last of [1, 2]) assert.equal(await statusFrom(`2001:db8:1:1::${last}`), 202);
	assert.equal(await statusFrom("2001:db8:1:1::3"), 429, "the /64 is full");
	assert.equal(await statusFrom("2001:db8:1:2::1"), 202);
	for (const subnet of ["3", "ff00"])
		assert.equal(await statusFrom(`2001:db8:1:${subnet}::1`), 429, "the /48 has a tenth of the day's");
	assert.equal(await statusFrom("2001:db8:2:1::1"), 202);
	assert.equal(await statusFrom("192.0.2.1"), 202);
	assert.equal(signup.selfServe.signups.requestsOn(signup.clock.nowMs), 5);
	signup.clock.nowMs += DAY_MS;
	assert.equal(await statusFrom("2001:db8:1:3::1"), 202);
});

test("no address puts a header or a recipient into a mail", async (t) => {
	const signup = await SignupFixture.start(t, { signup_network_per_day: 100 });
	for (const email of [
		"jo@example.com\r\nBcc: al@example.com",
		"jo@example.com\nSubject: x",
		"jo@example.com,al@example.com",
		"jo@example.com;al@example.com",
		'"jo@evil.example.com> "@example.com',
	])
		await signup.signUp(email);
	for (const { to, raw } of signup.mail.received) {
		assert.equal(to.length, 1);
		assert.doesNotMatch(raw.split("\r\n\r\n", 1)[0], /^(Bcc|Cc):/im);
		assert.equal(raw.match(/^Subject:/gim)?.length, 1);
	}
});

test("mails are text and HTML, marked as automatic, and escape what they carry", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.signUp("jo@example.com");
	const [{ mail, raw }] = signup.mail.received;
	assert.match(raw, /^Auto-Submitted: auto-generated$/im);
	assert.ok(mail.text?.includes(linkOf(signup.mail.received[0])));
	assert.ok(mail.html?.includes(linkOf(signup.mail.received[0])));
	const facts = { kind: "new", pagesUrl: 'http://x"><script>', linkPath: "/a", endsOn: null } as const;
	assert.doesNotMatch(mailText(facts).html, /<script>/);
});

test("pages of other origins change nothing, and no page is framed", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.signUp("jo@example.com");
	const token = linkOf(signup.mail.received[0]).split("/").at(-1);
	const foreign: Record<string, string>[] = [
		{ Origin: "https://evil.example" },
		{ "Sec-Fetch-Site": "cross-site" },
		{ "Sec-Fetch-Site": "same-site" },
		{ Origin: "null" },
	];
	for (const headers of foreign)
		for (const path of ["/signup", "/signup/claim", "/portal/rotate", "/portal/revoke"])
			assert.equal((await signup.post(path, { token }, headers)).status, 403, path);
	assert.equal(signup.access.store.keys().length, 0);
	for (const path of ["/", "/signup", "/portal", "/nothing", `/signup/claim/${token}`]) {
		const { headers } = await signup.get(path);
		assert.match(String(headers.get("content-security-policy")), /frame-ancestors 'none'/, path);
		assert.doesNotMatch(String(headers.get("content-security-policy")), /unsafe/, path);
		assert.equal(headers.get("x-frame-options"), "DENY", path);
		assert.equal(headers.get("access-control-allow-origin"), null, path);
		assert.equal(headers.get("set-cookie"), null, path);
	}
});

test("tokens are not guessed: what is no good link's is one answer, and tries are limited", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 50 });
	await signup.signUp("jo@example.com");
	const token = String(linkOf(signup.mail.received[0]).split("/").at(-1));
	const wrong = [
		"",
		"x",
		`${token}A`,
		token.slice(1),
		`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
		"../../etc/passwd",
		"%00",
		"<script>alert(1)</script>",
	];
	for (const guess of wrong) {
		const page = await signup.get(`/signup/claim/${encodeURIComponent(guess)}`);
		assert.equal(page.status, 410, guess);
		assert.doesNotMatch(page.text, /alert/);
		assert.equal((await signup.post("/signup/claim", { token: guess })).status, 410, guess);
	}
	let limited = 0;
	for (let i = 0; i < 60; i++) {
		const { status, headers } = await signup.post("/signup/claim", { token: "A".repeat(32) });
		if (status === 429) {
			limited++;
			assert.ok(Number(headers.get("retry-after")) > 0);
		}
	}
	assert.ok(limited > 10, `${limited} limited`);
	assert.equal(signup.access.store.keys().length, 0);
});

test("requests a minute are limited by address, and so are pages, their files and paths that do not exist", async (t) => {
	const settings = { signup_requests_per_minute: 5, trusted_proxies: ["127.0.0.1"] };
	const signup = await SignupFixture.start(t, settings);
	const ask = (client: string, path: string) => signup.get(path, { "X-Forwarded-For": client });
	for (const [client, neighbour, expected] of [
		["203.0.113.1", "203.0.113.2", 200],
		["2001:db8::1", "2001:db8::2", 429],
	] as const) {
		for (let i = 0; i < 5; i++) assert.equal((await ask(client, "/signup/challenge")).status, 200);
		assert.equal((await ask(client, "/signup/challenge")).status, 429);
		assert.equal((await ask(neighbour, "/signup/challenge")).status, expected, neighbour);
	}
	const paths = ["/signup", "/nothing", "/pages/page.css"];
	const flood = "198.51.100.1";
	for (let i = 0; i < 1_205; i += paths.length)
		for (const { status } of await Promise.all(paths.map((path) => ask(flood, path))))
			if (i + paths.length <= 1_205) assert.notEqual(status, 429);
	for (const path of paths) {
		const { status, headers } = await ask(flood, path);
		assert.equal(status, 429, path);
		assert.ok(Number(headers.get("retry-after")) > 0);
	}
	assert.equal((await ask("198.51.100.2", "/signup")).status, 200);
	signup.clock.nowMs += 60_000;
	assert.equal((await ask(flood, "/signup")).status, 200);
});

test("bodies, types, methods and paths that are wrong are refused with the reason", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const cases: [Promise<{ status: number }>, number][] = [
		[signup.post("/signup", "x".repeat(9_000)), 413],
		[signup.post("/signup", "not json"), 400],
		[signup.post("/signup", "[]"), 400],
		[signup.post("/signup", "null"), 400],
		[signup.post("/signup", "<a/>", { "Content-Type": "text/xml" }), 415],
		[signup.post("/signup", { email: ["jo@example.com"] }), 400],
		[signup.post("/signup", { email: "jo@mailinator.com", altcha: await signup.solution() }), 400],
		[signup.post("/portal", {}), 405],
		[signup.get("/etc/passwd"), 404],
		[signup.get("/pages/../../package.json"), 404],
		[signup.get("/portal/key"), 401],
		[signup.get("/portal/key", { Authorization: "Bearer rollcall_x" }), 401],
	];
	for (const [answer, status] of cases) assert.equal((await answer).status, status);
});

test("a solution is over after half an hour", async (t) => {
	const signup = await SignupFixture.start(t);
	const altcha = await signup.solution();
	signup.clock.nowMs += 30 * 60_000;
	const form = new URLSearchParams({ email: "jo@example.com", altcha }).toString();
	const headers = { "Content-Type": "application/x-www-form-urlencoded" };
	const { status, text } = await signup.post("/signup", form, headers);
	assert.equal(status, 400);
	// Not by reloading, which sends the same solution again: this page is the response to a form.
	assert.match(text, /has expired\. Go back to the form and try again\.<\/p><p><a href="\/">Back</);
	assert.match((await signup.get("/")).text, /<form method="post" action="\/signup">/);
});

test("a head without an end and a body that never comes hold no connection", async (t) => {
	const server = new PageServer({
		routes: [{ method: "POST", path: "/signup", counted: false, answer: () => jsonPageAnswer(200, {}) }],
		addresses: new ClientAddresses([]),
		clock: new SetClock(),
		perMinute: 100,
		requestMsMax: 200,
		onError: (error) => assert.fail(error as Error),
	});
	const port = await server.listen("127.0.0.1", 0);
	t.after(() => server.close());
	const begun = performance.now();
	const ended = (text: string) =>
		new Promise<void>((resolve) => {
			const socket = connect(port, "127.0.0.1", () => socket.write(text));
			socket.on("error", () => undefined);
			socket.on("close", () => resolve());
			socket.resume();
		});
	await Promise.all([
		ended("GET / HTTP/1.1\r\nHost: x\r\n"),
		ended(
			"POST /signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		),
	]);
	// Ten seconds is what they have in service, and half a minute what node:http would take to notice.
	assert.ok(performance.now() - begun < 8_000);
});

test("signups leave keys to the operator, and are told where no trial is left", async (t) => {
	const signup = await SignupFixture.start(t);
	const { id } = await signup.keyFor("jo@example.com");
	await signup.signUp("al@example.com");
	const link = linkOf(signup.mail.mailsTo("al@example.com")[0]);
	await signup.signUp("jo@example.com");
	const again = linkOf(signup.mail.mailsTo("jo@example.com")[1]);

	const keysMax = (MAX_KEYS * 7) / 8;
	const root = open({ path: signup.access.store.path, noSubdir: false });
	await root.openDB({ name: "meta" }).put("next_slot", keysMax);
	const late = await signup.signUp("bo@example.com");
	assert.deepEqual([late.status, JSON.parse(late.text).error.code], [503, "unavailable"]);
	const claimed = await signup.post("/signup/claim", { token: link.split("/").at(-1) });
	assert.equal(claimed.status, 503);
	assert.match(claimed.text, /No trial keys are left\. Ask the operator for a key\./);
	assert.equal((await signup.claim(again)).id, id, "a key that exists gets its new text");
	const made = await addKey(signup.access.store);
	assert.equal(made.record.slot, keysMax, "the operator can still create keys");
	assert.equal(signup.selfServe.summary().keys_left, 0);
	assert.equal(signup.selfServe.summary().refused_for_keys, 1);
	await root.openDB({ name: "meta" }).put("next_slot", keysMax - 1);
	await signup.claim(link);
});

test("a link from before its key was revoked, suspended or converted makes no second trial", async (t) => {
	const signup = await SignupFixture.start(t);
	const { store } = signup.access;
	const actor = { by: "test", nowMs: signup.clock.now() };
	const changes = {
		"revoked@example.com": (id: string) => revokeKey(store, id, actor),
		"suspended@example.com": (id: string) => suspendKey(store, id, actor),
		"converted@example.com": (id: string) => convertKey(store, id, "production", actor),
	};
	for (const [email, change] of Object.entries(changes)) {
		const { id } = await signup.keyFor(email);
		await signup.signUp(email);
		const link = linkOf(signup.mail.mailsTo(email)[1]);
		const keys = store.keys().length;
		await change(id);
		assert.equal((await signup.get(link)).status, 410, email);
		const claimed = await signup.post("/signup/claim", { token: link.split("/").at(-1) });
		assert.deepEqual([claimed.status, store.keys().length], [410, keys], email);
		if (email !== "suspended@example.com") continue;
		await resumeKey(store, id, actor);
		assert.equal((await signup.claim(link)).id, id, "the link of a key that is live again");
	}
});
