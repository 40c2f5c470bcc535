/** What a delivery is said to have come to, by how a real mail server ends it. */

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { type SmtpOptions, smtpSender } from "../../server/signup/smtp.js";
import { MailServer, type Verdict } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";
import { ADDRESS } from "./signup-steps.js";

/** Longer than a delivery takes. */
const SETTLED_MS = 200;
const HOUR_MS = 3_600_000;
/** Timeout of the sender: short, since a test waits for it. */
const TIMEOUT_MS = 1_000;
const { privateKey } = generateKeyPairSync("rsa", {
	modulusLength: 2048,
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
	publicKeyEncoding: { type: "spki", format: "pem" },
});
const DKIM = { domain: "example.com", selector: "keys", privateKey };

for (const [name, dkim] of [
	["", null],
	[", signed with DKIM", DKIM],
] as const)
	test(`a delivery is unknown once the server may have the text, and deferred before${name}`, async (t) => {
		const mail = await MailServer.start(t);
		const outcome = (verdict: Verdict) => outcomeOf(mail, verdict, dkim);
		assert.deepEqual(await outcome(0), ["sent", 1]);
		assert.deepEqual(await outcome("silence"), ["unknown", 1], "it takes the text and never answers");
		assert.deepEqual(await outcome("drop"), ["unknown", 1], "it takes the text and destroys the connection");
		assert.deepEqual(await outcome("drop-early"), ["deferred", 0], "the connection ends before the text");
		assert.deepEqual(await outcome(451), ["deferred", 0]);
		assert.deepEqual(await outcome(550), ["bounced", 0]);
		await mail.close();
		assert.deepEqual(await outcome(0), ["deferred", 0], "there is no server");
	});

/** The outcome of one delivery, and how often the server received its text. */
async function outcomeOf(
	mail: MailServer,
	verdict: Verdict,
	dkim: SmtpOptions["dkim"],
): Promise<[string, number]> {
	const before = mail.received.length;
	mail.verdict = verdict;
	const send = smtpSender({ url: mail.url, from: "keys@example.com", dkim, timeoutMs: TIMEOUT_MS });
	const { outcome } = await send("1", "jo@example.com", { subject: "x", text: "x", html: "x" });
	return [outcome, mail.received.length - before];
}

test("a mail whose connection was destroyed after its text is not sent again", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.mail.verdict = "drop";
	await signup.signUp("jo@example.com");
	assert.equal(signup.selfServe.queue.counts().unknown, 1);
	signup.mail.verdict = 0;
	for (let tries = 0; tries < 3; tries++) {
		signup.clock.nowMs += HOUR_MS;
		await signup.selfServe.queue.run();
	}
	assert.equal(signup.mail.received.length, 1);
});

test("a mail whose connection the server itself closes is not sent again", async (t) => {
	const mail = await MailServer.start(t);
	mail.verdict = "silence";
	const send = smtpSender({ url: mail.url, from: "keys@example.com", dkim: null });
	const delivery = send("1", ADDRESS, { subject: "x", text: "x", html: "x" });
	while (mail.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	send.close();
	assert.equal((await delivery).outcome, "unknown");
});

test("a mail whose connection the server itself closes before its text is sent later", async (t) => {
	const mail = await MailServer.start(t);
	const send = smtpSender({ url: mail.url, from: "keys@example.com", dkim: null });
	mail.onRecipient = async () => send.close();
	const { outcome } = await send("1", ADDRESS, { subject: "x", text: "x", html: "x" });
	assert.equal(outcome, "deferred");
	await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
	assert.equal(mail.received.length, 0);
});
