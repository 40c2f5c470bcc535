/**
 * Signup: a visitor requests a key for a mailbox, a link is mailed there, and opening it creates a trial key and
 * shows it.
 *
 * ```
 * request ─▶ link, queued mail ─▶ mail sent: the link is good for an hour ─▶ claim ─▶ key shown once
 * ```
 *
 * Invariants:
 * - A mailbox has at most one live trial key. A link used while it has one replaces the text of that key, so that
 *   a key whose text was lost remains usable.
 * - Each step is one transaction over the records it changes: link and mail, or key and mailbox.
 * - A request reveals nothing about a mailbox: only the mail says whether it has a key.
 * - A token is stored as its hash, and in the queue until its mail is sent.
 */

import { randomBytes } from "node:crypto";
import type { KeyRecord } from "../keys/key.js";
import { effectiveStatus } from "../keys/key-of-record.js";
import { createKeyNow, type KeyWithText, revokeKeyNow, rotateKeyNow } from "../keys/lifecycle.js";
import { DAY_MS, dayOf } from "../limits/windows.js";
import { MAX_KEYS } from "../store/record-checks.js";
import type { Store } from "../store/store.js";
import type { Mailbox } from "./mailbox.js";
import type { SolvedChallenge } from "./proof-of-work.js";
import type { SharedProofs } from "./proof-records.js";
import { type CapFault, countRequest, requestsOfDay, type SignupCaps } from "./signup-caps.js";
import {
	hashOfToken,
	type MailboxRecord,
	type MailKind,
	type MailRecord,
	type SignupTables,
} from "./signup-records.js";

/** Time before a trial's expiry at which the reminder is sent. */
const REMINDER_MS = 3 * DAY_MS;
/** Retention of failed mails and of the records that bounces are matched with. */
const FAILED_MAIL_MS = 7 * DAY_MS;
/** Retention of a mailbox whose link was never used. */
const UNUSED_MAILBOX_MS = 30 * DAY_MS;

/** Keys of a store that signup leaves for the operator to create: whoever signs up for months cannot use them up. */
const RESERVED_KEYS = MAX_KEYS / 8;

const ACTOR = "signup";

export interface SignupPolicy extends SignupCaps {
	/** Mails to one mailbox a day. */
	readonly mailboxPerDay: number;
	/** Time from the end of a mailbox's trial until it may start another, in milliseconds. */
	readonly againAfterMs: number;
}

/** `no_keys`: none is left for signup. `unavailable`: it is currently unknown whether the proof was used on another host. */
export type RequestOutcome = "accepted" | "used_proof" | CapFault | "no_keys" | "unavailable";

export interface Claimed extends KeyWithText {
	/** Whether the text of an existing key was replaced. */
	readonly renewed: boolean;
}

export class Signups {
	/** Requests rejected since the process started, by reason; `mailbox_full`: the mailbox had its mails of the day. */
	readonly refused = { used_proof: 0, network_full: 0, day_full: 0, mailbox_full: 0, no_keys: 0 };

	constructor(
		private readonly store: Store,
		private readonly tables: SignupTables,
		private readonly policy: SignupPolicy,
		/** Null if this host alone serves signup. */
		private readonly shared: SharedProofs | null = null,
	) {}

	/** One request with its solved challenge. Errors: those of {@link Store.transaction}. */
	async request(
		mailbox: Mailbox,
		network: string,
		proof: SolvedChallenge,
		nowMs: number,
	): Promise<RequestOutcome> {
		const elsewhere = await this.usedElsewhere(proof, nowMs);
		if (elsewhere !== null) return elsewhere;
		return this.store.transaction(() => {
			const { proofs } = this.tables;
			const used = proofs.get(proof.id) !== undefined;
			const refusal = used ? "used_proof" : (this.roomFault() ?? this.capFault(network, nowMs));
			if (refusal !== null) {
				this.refused[refusal]++;
				return refusal;
			}
			proofs.put(proof.id, proof.untilMs);
			this.queueLink(mailbox, nowMs);
			return "accepted";
		});
	}

	/** Reserves the proof among all hosts; null if no other host has: whether this one has used it, its own records say. */
	private async usedElsewhere(
		{ id, untilMs }: SolvedChallenge,
		nowMs: number,
	): Promise<"used_proof" | "unavailable" | null> {
		if (this.shared === null || this.tables.proofs.get(id) !== undefined) return null;
		try {
			if (await this.shared.reserve(`signup-${id}`, untilMs - nowMs)) return null;
		} catch {
			// The connection to the shared store logs its own errors.
			return "unavailable";
		}
		this.refused.used_proof++;
		return "used_proof";
	}

	/** Whether `token` belongs to a valid link. */
	isGood(token: string, nowMs: number): boolean {
		return this.findLink(token, nowMs) !== null;
	}

