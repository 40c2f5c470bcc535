/** The queue of mails: retries, bounces, and that no mail is sent twice, whenever a process is killed. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { SYSTEM_CLOCK } from "../../server/clock.js";
import { type Delivery, MailQueue } from "../../server/signup/mail-queue.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { Signups } from "../../server/signup/signups.js";
import { smtpSender } from "../../server/signup/smtp.js";
import { Store } from "../../server/store/store.js";
import { scratchFolder } from "../keys/scratch.js";
import { linkOf, MailServer } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";
import { ADDRESS, POLICY, STEPS } from "./signup-steps.js";

const MINUTE_MS = 60_000;
/** Longer than a delivery takes to begin. */
const SETTLED_MS = 200;
const STEPS_PROCESS = fileURLToPath(new URL("signup-steps-process.js", import.meta.url));
const PROCESS = fileURLToPath(new URL("signup-process.js", import.meta.url));

test("a mail that is refused for now is sent later, with growing waits", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.mail.verdict = 451;
	await signup.signUp("jo@example.com");
	assert.equal(signup.selfServe.queue.counts().waiting, 1);
	await signup.selfServe.queue.run();
	assert.equal(signup.selfServe.queue.totals.deferred, 1, "not before it is due");
	signup.clock.nowMs += MINUTE_MS;
	await signup.selfServe.queue.run();
	assert.equal(signup.selfServe.queue.totals.deferred, 2);
	signup.mail.verdict = 0;
	signup.clock.nowMs += 5 * MINUTE_MS;
	await signup.selfServe.queue.run();
	assert.equal(signup.mail.received.length, 1);
	await signup.claim(linkOf(signup.mail.received[0]));
	assert.deepEqual(signup.selfServe.queue.counts(), {
		waiting: 0,
		sending: 0,
		unknown: 0,
		bounced: 0,
		failed: 0,
	});
});

test("what a mail server says reaches the log without the address that it quotes", async (t) => {
	const mail = await MailServer.start(t);
	mail.verdict = 550;
	const store = Store.open({ dataFolder: scratchFolder(t), create: true });
	t.after(() => store.close());
	const tables = signupTables(store);
	const send = smtpSender({ url: mail.url, from: "keys@example.com", dkim: null });
	const logged: (string | null)[] = [];
	const queue = new MailQueue({
		store,
		tables,
		clock: SYSTEM_CLOCK,
		deliver: (id, { mailbox }) => send(id, mailbox, { subject: "x", text: "x", html: "x" }),
		onTrouble: (_id, _state, said) => logged.push(said),
	});
	const nowMs = Date.now();
	const mailbox = { address: ADDRESS, name: ADDRESS, domain: "example.com" };
	const proof = { id: "1", untilMs: nowMs + MINUTE_MS };
	await new Signups(store, tables, POLICY).request(mailbox, "192.0.2.0/24", proof, nowMs);
	await queue.run();
	assert.deepEqual(logged, ["550 <(address)>: no such mailbox"]);
	assert.match(
		String(tables.mails.entries()[0].value.said),
		new RegExp(`<${ADDRESS}>`),
		"the operator's list",
	);
});

test("the link of a mail that is sent after hours works for an hour from then on", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.mail.verdict = 451;
	await signup.signUp("jo@example.com");
	for (const minutes of [1, 5, 15, 60]) {
		signup.clock.nowMs += minutes * MINUTE_MS;
		await signup.selfServe.queue.run();
	}
	signup.mail.verdict = 0;
	signup.clock.nowMs += 239 * MINUTE_MS;
	await signup.selfServe.upkeep();
	signup.clock.nowMs += MINUTE_MS;
	await signup.selfServe.queue.run();
	signup.clock.nowMs += 59 * MINUTE_MS;
	await signup.selfServe.upkeep();
	await signup.claim(linkOf(signup.mail.received[0]));
});

test("a mail that is refused for good bounces, and one refused for a day fails", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.mail.verdict = 550;
	await signup.signUp("jo@example.com");
	assert.equal(signup.selfServe.queue.counts().bounced, 1);
	const [{ value }] = signupTables(signup.access.store).mails.entries();
	assert.match(String(value.said), /no such mailbox/);
	assert.equal(value.token, null, "a token of no use is not kept");
	signup.mail.verdict = 421;
	await signup.signUp("al@example.com");
	for (let tries = 0; tries < 10; tries++) {
		signup.clock.nowMs += 721 * MINUTE_MS;
		await signup.selfServe.queue.run();
	}
	assert.equal(signup.selfServe.queue.counts().failed, 1);
	assert.equal(signup.mail.received.length, 0);
});

/** One mail waits; once the mail server takes mails again, it is sent alone, and its link works. */
async function claimOneMail(signup: SignupFixture): Promise<void> {
	const { queue } = signup.selfServe;
	assert.equal(queue.counts().waiting, 1);
	signup.mail.verdict = 0;
	signup.clock.nowMs += MINUTE_MS;
	await queue.run();
	assert.equal(signup.mail.received.length, 1);
	await signup.claim(linkOf(signup.mail.received[0]));
}

