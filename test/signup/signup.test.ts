/** Signup over real HTTP and SMTP: one live trial per mailbox, links that work once, caps, and no hint of who has a key. */

import assert from "node:assert/strict";
import { createHash, createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { linkOf } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";

/** Requests that a robot sends before it reads their responses. */
const WINDOW = 4;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

test("a mailbox asks, a link comes by mail, and using it shows a trial key that works", async (t) => {
	const signup = await SignupFixture.start(t);
	const { key } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	const found = signup.access.authenticator.authenticate(
		{ authorization: `Bearer ${key}`, xApiKey: null },
		signup.clock.now(),
	);
	assert.ok(found.ok);
	assert.equal(found.key.tier, "trial");
	assert.deepEqual(found.key.rate_limits, { per_minute: 30, per_day: 300, monthly_quota: 2_000 });
	assert.equal(Date.parse(String(found.key.expires_at)) - signup.clock.now(), 14 * DAY_MS);
	assert.equal(found.key.masked, true);
	signup.clock.nowMs += 14 * DAY_MS;
	assert.equal(signup.authenticate(key), "unauthorized", "the trial ends");
});

test("a link shows a button, makes no key when it is followed, and works once and for an hour", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.signUp("jo@example.com");
	const path = linkOf(signup.mail.received[0]);
	for (let scans = 0; scans < 3; scans++) {
		const page = await signup.get(path);
		assert.equal(page.status, 200);
		assert.match(page.text, /<button type="submit">Show my key<\/button>/);
	}
	assert.equal(signup.access.store.keys().length, 0, "following a link makes no key");
	await signup.claim(path);
	assert.equal((await signup.get(path)).status, 410);
	const again = await signup.post("/signup/claim", { token: path.split("/").at(-1) });
	assert.equal(again.status, 410, "a token is used once");
	assert.equal(signup.access.store.keys().length, 1);

	await signup.signUp("al@example.com");
	const late = linkOf(signup.mail.mailsTo("al@example.com")[0]);
	signup.clock.nowMs += HOUR_MS;
	assert.equal((await signup.get(late)).status, 410, "an hour later the link is over");
	assert.equal((await signup.post("/signup/claim", { token: late.split("/").at(-1) })).status, 410);
});

test("a second request of a mailbox gives its key a new text, for any spelling of the address", async (t) => {
	const signup = await SignupFixture.start(t, { signup_mailbox_per_day: 20 });
	const first = await signup.keyFor("jo.smith@gmail.com");
	for (const spelling of ["JOSMITH@gmail.com", "jo.s.mith+news@googlemail.com"]) {
		const next = await signup.keyFor(spelling);
		assert.equal(next.id, first.id, spelling);
		assert.equal(next.renewed, true);
		assert.notEqual(next.key, first.key);
		await signup.access.settle();
		assert.equal(signup.authenticate(first.key), "unauthorized", "the text before no longer works");
		assert.equal(signup.authenticate(next.key), "ok");
	}
	assert.equal(signup.access.store.keys().length, 1);
	const other = await signup.keyFor("jo.smith+a@example.com");
	assert.equal((await signup.keyFor("Jo.Smith@EXAMPLE.com")).id, other.id);
	assert.notEqual((await signup.keyFor("josmith@example.com")).id, other.id, "dots count elsewhere");
});

test("200 signups of one mailbox at once make one key and three mails", async (t) => {
	const signup = await SignupFixture.start(t, {
		signup_network_per_day: 1_000,
		signup_requests_per_minute: 10_000,
	});
	const solutions = await Promise.all(Array.from({ length: 200 }, () => signup.solution()));
	const answers = await Promise.all(
		solutions.map((altcha, i) => signup.post("/signup", { email: `jo+${i}@example.com`, altcha })),
	);
	assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
	await signup.selfServe.queue.run();
	await signup.selfServe.queue.run();
	const links = signup.mail.received.map(linkOf);
	assert.ok(links.length >= 1 && links.length <= 3, `${links.length} mails`);
	const claims = await Promise.all(
		[...links, ...links].map((path) => signup.post("/signup/claim", { token: path.split("/").at(-1) })),
	);
	assert.equal(claims.filter(({ status }) => status === 200).length, 1, "one link works, once");
	assert.equal(signup.access.store.keys().length, 1);
});

test("the answer is the same whether a mailbox has a key or not", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.keyFor("jo@example.com");
	const known = await signup.signUp("jo@example.com");
	const unknown = await signup.signUp("al@example.com");
	assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
});

