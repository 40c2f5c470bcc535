/** Records bounces: mails that a mail server accepted and later returned. */

import type { Store } from "../store/store.js";
import type { BounceReport } from "./bounce-report.js";
import type { MailboxRecord, MailRecord, SentRecord, SignupTables } from "./signup-records.js";

/** Marks the mail as bounced; false if the mail is unknown. Errors: those of {@link Store.transaction}. */
export function takeBounce(
	store: Store,
	tables: SignupTables,
	{ mailId, said }: BounceReport,
): Promise<boolean> {
	return store.transaction(() => {
		const sent = tables.sent.get(mailId);
		const mailbox = sent === undefined ? undefined : tables.mailboxes.get(sent.mailbox);
		if (sent === undefined || mailbox === undefined) return false;
		tables.sent.remove(mailId);
		tables.mails.put(mailId, bouncedMail(sent, mailbox, said));
		return true;
	});
}

/** The record of a bounced mail: the same as of one that was refused immediately, with the same retention. */
function bouncedMail(
	{ mailbox, kind, sent_ms }: SentRecord,
	{ address, key_id }: MailboxRecord,
	said: string | null,
): MailRecord {
	return {
		kind,
		mailbox,
		to: address,
		token: null,
		key_id,
		created_ms: sent_ms,
		state: "bounced",
		attempts: 1,
		next_ms: sent_ms,
		sender: null,
		said,
	};
}