test("a mail whose link was replaced while it was being sent is not sent again", async (t) => {
	const signup = await SignupFixture.start(t);
	const { queue } = signup.selfServe;
	signup.mail.verdict = 451;
	signup.mail.onRecipient = async () => {
		signup.mail.onRecipient = null;
		await signup.post("/signup", { email: "jo@example.com", altcha: await signup.solution() });
	};
	await signup.signUp("jo@example.com");
	await queue.run();
	await claimOneMail(signup);
});

test("a mail is kept while the mail server refuses the password or the sender", async (t) => {
	const mail = await MailServer.start(t);
	const wrongPassword = mail.url.replace("//", "//keys:wrong@");
	const locked = await SignupFixture.start(t, { smtp: wrongPassword });
	await locked.signUp("jo@example.com");
	assert.equal(locked.selfServe.queue.counts().waiting, 1, "the password is refused");
	const signup = await SignupFixture.start(t);
	signup.mail.senderVerdict = 553;
	await signup.signUp("jo@example.com");
	assert.equal(signup.selfServe.queue.counts().waiting, 1, "the sender is refused");
	signup.mail.senderVerdict = 0;
	signup.clock.nowMs += MINUTE_MS;
	await signup.selfServe.queue.run();
	await signup.claim(linkOf(signup.mail.received[0]));
});

test("of two mails of a mailbox that wait, only the later one, whose link works, is sent", async (t) => {
	const signup = await SignupFixture.start(t);
	signup.mail.verdict = 451;
	await signup.signUp("jo@example.com");
	await signup.signUp("jo@example.com");
	await claimOneMail(signup);
	assert.deepEqual(signupTables(signup.access.store).links.entries(), [], "a link that was used is not kept");
});