test("a robot without a proof of work gets nothing in 10,000 tries", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000_000 });
	const altcha = await signup.solution();
	const forged = JSON.parse(Buffer.from(altcha, "base64").toString()) as {
		challenge: { parameters: { data: { until: number } }; signature: string };
		solution: { counter: number; derivedKey: string };
	};
	const variants = [
		"",
		"AAAA",
		Buffer.from("{}").toString("base64"),
		Buffer.from(JSON.stringify({ ...forged, solution: { counter: 1, derivedKey: "00" } })).toString("base64"),
		Buffer.from(
			JSON.stringify({
				...forged,
				challenge: {
					...forged.challenge,
					parameters: { ...forged.challenge.parameters, data: { until: 9e15 } },
				},
			}),
		).toString("base64"),
		Buffer.from(
			JSON.stringify({ ...forged, challenge: { ...forged.challenge, signature: "0".repeat(64) } }),
		).toString("base64"),
	];
	const { port, host } = new URL(signup.origin);
	const tries = Array.from({ length: 10_000 }, (_, i) => {
		const body = JSON.stringify({ email: `robot${i}@example.com`, altcha: variants[i % variants.length] });
		const last = i === 9_999 ? "\r\nConnection: close" : "";
		const head = `POST /signup HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json${last}`;
		return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
	});
	const refused = await countRefused(Number(port), tries);
	assert.equal(refused, 10_000);
	assert.equal(signup.selfServe.queue.counts().waiting, 0);
	assert.equal((await signup.post("/signup", { email: "jo@example.com", altcha })).status, 202);
	const replay = await signup.post("/signup", { email: "al@example.com", altcha });
	assert.equal(replay.status, 400, "a solution is good once");
});

test("caps hold per mailbox, per network and per day, and start again the next day", async (t) => {
	const signup = await SignupFixture.start(t, {
		signup_network_per_day: 5,
		signup_per_day: 8,
		trusted_proxies: ["127.0.0.1"],
		signup_requests_per_minute: 1_000,
	});
	const from = (address: string) => ({ "X-Forwarded-For": address });
	for (let i = 0; i < 5; i++)
		assert.equal((await signup.signUp("jo@example.com", from(`192.0.2.${i}`))).status, 202);
	assert.equal(signup.mail.mailsTo("jo@example.com").length, 3, "three mails a day to one mailbox");
	const full = await signup.signUp("al@example.com", from("192.0.2.200"));
	assert.equal(full.status, 429, "the /24 is full");
	assert.ok(Number(full.headers.get("retry-after")) > 0);
	for (let i = 0; i < 3; i++)
		assert.equal((await signup.signUp(`b${i}@example.com`, from(`198.51.100.${i}`))).status, 202);
	assert.equal((await signup.signUp("c@example.com", from("203.0.113.1"))).status, 429, "the day is full");
	signup.clock.nowMs += DAY_MS;
	assert.equal((await signup.signUp("c@example.com", from("203.0.113.1"))).status, 202);
});

test("an ended trial is followed by another only after the time set", async (t) => {
	const signup = await SignupFixture.start(t, { signup_again_after_days: 30 });
	const first = await signup.keyFor("jo@example.com");
	signup.clock.nowMs += 15 * DAY_MS;
	await signup.signUp("jo@example.com");
	const [, second] = signup.mail.mailsTo("jo@example.com");
	assert.match(second.mail.text ?? "", /has ended/);
	assert.throws(() => linkOf(second));
	signup.clock.nowMs += 30 * DAY_MS;
	const next = await signup.keyFor("jo@example.com");
	assert.notEqual(next.id, first.id);
	assert.equal(next.renewed, false);
});

test("a reminder is sent once, three days before the end, and to living trials only", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.keyFor("jo@example.com");
	const upkeep = async () => {
		await signup.selfServe.upkeep();
		await signup.selfServe.queue.run();
	};
	signup.clock.nowMs += 10 * DAY_MS;
	await upkeep();
	assert.equal(signup.mail.received.length, 1);
	signup.clock.nowMs += 1.5 * DAY_MS;
	await upkeep();
	await upkeep();
	assert.equal(signup.mail.received.length, 2);
	assert.match(signup.mail.received[1].mail.subject ?? "", /ends soon/);
	signup.clock.nowMs += 5 * DAY_MS;
	await upkeep();
	assert.equal(signup.mail.received.length, 2);
});

test("what is stored of a mailbox is removed on request, and some time after its key ended", async (t) => {
	const signup = await SignupFixture.start(t);
	const { signups } = signup.selfServe;
	const { key } = await signup.keyFor("jo@example.com");
	await signup.keyFor("al@example.com");
	assert.equal(
		await signups.forget({ name: "jo@example.com", address: "", domain: "" }, "test", signup.clock.now()),
		true,
	);
	await signup.access.settle();
	assert.equal(signup.authenticate(key), "unauthorized");
	assert.deepEqual(
		signups.list().map(({ name }) => name),
		["al@example.com"],
	);
	signup.clock.nowMs += 40 * DAY_MS;
	await signup.selfServe.upkeep();
	assert.equal(signups.list().length, 1);
	signup.clock.nowMs += 10 * DAY_MS;
	await signup.selfServe.upkeep();
	assert.deepEqual(signups.list(), []);
});

/** Pipelines requests on one connection, a few at a time; resolves to how many were answered 400. */
async function countRefused(port: number, requests: readonly string[]): Promise<number> {
	const socket = connect(port, "127.0.0.1");
	const chunks = socket.setEncoding("latin1")[Symbol.asyncIterator]();
	let refused = 0;
	for (let sent = 0; sent < requests.length; sent += WINDOW) {
		const batch = requests.slice(sent, sent + WINDOW);
		socket.write(batch.join(""));
		let text = "";
		while ((text.match(/HTTP\/1\.1 \d+ /g)?.length ?? 0) < batch.length) {
			const { value, done } = await chunks.next();
			if (done === true) return refused;
			text += value as string;
		}
		refused += text.split("HTTP/1.1 400 ").length - 1;
	}
	return refused;
}

