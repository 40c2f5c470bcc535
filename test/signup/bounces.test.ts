/** Mails that a mail server took and returned later. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { REPORT_BYTES_MAX, readBounce } from "../../server/signup/bounce-report.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { runCommandLine } from "../command-line.js";
import { scratchFolder } from "../keys/scratch.js";
import { SignupFixture } from "./signup-fixture.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));
const ID = "001795348800000-0123456789ab";
const WEEK_MS = 7 * 86_400_000;

/** A report as mail servers write it: three parts, the last of which returns the head of the mail. */
function report(messageId: string, action = "failed", status = "5.1.1"): string {
	return [
		"Return-Path: <>",
		"From: MAILER-DAEMON@mx.example.net (Mail Delivery System)",
		"Subject: Undelivered Mail Returned to Sender",
		"MIME-Version: 1.0",
		"Content-Type: multipart/report; report-type=delivery-status;",
		'\tboundary="b1"',
		"Message-Id: <20261122@mx.example.net>",
		"",
		"--b1",
		"Content-Type: text/plain",
		"",
		"I'm sorry to have to inform you that your message could not be delivered.",
		"",
		"--b1",
		"Content-Type: message/delivery-status",
		"",
		"Reporting-MTA: dns; mx.example.net",
		"",
		"Final-Recipient: rfc822; jo@example.com",
		`Action: ${action}`,
		`Status: ${status}`,
		"Diagnostic-Code: smtp; 550 5.1.1 <jo@example.com>: Recipient address",
		"    rejected: User unknown",
		"",
		"--b1",
		"Content-Type: text/rfc822-headers",
		"",
		"Subject: Your Rollcall key",
		`Message-ID: <${messageId}@localhost>`,
		"",
		"--b1--",
		"",
	].join("\r\n");
}

test("a report of a failed delivery is read, in either kind of line break", () => {
	const read = { mailId: ID, said: "550 5.1.1 <jo@example.com>: Recipient address rejected: User unknown" };
	assert.deepEqual(readBounce(report(ID)), read);
	assert.deepEqual(readBounce(report(ID).replaceAll("\r\n", "\n")), read);
	assert.equal(readBounce(report(ID, "failed", "4.4.7"))?.mailId, ID, "given up after days");
});

test("what is no such report is none: delays, receipts, answers of people, other ids, parts, endless texts", () => {
	for (const [what, text] of [
		["a delay", report(ID, "delayed", "4.4.1")],
		["a receipt", report(ID, "delivered", "2.0.0")],
		["an id of another form", report("1234@example.com")],
		["no report", report(ID).replace("multipart/report", "multipart/mixed")],
		["the head alone", report(ID).slice(0, 200)],
		["nothing", ""],
		["too long", report(ID) + " ".repeat(REPORT_BYTES_MAX)],
	])
		assert.equal(readBounce(text), null, what);
	// Lines that never end take no time.
	const startedMs = performance.now();
	readBounce(`Content-Type: multipart/report; ${"a\r\n ".repeat(200_000)}`);
	readBounce(`${report(ID).slice(0, 600)}${"Diagnostic-Code: x\n ".repeat(40_000)}`);
	assert.ok(performance.now() - startedMs < 2_000);
});

async function bounced(dataFolder: string, input: string) {
	const args = [MAIN, "signups", "bounced", "--json", "--data", dataFolder];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: "utf8" });
	assert.equal(status, 0, stderr);
	// This process reads the store as it was at the beginning of its turn.
	await new Promise(setImmediate);
	return JSON.parse(stdout) as { mail: string | null; noted: boolean };
}

test("a mail that is returned is bounced for the operator, once, while the server runs; nothing else changes", async (t) => {
	const signup = await SignupFixture.start(t);
	await signup.signUp("jo@example.com");
	const { mail } = signup.mail.received[0];
	const id = /<(.+)@/.exec(mail.messageId ?? "")?.[1] as string;
	const before = signup.selfServe.signups.list();
	assert.equal(signup.selfServe.summary().mails_bounced, 0);

	assert.deepEqual(await bounced(signup.dataFolder, "Subject: Re: your key\r\n\r\nThank you!"), {
		mail: null,
		noted: false,
	});
	assert.deepEqual(
		await bounced(signup.dataFolder, report(ID)),
		{ mail: ID, noted: false },
		"an id that was made up",
	);
	assert.deepEqual(await bounced(signup.dataFolder, report(id)), { mail: id, noted: true });
	assert.deepEqual(
		await bounced(signup.dataFolder, report(id)),
		{ mail: id, noted: false },
		"the same again",
	);

	assert.equal(signup.selfServe.summary().mails_bounced, 1);
	assert.deepEqual(signup.selfServe.signups.list(), before);
	const [{ value }] = signupTables(signup.access.store).mails.entries();
	assert.match(value.said ?? "", /User unknown/);
	// The mailbox may ask again, and nothing is sent for the bounced mail.
	await signup.signUp("jo@example.com");
	assert.equal(signup.mail.received.length, 2);
});

test("a report that cannot be read is refused in one line", async (t) => {
	const dataFolder = scratchFolder(t);
	for (const file of [join(dataFolder, "none.eml"), dataFolder]) {
		const args = ["signups", "bounced", file, "--data", dataFolder];
		const { code, stdout, stderr } = await runCommandLine("server", args);
		assert.deepEqual([code, stdout], [1, ""], stderr);
		assert.ok(stderr.startsWith(`error: report ${file} cannot be read: E`), stderr);
		assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
	}
});

test("what recognises a returned mail is removed after a week, and with its mailbox", async (t) => {
	const signup = await SignupFixture.start(t);
	const { sent } = signupTables(signup.access.store);
	await signup.signUp("jo@example.com");
	await signup.signUp("al@example.com");
	assert.equal(sent.entries().length, 2);
	const forgotten = { name: "al@example.com", address: "al@example.com", domain: "example.com" };
	await signup.selfServe.signups.forget(forgotten, "test", signup.clock.nowMs);
	assert.deepEqual(
		sent.entries().map(({ value }) => value.mailbox),
		["jo@example.com"],
	);
	signup.clock.nowMs += WEEK_MS;
	await signup.selfServe.upkeep();
	assert.equal(sent.entries().length, 0);
});

test("what strangers wrote is listed in one line each, without control sequences", async (t) => {
	const { access, selfServe, dataFolder, ...signup } = await SignupFixture.start(t);
	const tables = signupTables(access.store);
	const mailbox = { address: "jo@example.com", name: "jo@example.com", domain: "example.com" };
	const nowMs = signup.clock.now();
	const proof = { id: "1", untilMs: nowMs + WEEK_MS };
	assert.equal(await selfServe.signups.request(mailbox, "192.0.2.0/24", proof, nowMs), "accepted");
	const [{ key, value }] = tables.mails.entries();
	const record = tables.mailboxes.get(mailbox.name);
	assert.ok(record !== undefined);
	const forged = "jo\r\nal@example.com  active\u001b[2J\u009b2J\u202e";
	await access.store.transaction(() => {
		tables.mailboxes.put(forged, record);
		tables.mails.put(key, { ...value, mailbox: forged, said: "550 no\u001b]0;x\u0007\nforged" });
	});
	const { code, stdout } = await runCommandLine("server", ["signups", "list", "--data", dataFolder]);
	assert.equal(code, 0);
	assert.equal(stdout.split("\n").length, 4, stdout);
	assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\u202e]/u);
});