/** A queue over a scratch store whose deliveries last until each is released, in the order in which they began. */
function heldQueue(t: TestContext, outcome: Delivery["outcome"]) {
	const store = Store.open({ dataFolder: scratchFolder(t), create: true });
	t.after(() => store.close());
	const tables = signupTables(store);
	const signups = new Signups(store, tables, POLICY);
	const held: (() => void)[] = [];
	const deliver = async () => {
		await new Promise<void>((resolve) => held.push(resolve));
		return { outcome, said: null };
	};
	const newQueue = () =>
		new MailQueue({ store, tables, clock: SYSTEM_CLOCK, deliver, onTrouble: () => undefined });
	const begun = async (count: number) => {
		while (held.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
	};
	const request = async (id: string) => {
		const nowMs = Date.now();
		const mailbox = { address: `m${id}@example.com`, name: `m${id}@example.com`, domain: "example.com" };
		const proof = { id, untilMs: nowMs + MINUTE_MS };
		assert.equal(await signups.request(mailbox, "192.0.2.0/24", proof, nowMs), "accepted");
	};
	return { store, queue: newQueue(), newQueue, held, begun, request };
}

test("a queue that is closed settles the mails being sent and takes no others", async (t) => {
	const { queue, held, begun, request } = heldQueue(t, "unknown");
	for (let i = 0; i < 9; i++) await request(String(i));
	const running = queue.run();
	await begun(4);
	await queue.close(50, () => {
		for (const release of held) release();
	});
	await running;
	await queue.run();
	const { waiting, sending, unknown } = queue.counts();
	assert.deepEqual({ waiting, sending, unknown }, { waiting: 5, sending: 0, unknown: 4 });
});

test("a mail whose outcome cannot be stored is not sent again, and others go on", {
	timeout: MINUTE_MS,
}, async (t) => {
	const { store, queue, held, begun, request } = heldQueue(t, "sent");
	await request("0");
	const running = queue.run();
	await begun(1);
	const full = t.mock.method(store, "transaction", () => Promise.reject(new Error("no space left")));
	held[0]();
	await assert.rejects(running, /no space left/);
	full.mock.restore();
	await request("1");
	// Both list it before either has taken it.
	const others = [queue.run(), queue.run()];
	await begun(2);
	const again = queue.run();
	await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
	assert.deepEqual([queue.counts().unknown, queue.counts().sending], [1, 1]);
	held[1]();
	await Promise.all([...others, again]);
	const { waiting, sending, unknown } = queue.counts();
	assert.deepEqual({ waiting, sending, unknown }, { waiting: 0, sending: 0, unknown: 1 });
	assert.equal(held.length, 2, "each was sent once");
});

test("a mail that two queues over one store have listed is sent by one", async (t) => {
	const { queue, newQueue, held, begun, request } = heldQueue(t, "sent");
	await request("0");
	// Both list it before either has taken it.
	const runs = [queue.run(), newQueue().run()];
	await begun(1);
	await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
	assert.equal(held.length, 1);
	held[0]();
	await Promise.all(runs);
	assert.deepEqual(queue.counts(), { waiting: 0, sending: 0, unknown: 0, bounced: 0, failed: 0 });
});

test("a slow delivery delays no mail that comes later, and four are under way at most", {
	timeout: MINUTE_MS,
}, async (t) => {
	const { queue, held, begun, request } = heldQueue(t, "sent");
	const runs: Promise<void>[] = [];
	const add = async (id: string) => {
		await request(id);
		runs.push(queue.run());
	};
	for (let i = 0; i < 4; i++) {
		await add(String(i));
		await begun(i + 1);
	}
	for (let i = 4; i < 7; i++) await add(String(i));
	await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
	assert.equal(held.length, 4);
	// All but the first.
	for (let i = 1; i < 7; i++) {
		await begun(i + 1);
		held[i]();
	}
	while (queue.totals.sent < 6) await new Promise((resolve) => setTimeout(resolve, 5));
	assert.equal(queue.counts().sending, 1, "the slow one");
	held[0]();
	await Promise.all(runs);
	assert.equal(queue.totals.sent, 7);
	assert.equal(held.length, 7, "each was sent once");
});

test("kill -9 between any two steps loses no key and sends no mail twice", {
	timeout: 200_000,
}, async (t) => {
	const mail = await MailServer.start(t);
	const dataFolder = scratchFolder(t);
	const policy = { mailboxPerDay: 50, networkPerDay: 1_000, perDay: 1_000, againAfterMs: 0 };
	let keys = 0;
	for (let kills = 0; kills < 12; kills++) {
		// The process signs one mailbox up, sends the mail and claims the key, over and over, until it dies.
		const child = spawn(process.execPath, [PROCESS, dataFolder, mail.url, String(kills)], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		await once(child.stdout, "data");
		await new Promise((resolve) => setTimeout(resolve, 30 + kills * 17));
		const exited = once(child, "exit");
		child.kill("SIGKILL");
		await exited;

		const store = Store.open({ dataFolder, create: false });
		const tables = signupTables(store);
		const ids = mail.received.map(({ mail: { messageId } }) => messageId);
		assert.equal(new Set(ids).size, ids.length, "no mail came twice");
		const signups = new Signups(store, tables, policy);
		for (const { record, key } of signups.list())
			if (record.key_id !== null) assert.ok(key !== undefined, "the key of a mailbox is stored");
		const owned = new Set(signups.list().map(({ record }) => record.key_id));
		for (const key of store.keys()) assert.ok(owned.has(key.id), "every key belongs to a mailbox");
		assert.ok(store.keys().length >= keys, "no key is lost");
		keys = store.keys().length;
		await store.close();
	}
	assert.ok(keys > 0, "keys were made between kills");
	assert.ok(mail.received.length > 0);
});

test("kill -9 at each step leaves at most one mail and one key, and the mailbox gets its key when it asks again", async (t) => {
	const mail = await MailServer.start(t);
	for (const step of STEPS) {
		const dataFolder = scratchFolder(t);
		const mailsBefore = mail.received.length;
		const child = spawn(process.execPath, [STEPS_PROCESS, dataFolder, mail.url, step], { stdio: "inherit" });
		const [, signal] = (await once(child, "exit")) as [number | null, string | null];
		assert.equal(signal, "SIGKILL", step);

		const store = Store.open({ dataFolder, create: false });
		const tables = signupTables(store);
		const signups = new Signups(store, tables, POLICY);
		const tokens: string[] = [];
		const queue = new MailQueue({
			store,
			tables,
			clock: SYSTEM_CLOCK,
			deliver: async (_id, { token }) => {
				if (token !== null) tokens.push(token);
				return { outcome: "sent", said: null };
			},
			onTrouble: () => undefined,
		});
		await queue.run();
		const sent = mail.received.length - mailsBefore;
		assert.ok(sent + tokens.length <= 1, `${step}: ${sent} mails before, ${tokens.length} after`);
		if (step === "request accepted") assert.equal(tokens.length, 1, "what was stored is sent");
		if (step === "taken from the queue" || step === "handed to the mail server")
			assert.equal(queue.counts().unknown, 1, `${step}: nobody knows whether it arrived`);
		const keys = store.keys().length;
		assert.ok(step === "link used" ? keys === 1 : keys <= 1, `${step}: ${keys} keys`);

		const nowMs = Date.now();
		const mailbox = { address: ADDRESS, name: ADDRESS, domain: "example.com" };
		const proof = { id: "again", untilMs: nowMs + 60_000 };
		assert.equal(await signups.request(mailbox, "192.0.2.0/24", proof, nowMs), "accepted", step);
		await queue.run();
		const claimed = await signups.claim(tokens[tokens.length - 1], Date.now());
		assert.ok(claimed !== null && claimed !== "no_keys", `${step}: the mailbox asks again and gets its key`);
		assert.equal(claimed.renewed, keys === 1, step);
		assert.equal(store.keys().length, 1, step);
		await store.close();
	}
});
