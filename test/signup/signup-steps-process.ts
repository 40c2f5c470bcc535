/**
 * A process that signs a mailbox up, sends its mail and uses its link, and dies by SIGKILL at one step. Not a
 * test; mail-queue.test.ts starts it. Arguments: data folder, mail server, the step (see `STEPS`).
 */

import { openMailProcess } from "./mail-process.js";
import { ADDRESS, POLICY, type Step } from "./signup-steps.js";

const [, , dataFolder, smtp, step] = process.argv;

/** Dies where this is the step asked for. */
function at(name: Step): void {
	if (name === step) process.kill(process.pid, "SIGKILL");
}

const mails = openMailProcess(dataFolder, smtp, POLICY, {
	onSend: () => at("taken from the queue"),
	onSent: () => at("handed to the mail server"),
});
const nowMs = Date.now();
const proof = { id: String(nowMs), untilMs: nowMs + 60_000 };
await mails.signups.request(
	{ address: ADDRESS, name: ADDRESS, domain: "example.com" },
	"192.0.2.0/24",
	proof,
	nowMs,
);
at("request accepted");
await mails.queue.run();
at("mail settled");
const claiming = mails.signups.claim(mails.token, Date.now());
at("link being used");
await claiming;
at("link used");