	/** Number of keys that signup can still create. */
	keysLeft(): number {
		return Math.max(0, this.store.freeSlots() - RESERVED_KEYS);
	}

	/** Whether none is left. Refuses known mailboxes too, or the answer would tell which they are. */
	private roomFault(): "no_keys" | null {
		return this.keysLeft() === 0 ? "no_keys" : null;
	}

	/** Counts a request unless it exceeds a cap, which is returned. */
	private capFault(network: string, nowMs: number): CapFault | null {
		return countRequest(this.tables.caps, this.policy, network, dayOf(nowMs));
	}

	/**
	 * Uses a link: creates the key, or replaces the text of the live one. Null for an invalid link; `no_keys` where none
	 * is left, and the link stays valid.
	 */
	claim(token: string, nowMs: number): Promise<Claimed | "no_keys" | null> {
		return this.store.transaction(() => {
			const found = this.findLink(token, nowMs);
			if (found === null) return null;
			const { name, record, key } = found;
			if (key === undefined && this.keysLeft() === 0) return "no_keys";
			const actor = { by: ACTOR, nowMs };
			const scope = { geography: null, columns: null, history: { mode: "latest" } } as const;
			const trial = { tier: "trial", name: "self-serve trial", scope, rate_limits: {} } as const;
			const made =
				key === undefined
					? createKeyNow(this.store, trial, actor)
					: rotateKeyNow(this.store, key.id, 0, actor);
			this.tables.links.remove(hashOfToken(token));
			this.tables.mailboxes.put(name, { ...record, key_id: made.record.id, link: null });
			return { ...made, renewed: key !== undefined };
		});
	}

	/** Queues the reminders that are due. Returns how many. */
	remind(nowMs: number): Promise<number> {
		return this.store.transaction(() => {
			let reminders = 0;
			for (const { key: name, value: record } of this.tables.mailboxes.entries()) {
				const key = this.keyOf(record);
				if (key?.expires_at == null || record.reminded === key.id) continue;
				if (standingOf(key, nowMs) !== "live" || Date.parse(key.expires_at) - nowMs > REMINDER_MS) continue;
				this.queueMail("reminder", name, record.address, null, key.id, nowMs);
				this.tables.mailboxes.put(name, { ...record, reminded: key.id });
				reminders++;
			}
			return reminders;
		});
	}

	/** Deletes expired records. Returns their number. */
	prune(nowMs: number): Promise<number> {
		return this.store.transaction(() => {
			const { mailboxes, links, mails, sent, caps, proofs } = this.tables;
			const records = mailboxes.entries();
			const keys = (entries: readonly { key: string }[]) => entries.map(({ key }) => key);
			const stale: [{ remove(key: string): void }, string[]][] = [
				[caps, keys(caps.entries({ end: String(dayOf(nowMs)) }))],
				[proofs, keys(proofs.entries().filter(({ value }) => value <= nowMs))],
				[mails, keys(mails.entries().filter(({ value }) => isStale(value, nowMs)))],
				[sent, keys(sent.entries().filter(({ value }) => value.sent_ms + FAILED_MAIL_MS <= nowMs))],
				[links, records.flatMap(({ value }) => this.staleLink(value, nowMs))],
				[mailboxes, keys(records.filter(({ value }) => this.isForgettable(value, nowMs)))],
			];
			for (const [table, found] of stale) for (const key of found) table.remove(key);
			return stale.reduce((sum, [, found]) => sum + found.length, 0);
		});
	}

	/** The hash of a mailbox's link if the link has expired. */
	private staleLink(record: MailboxRecord, nowMs: number): string[] {
		const { link } = record;
		if (link === null) return [];
		const over = link.until_ms !== null && link.until_ms <= nowMs;
		return over || this.isForgettable(record, nowMs) ? [link.hash] : [];
	}

	/** Requests accepted on the day of `nowMs`. */
	requestsOn(nowMs: number): number {
		return requestsOfDay(this.tables.caps, dayOf(nowMs));
	}

	/** All mailboxes with their keys. */
	list(): { name: string; record: MailboxRecord; key: KeyRecord | undefined }[] {
		return this.tables.mailboxes
			.entries()
			.map(({ key: name, value: record }) => ({ name, record, key: this.keyOf(record) }));
	}

	/** Deletes everything stored about a mailbox and revokes its trial key; false if nothing is stored. */
	forget({ name }: Mailbox, by: string, nowMs: number): Promise<boolean> {
		return this.store.transaction(() => {
			const { mailboxes, links, mails, sent } = this.tables;
			for (const { key, value } of sent.entries()) if (value.mailbox === name) sent.remove(key);
			const queued = mails.entries().filter(({ value }) => value.mailbox === name);
			for (const { key } of queued) mails.remove(key);
			const record = mailboxes.get(name);
			if (record === undefined) return queued.length > 0;
			if (record.link !== null) links.remove(record.link.hash);
			mailboxes.remove(name);
			const key = this.keyOf(record);
			if (key?.tier === "trial" && key.status !== "revoked") revokeKeyNow(this.store, key.id, { by, nowMs });
			return true;
		});
	}

