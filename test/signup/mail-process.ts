/** A signup with its mail queue over a real store and mail server, in a process that a test kills. */

import { SYSTEM_CLOCK } from "../../server/clock.js";
import { MailQueue } from "../../server/signup/mail-queue.js";
import { mailText } from "../../server/signup/mail-text.js";
import { signupTables } from "../../server/signup/signup-records.js";
import { type SignupPolicy, Signups } from "../../server/signup/signups.js";
import { smtpSender } from "../../server/signup/smtp.js";
import { Store } from "../../server/store/store.js";

export interface MailProcess {
	readonly signups: Signups;
	readonly queue: MailQueue;
	/** Token of the last link that was to be sent; "" before. */
	readonly token: string;
}

/** Opens the store in `dataFolder`. `onSend` and `onSent` run before and after each mail is handed to `smtp`. */
export function openMailProcess(
	dataFolder: string,
	smtp: string,
	policy: SignupPolicy,
	{ onSend = () => {}, onSent = () => {} } = {},
): MailProcess {
	const store = Store.open({ dataFolder, create: true });
	const tables = signupTables(store);
	const send = smtpSender({ url: smtp, from: "keys@example.com", dkim: null });
	let token = "";
	const queue = new MailQueue({
		store,
		tables,
		clock: SYSTEM_CLOCK,
		async deliver(id, mail) {
			token = mail.token ?? token;
			onSend();
			const linkPath = `/${mail.token}`;
			const text = mailText({ kind: mail.kind, pagesUrl: "http://x", linkPath, endsOn: null });
			const delivery = await send(id, mail.to, text);
			onSent();
			return delivery;
		},
		onTrouble: () => undefined,
	});
	return {
		signups: new Signups(store, tables, policy),
		queue,
		get token() {
			return token;
		},
	};
}
