/**
 * The mail queue: each mail is stored in the transaction of its cause, and sent with retries and exponential
 * back-off.
 *
 * Invariant: no mail is sent twice. A mail is stored as `sending` before it is handed over; one whose
 * process died, whose outcome could not be stored, or whose mail server stopped answering after it had received the
 * text, becomes `unknown` and is not retried. Its mailbox can ask again.
 */

import { describeThisProcess, isRunning } from "../../formats/index.js";
import type { Clock } from "../clock.js";
import type { Store } from "../store/store.js";
import { hashOfToken, type MailRecord, type MailState, type SignupTables } from "./signup-records.js";

/** Lifetime of a link, from when its mail was handed to the mail server. */
const LINK_LIFETIME_MS = 3_600_000;
/** Delays after the first, second, … failure; after the last the mail has failed. */
const RETRY_AFTER_MS = [1, 5, 15, 60, 240, 480, 720].map((minutes) => minutes * 60_000);
/** Mail servers quote the recipient in refusals, as it was or as they forward it. */
const ADDRESS = /[^\s<>"(),:;[\]]+@[^\s<>"(),:;[\]]+/g;
/** Mails sent concurrently. */
const CONCURRENCY = 4;

/** Result of a delivery: `bounced` was refused permanently, `deferred` temporarily, `unknown` may have arrived. */
export interface Delivery {
	readonly outcome: "sent" | "bounced" | "deferred" | "unknown";
	/** The mail server's response; null if there was none. */
	readonly said: string | null;
}

/** Hands a mail to a mail server. Never rejects. */
export type Deliver = (id: string, mail: MailRecord) => Promise<Delivery>;

export interface MailQueueOptions {
	readonly store: Store;
	readonly tables: SignupTables;
	readonly deliver: Deliver;
	readonly clock: Clock;
	/** Called for mails that were not delivered, for the log; passes no address. */
	readonly onTrouble: (id: string, state: MailState | "deferred", said: string | null) => void;
}

export class MailQueue {
	/** Mails delivered and failed since the process started. */
	readonly totals = { sent: 0, bounced: 0, failed: 0, unknown: 0, deferred: 0 };
	/** Mails that are due and not begun, oldest first. */
	private readonly due = new Set<string>();
	/** Mails that this process has taken and not settled, from before they are stored as `sending`. */
	private readonly inFlight = new Set<string>();
	/** Each sends mails that are due until none is left. */
	private readonly senders = new Set<Promise<void>>();
	/** Senders that may take another mail; at most {@link CONCURRENCY}. */
	private taking = 0;
	private closed = false;

	constructor(private readonly options: MailQueueOptions) {}

	/**
	 * Sends the mails that are due, beside those that are being sent: a slow delivery delays no others while fewer than
	 * {@link CONCURRENCY} are under way. Resolves when all are sent, those too that became due meanwhile.
	 */
	async run(): Promise<void> {
		await this.recover();
		const { tables, clock } = this.options;
		for (const { key, value } of tables.mails.entries())
			if (isDue(value, clock.now()) && !this.inFlight.has(key)) this.due.add(key);
		for (let more = this.due.size; more > 0 && this.taking < CONCURRENCY; more--) this.startSender();
		await Promise.all(this.senders);
	}

	/**
	 * Takes no more mails: those that wait are sent by the next process. Resolves once those being sent are settled;
	 * calls `abort` if they are not after `maxMs`.
	 */
	async close(maxMs: number, abort: () => void): Promise<void> {
		this.closed = true;
		const timer = setTimeout(abort, maxMs);
		// Their errors are reported by whoever called run().
		await Promise.allSettled(this.senders);
		clearTimeout(timer);
	}

	/** Mails by state. */
	counts(): Readonly<Record<MailState, number>> {
		const counts = { waiting: 0, sending: 0, unknown: 0, bounced: 0, failed: 0 };
		for (const { value } of this.options.tables.mails.entries()) counts[value.state]++;
		return counts;
	}

	private startSender(): void {
		const sender = this.sendDue().finally(() => this.senders.delete(sender));
		this.senders.add(sender);
	}

