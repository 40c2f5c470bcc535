/**
 * A process that signs mailboxes up, sends their mails and claims their keys until it is killed. Not a
 * test; mail-queue.test.ts starts it. Arguments: data folder, mail server, a number for its mailboxes.
 */

import { openMailProcess } from "./mail-process.js";

const [, , dataFolder, smtp, run] = process.argv;
const mails = openMailProcess(dataFolder, smtp, {
	mailboxPerDay: 50,
	networkPerDay: 100_000,
	perDay: 100_000,
	againAfterMs: 0,
});

for (let i = 0; ; i++) {
	const address = `m${run}-${i % 3}@example.com`;
	const nowMs = Date.now();
	const proof = { id: `${run}-${i}`, untilMs: nowMs + 60_000 };
	await mails.signups.request(
		{ address, name: address, domain: "example.com" },
		"192.0.2.0/24",
		proof,
		nowMs,
	);
	await mails.queue.run();
	await mails.signups.claim(mails.token, Date.now());
	process.stdout.write(".");
}
