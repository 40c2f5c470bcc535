/**
 * A process that signs a mailbox up, sends its mail and uses its link, and dies by SIGKILL at one step. Not a
 * test; mail-queue.test.ts starts it. Arguments: data folder, mail server, the step (see {@link STEPS}).
 */

import { SYSTEM_CLOCK } from "../../server/clock.js";
import { MailQueue } from "../../server/signup/mail-queue.js";
import { mailText } from "../../server/signup/mail-text.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { Signups } from "../../server/signup/signups.js";
import { smtpSender } from "../../server/signup/smtp.js";
import { Store } from "../../server/store/store.js";
import { ADDRESS, POLICY, type Step } from "./signup-steps.js";

const [, , dataFolder, smtp, step] = process.argv;

/** Dies where this is the step asked for. */
function at(name: Step): void {
	if (name === step) process.kill(process.pid, "SIGKILL");
}

const store = Store.open({ dataFolder, create: true });
const tables = signupTables(store);
const signups = new Signups(store, tables, POLICY);
const send = smtpSender({ url: smtp, from: "keys@example.com", dkim: null });
let token = "";
const queue = new MailQueue({
	store,
	tables,
	clock: SYSTEM_CLOCK,
	async deliver(id, mail) {
		token = mail.token ?? token;
		at("taken from the queue");
		const text = mailText({
			kind: mail.kind,
			pagesUrl: "http://x",
			linkPath: `/${mail.token}`,
			endsOn: null,
		});
		const delivery = await send(id, mail.to, text);
		at("handed to the mail server");
		return delivery;
	},
	onTrouble: () => undefined,
});
const nowMs = Date.now();
const proof = { id: String(nowMs), untilMs: nowMs + 60_000 };
await signups.request(
	{ address: ADDRESS, name: ADDRESS, domain: "example.com" },
	"192.0.2.0/24",
	proof,
	nowMs,
);
at("request accepted");
await queue.run();
at("mail settled");
const claiming = signups.claim(token, Date.now());
at("link being used");
await claiming;
at("link used");