	/** Queues the mail for a request, unless the mailbox has reached its daily limit. */
	private queueLink({ name, address }: Mailbox, nowMs: number): void {
		const { mailboxes, links, mails } = this.tables;
		const day = dayOf(nowMs);
		const old = mailboxes.get(name);
		const sent = old?.mails.day === day ? old.mails.count : 0;
		if (sent >= this.policy.mailboxPerDay) {
			this.refused.mailbox_full++;
			return;
		}
		const kind = this.kindOf(old, nowMs);
		const token = kind === "new" || kind === "again" ? randomBytes(24).toString("base64url") : null;
		if (old?.link != null) links.remove(old.link.hash);
		// A queued mail contains the previous link, which is no longer valid.
		for (const { key, value } of mails.entries())
			if (value.mailbox === name && value.state === "waiting" && value.token !== null) mails.remove(key);
		if (token !== null) links.put(hashOfToken(token), name);
		mailboxes.put(name, {
			address,
			first_ms: old?.first_ms ?? nowMs,
			last_ms: nowMs,
			key_id: old?.key_id ?? null,
			link: token === null ? null : { hash: hashOfToken(token), until_ms: null },
			mails: { day, count: sent + 1 },
			reminded: old?.reminded ?? null,
		});
		this.queueMail(kind, name, address, token, old?.key_id ?? null, nowMs);
	}

	private kindOf(record: MailboxRecord | undefined, nowMs: number): MailKind {
		const key = record === undefined ? undefined : this.keyOf(record);
		if (key === undefined) return "new";
		const standing = standingOf(key, nowMs);
		if (standing === "live") return "again";
		if (standing !== "ended") return standing;
		return nowMs < endOf(key, record as MailboxRecord) + this.policy.againAfterMs ? "ended" : "new";
	}

	private queueMail(
		kind: MailKind,
		mailbox: string,
		to: string,
		token: string | null,
		key_id: string | null,
		nowMs: number,
	): void {
		const id = `${String(nowMs).padStart(15, "0")}-${randomBytes(6).toString("hex")}`;
		const mail: MailRecord = {
			kind,
			mailbox,
			to,
			token,
			key_id,
			created_ms: nowMs,
			state: "waiting",
			attempts: 0,
			next_ms: nowMs,
			sender: null,
			said: null,
		};
		this.tables.mails.put(id, mail);
	}

	/**
	 * What a valid link stands for; `key`: the live key whose text it replaces. One from before its key was revoked, suspended
	 * or converted is not valid: it would make another trial.
	 */
	private findLink(token: string, nowMs: number) {
		const hash = hashOfToken(token);
		const name = this.tables.links.get(hash);
		const record = name === undefined ? undefined : this.tables.mailboxes.get(name);
		if (name === undefined || record?.link?.hash !== hash) return null;
		const kind = nowMs < (record.link.until_ms ?? 0) ? this.kindOf(record, nowMs) : null;
		if (kind !== "new" && kind !== "again") return null;
		return { name, record, key: kind === "again" ? this.keyOf(record) : undefined };
	}

	private keyOf(record: MailboxRecord): KeyRecord | undefined {
		return record.key_id === null ? undefined : this.store.key(record.key_id);
	}

	private isForgettable(record: MailboxRecord, nowMs: number): boolean {
		const key = this.keyOf(record);
		if (key === undefined) return record.last_ms + UNUSED_MAILBOX_MS <= nowMs;
		if (standingOf(key, nowMs) !== "ended") return false;
		return endOf(key, record) + Math.max(this.policy.againAfterMs, UNUSED_MAILBOX_MS) <= nowMs;
	}
}

function isStale(mail: MailRecord, nowMs: number): boolean {
	return mail.state !== "sending" && mail.created_ms + FAILED_MAIL_MS <= nowMs;
}

/** The state of a mailbox's key; the text of a `live` one can be replaced. */
function standingOf(key: KeyRecord, nowMs: number): "live" | "ended" | "suspended" | "converted" {
	const status = effectiveStatus(key, nowMs);
	if (status === "revoked" || status === "expired") return "ended";
	if (key.tier !== "trial") return "converted";
	return status === "suspended" ? "suspended" : "live";
}

/** When a key ended: its expiry, which for a revoked key is the latest possible time. */
function endOf(key: KeyRecord, record: MailboxRecord): number {
	return key.expires_at === null ? record.last_ms : Date.parse(key.expires_at);
}