	private async sendDue(): Promise<void> {
		this.taking++;
		try {
			for (const id of this.due) {
				if (this.closed) return;
				this.due.delete(id);
				await this.send(id);
			}
		} finally {
			this.taking--;
		}
	}

	/** Mails whose process died while sending them, or could not store the outcome, become `unknown`. */
	private async recover(): Promise<void> {
		const { store, tables } = this.options;
		const lost = tables.mails.entries().filter(({ key, value }) => this.isLost(key, value));
		if (lost.length === 0) return;
		await store.transaction(() => {
			for (const { key } of lost) {
				// It may have been settled since it was listed.
				const mail = tables.mails.get(key);
				if (mail === undefined || !this.isLost(key, mail)) continue;
				tables.mails.put(key, { ...mail, state: "unknown", token: null, sender: null });
				this.totals.unknown++;
			}
		});
	}

	/** Whether a mail is stored as `sending`, which is while it has a sender, and nobody is sending it. */
	private isLost(id: string, { sender }: MailRecord): boolean {
		if (sender === null) return false;
		if (sender.process === describeThisProcess()) return !this.inFlight.has(id);
		return !isRunning(sender.pid, (description) => description === sender.process);
	}

	private async send(id: string): Promise<void> {
		this.inFlight.add(id);
		try {
			const mail = await this.take(id);
			if (mail === null) return;
			const { outcome, said } = await this.options.deliver(id, mail);
			if (outcome !== "sent") this.options.onTrouble(id, outcome, withoutAddresses(said));
			await this.options.store.transaction(() => this.settle(id, mail, outcome, said));
		} finally {
			this.inFlight.delete(id);
		}
	}

	/** Marks a mail that is due as being sent and starts the lifetime of its link; null if it was taken since it was listed. */
	private take(id: string): Promise<MailRecord | null> {
		const { store, tables, clock } = this.options;
		return store.transaction(() => {
			const mail = tables.mails.get(id);
			if (mail === undefined || !isDue(mail, clock.now())) return null;
			const sender = { pid: process.pid, process: describeThisProcess() };
			const taken: MailRecord = { ...mail, state: "sending", attempts: mail.attempts + 1, sender };
			tables.mails.put(id, taken);
			this.setLinkEnd(mail, clock.now() + LINK_LIFETIME_MS);
			return taken;
		});
	}

	/** Sets until when the link of `mail` is valid; false if that link was replaced meanwhile. */
	private setLinkEnd(mail: MailRecord, until_ms: number | null): boolean {
		const { mailboxes } = this.options.tables;
		if (mail.token === null) return true;
		const mailbox = mailboxes.get(mail.mailbox);
		if (mailbox?.link?.hash !== hashOfToken(mail.token)) return false;
		mailboxes.put(mail.mailbox, { ...mailbox, link: { ...mailbox.link, until_ms } });
		return true;
	}

	private settle(id: string, mail: MailRecord, outcome: Delivery["outcome"], said: string | null): void {
		const { tables, clock } = this.options;
		// Records deleted in the meantime stay deleted.
		if (tables.mails.get(id) === undefined) return;
		this.totals[outcome]++;
		if (outcome === "sent") {
			tables.mails.remove(id);
			tables.sent.put(id, { mailbox: mail.mailbox, kind: mail.kind, sent_ms: clock.now() });
			return;
		}
		const wait = RETRY_AFTER_MS[mail.attempts - 1];
		if (outcome === "deferred" && wait !== undefined) {
			// The lifetime of a link that nobody has yet does not run, and one that was replaced is not mailed.
			if (!this.setLinkEnd(mail, null)) tables.mails.remove(id);
			else
				tables.mails.put(id, { ...mail, state: "waiting", next_ms: clock.now() + wait, sender: null, said });
			return;
		}
		const state = outcome === "deferred" ? "failed" : outcome;
		if (outcome === "deferred") this.totals.failed++;
		tables.mails.put(id, { ...mail, state, token: null, sender: null, said });
	}
}

function isDue({ state, next_ms }: MailRecord, nowMs: number): boolean {
	return state === "waiting" && next_ms <= nowMs;
}

function withoutAddresses(said: string | null): string | null {
	return said?.replaceAll(ADDRESS, "(address)") ?? null;
}
