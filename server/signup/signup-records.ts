/**
 * What signup stores, in tables of the store of keys.
 *
 * | table | key | value | removed |
 * |---|---|---|---|
 * | `signup_mailboxes` | name of the mailbox | {@link MailboxRecord} | some time after its key ended, or on request |
 * | `signup_links` | SHA-256 of a link's token, hex | name of the mailbox | when used, replaced or expired |
 * | `signup_mails` | id, in the order of creation | {@link MailRecord} | when sent; failed ones after a week |
 * | `signup_sent` | id of a mail | {@link SentRecord} | a week after it was sent, or when it bounced |
 * | `signup_caps` | day, then what is counted | requests | after the day |
 * | `signup_proofs` | id of a solved challenge | when it expires, ms | when it expired |
 * | `signup_secrets` | name | secret of this installation | never |
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Store } from "../store/store.js";
import type { Table } from "../store/table.js";

const ms = z.int().min(0);

export interface MailboxRecord {
	/** The address of the last request, as typed. */
	readonly address: string;
	readonly first_ms: number;
	readonly last_ms: number;
	/** The newest key of the mailbox; null until the first link is used. */
	readonly key_id: string | null;
	/** The one valid link; `until_ms` is null while its mail waits to be sent. */
	readonly link: { readonly hash: string; readonly until_ms: number | null } | null;
	/** Mails requested on a day, which is counted from 1970. */
	readonly mails: { readonly day: number; readonly count: number };
	/** The key whose expiry reminder was sent. */
	readonly reminded: string | null;
}

const mailboxRecord: z.ZodType<MailboxRecord> = z.strictObject({
	address: z.string(),
	first_ms: ms,
	last_ms: ms,
	key_id: z.string().nullable(),
	link: z.strictObject({ hash: z.string(), until_ms: ms.nullable() }).nullable(),
	mails: z.strictObject({ day: z.int(), count: z.int() }),
	reminded: z.string().nullable(),
});

/**
 * `new`: a link that creates a key. `again`: a link that replaces the text of the live key. `ended`,
 * `suspended`, `converted`: the reason why there is no link. `reminder`: the key expires soon.
 */
const MAIL_KINDS = ["new", "again", "ended", "suspended", "converted", "reminder"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/**
 * `sending` is stored before the mail is handed to the mail server. If the process dies in between, whether the mail
 * was accepted cannot be known, so it becomes `unknown` and is not sent again.
 */
const MAIL_STATES = ["waiting", "sending", "unknown", "bounced", "failed"] as const;
export type MailState = (typeof MAIL_STATES)[number];

export interface MailRecord {
	readonly kind: MailKind;
	/** Name of the mailbox. */
	readonly mailbox: string;
	readonly to: string;
	/** Token of the link; null if there is none. Deleted with the record when the mail is sent. */
	readonly token: string | null;
	readonly key_id: string | null;
	readonly created_ms: number;
	readonly state: MailState;
	readonly attempts: number;
	readonly next_ms: number;
	/** The process that is sending it: its id and its description. */
	readonly sender: { readonly pid: number; readonly process: string } | null;
	/** The last response of the mail server. */
	readonly said: string | null;
}

const mailRecord: z.ZodType<MailRecord> = z.strictObject({
	kind: z.enum(MAIL_KINDS),
	mailbox: z.string(),
	to: z.string(),
	token: z.string().nullable(),
	key_id: z.string().nullable(),
	created_ms: ms,
	state: z.enum(MAIL_STATES),
	attempts: z.int().min(0),
	next_ms: ms,
	sender: z.strictObject({ pid: z.int(), process: z.string() }).nullable(),
	said: z.string().nullable(),
});

/** A mail accepted by a mail server, which may still bounce. */
export interface SentRecord {
	readonly mailbox: string;
	readonly kind: MailKind;
	readonly sent_ms: number;
}

const sentRecord: z.ZodType<SentRecord> = z.strictObject({
	mailbox: z.string(),
	kind: z.enum(MAIL_KINDS),
	sent_ms: ms,
});

/** Signup as shown to the operator. */
export interface SignupSummary {
	readonly mailboxes: number;
	readonly signups_today: number;
	/** The cap on {@link signups_today}. */
	readonly signups_per_day: number;
	/** Trial keys that signup can still create. */
	readonly keys_left: number;
	/** Requests since the process started that were rejected by a cap or for a reused proof of work. */
	readonly refused_by_day: number;
	readonly refused_by_network: number;
	readonly refused_by_proof: number;
	/** The same, since no trial key was left. */
	readonly refused_for_keys: number;
	/** Requests since the process started whose mailbox had reached its limit of mails. */
	readonly unanswered_mailbox: number;
	readonly mails_sent: number;
	readonly mails_waiting: number;
	readonly mails_bounced: number;
	readonly mails_failed: number;
	readonly mails_unknown: number;
}

export interface SignupTables {
	readonly mailboxes: Table<MailboxRecord>;
	readonly links: Table<string>;
	readonly mails: Table<MailRecord>;
	readonly sent: Table<SentRecord>;
	readonly caps: Table<number>;
	readonly proofs: Table<number>;
	readonly secrets: Table<string>;
}

/** The schemas of the tables by name. */
export const SIGNUP_SCHEMAS = {
	signup_mailboxes: mailboxRecord,
	signup_links: z.string(),
	signup_mails: mailRecord,
	signup_sent: sentRecord,
	signup_caps: z.int(),
	signup_proofs: ms,
	signup_secrets: z.string(),
} as const;

/** The tables in `store`, created if missing. */
export function signupTables(store: Store): SignupTables {
	return {
		mailboxes: store.table("signup_mailboxes", SIGNUP_SCHEMAS.signup_mailboxes),
		links: store.table("signup_links", SIGNUP_SCHEMAS.signup_links),
		mails: store.table("signup_mails", SIGNUP_SCHEMAS.signup_mails),
		sent: store.table("signup_sent", SIGNUP_SCHEMAS.signup_sent),
		caps: store.table("signup_caps", SIGNUP_SCHEMAS.signup_caps),
		proofs: store.table("signup_proofs", SIGNUP_SCHEMAS.signup_proofs),
		secrets: store.table("signup_secrets", SIGNUP_SCHEMAS.signup_secrets),
	};
}

/** What is stored of a link's token. */
export function hashOfToken(token: string): string {
	return createHash("sha256").update(token).digest("hex");
}