test("a trial key that signup made is limited at exactly 30 a minute, 300 a day and 2,000 a month", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.clock.nowMs = Date.parse("2026-11-02T00:00:00Z");
	const { key: text } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	const { authenticator, limits } = signup.access;
	const ask = () => {
		const nowMs = signup.clock.now();
		const found = authenticator.authenticate({ authorization: `Bearer ${text}`, xApiKey: null }, nowMs);
		assert.ok(found.ok);
		return limits.take(found.key, "/v1/licenses", nowMs);
	};
	/** Asks until it is refused; how many were allowed, and the code. */
	const spend = (): [number, string] => {
		for (let allowed = 0; ; allowed++) {
			const { code } = ask();
			if (code !== null) return [allowed, code];
		}
	};
	let month = 0;
	for (let day = 0; day < 7; day++) {
		let today = 0;
		for (let minute = 0; today < 300 && month + today < 2_000; minute++) {
			const [allowed, code] = spend();
			today += allowed;
			const isLast = today === 300 || month + today === 2_000;
			assert.equal(allowed, month + today === 2_000 ? 20 : 30, `day ${day}, minute ${minute}`);
			assert.equal(code, isLast ? "trial_limit" : "rate_limited", `day ${day}, minute ${minute}`);
			signup.clock.nowMs += 60_000;
		}
		month += today;
		assert.equal(spend()[0], 0, "nothing is left of the day");
		signup.clock.nowMs = Date.parse("2026-11-02T00:00:00Z") + (day + 1) * DAY_MS;
	}
	assert.equal(month, 2_000);
	assert.deepEqual(spend(), [0, "trial_limit"], "nothing is left of the month");
	signup.clock.nowMs = Date.parse("2026-11-02T00:00:00Z") + 14 * DAY_MS;
	assert.equal(signup.authenticate(text), "unauthorized", "after 14 days it ends");
});

test("a DKIM key that does not read is refused by its setting", async (t) => {
	const settings = { dkim_domain: "example.com", dkim_selector: "keys", dkim_key_file: "/nowhere/dkim.pem" };
	await assert.rejects(
		SignupFixture.start(t, settings),
		/--dkim-key-file \/nowhere\/dkim\.pem cannot be read: ENOENT/,
	);
});

test("mails are signed with DKIM, and the signature holds", async (t) => {
	const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const folder = mkdtempSync(join(tmpdir(), "rollcall-dkim-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const keyFile = join(folder, "dkim.pem");
	writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
	const signup = await SignupFixture.start(t, {
		dkim_domain: "example.com",
		dkim_selector: "keys",
		dkim_key_file: keyFile,
		mail_from: "Keys <keys@example.com>",
	});
	await signup.signUp("jo@example.com");
	const [{ raw }] = signup.mail.received;
	const end = raw.indexOf("\r\n\r\n");
	const headers = raw
		.slice(0, end)
		.replace(/\r\n[ \t]+/g, " ")
		.split("\r\n");
	const body = raw
		.slice(end + 4)
		.replace(/[ \t]+(?=\r\n|$)/g, "")
		.replace(/[ \t]+/g, " ")
		.replace(/(\r\n)*$/, "\r\n");
	const signature = String(headers.find((line) => /^dkim-signature:/i.test(line)));
	const tags = new Map(
		signature
			.slice(signature.indexOf(":") + 1)
			.split(";")
			.map((tag) => tag.trim().split(/=(.*)/s).slice(0, 2) as [string, string]),
	);
	assert.deepEqual([tags.get("d"), tags.get("s"), tags.get("a")], ["example.com", "keys", "rsa-sha256"]);
	assert.equal(tags.get("c"), "relaxed/relaxed");
	assert.equal(String(tags.get("bh")).replace(/\s/g, ""), createHash("sha256").update(body).digest("base64"));
	const relaxed = (line: string) => {
		const [name, value] = line.split(/:(.*)/s);
		return `${name.toLowerCase()}:${value.replace(/[ \t]+/g, " ").trim()}`;
	};
	const signed = String(tags.get("h"))
		.split(":")
		.map((name) =>
			relaxed(String(headers.find((line) => line.toLowerCase().startsWith(`${name.trim().toLowerCase()}:`)))),
		);
	for (const name of ["from", "to", "subject"])
		assert.ok(
			signed.some((line) => line.startsWith(`${name}:`)),
			`${name} is signed`,
		);
	const unsigned = relaxed(signature).replace(/([; ]b=)[^;]*/, "$1");
	const holds = createVerify("RSA-SHA256")
		.update(`${signed.join("\r\n")}\r\n${unsigned}`)
		.verify(publicKey, String(tags.get("b")).replace(/\s/g, ""), "base64");
	assert.ok(holds, "the signature is of these headers");
});
