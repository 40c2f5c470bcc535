/**
 * The self-serve port: signup with its mails, and the portal, over the store of keys. One a data folder;
 * it runs in the thread that writes counts, beside those that serve.
 */

import type { Clock } from "./clock.js";
import { urlOfAddress } from "./http/address-url.js";
import { ClientAddresses } from "./http/client-address.js";
import { DAY_MS } from "./limits/windows.js";
import type { Log } from "./log.js";
import type { Access } from "./open-access.js";
import { PageServer } from "./pages/page-server.js";
import { portalRoutes } from "./portal/portal-pages.js";
import type { Scheduler } from "./scheduler.js";
import type { Config } from "./settings/config.js";
import { readDkim } from "./settings/setting-conflicts.js";
import { MailQueue } from "./signup/mail-queue.js";
import { mailText } from "./signup/mail-text.js";
import { ProofOfWork } from "./signup/proof-of-work.js";
import { ownChallengeSecret, type SharedProofs, sharedChallengeSecret } from "./signup/proof-records.js";
import { CLAIM_PATH, signupRoutes } from "./signup/signup-pages.js";
import { type MailRecord, type SignupSummary, signupTables } from "./signup/signup-records.js";
import { Signups } from "./signup/signups.js";
import { smtpSender } from "./signup/smtp.js";

/** Polling interval of the queue. Mails of this process are sent at once. */
const QUEUE_MS = 2_000;
/**
 * Time for mails that are being sent when the server stops. Longer than the timeout of a step (smtp.ts), so that a mail
 * server that is silent from the start leaves no mail `unknown`.
 */
const MAILS_CLOSE_MS = 25_000;
/** How often reminders and what is to be removed are looked for. */
const UPKEEP_MS = 600_000;

export interface SelfServeOptions {
	readonly config: Config;
	readonly access: Access;
	readonly clock: Clock;
	readonly scheduler: Scheduler;
	readonly log: Log;
	/** Where the API listens. */
	readonly apiAddress: string;
	/** What hosts share; null: this host is alone. */
	readonly shared: SharedProofs | null;
}

export class SelfServe {
	/** Where the pages are reached, once they are. */
	private pagesUrl = "";
	private readonly server: PageServer;
	private readonly stops: (() => void)[] = [];
	private ownSecret = "";
	/** Whether challenges are good on every host, as far as they are to be. */
	private isSecretShared = false;

	private constructor(
		private readonly options: SelfServeOptions,
		readonly signups: Signups,
		readonly queue: MailQueue,
		private readonly proof: ProofOfWork,
		private readonly closeMail: () => void,
	) {
		const { config, access, clock, log, apiAddress } = options;
		const apiUrl = config.api_url === "" ? apiAddress : config.api_url;
		const refuseThrowaway = config.signup_refuse_throwaway;
		this.server = new PageServer({
			routes: [
				...signupRoutes({ signups, sendMails: () => this.sendMails(), proof, refuseThrowaway, apiUrl }),
				...portalRoutes({ access, apiUrl }),
			],
			addresses: new ClientAddresses(config.trusted_proxies),
			clock,
			perMinute: config.signup_requests_per_minute,
			onError: (error) => log.error({ err: error }, "the signup port failed to answer"),
		});
	}

	/** REQUIRES: settings without conflicts (setting-conflicts.ts). Errors: those of the store, and the system's. */
	static async open(options: SelfServeOptions): Promise<SelfServe> {
		const { config, access, clock, log } = options;
		const { store } = access;
		const tables = signupTables(store);
		const signups = new Signups(
			store,
			tables,
			{
				mailboxPerDay: config.signup_mailbox_per_day,
				networkPerDay: config.signup_network_per_day,
				perDay: config.signup_per_day,
				againAfterMs: config.signup_again_after_days * DAY_MS,
			},
			options.shared,
		);
		const secret = await ownChallengeSecret(store, tables);
		const sendMail = smtpSender({
			url: config.smtp,
			from: config.mail_from,
			dkim: readDkim(config),
		});
		const deliver = (id: string, mail: MailRecord) => sendMail(id, mail.to, selfServe.textOf(mail));
		const queue = new MailQueue({
			store,
			tables,
			deliver,
			clock,
			onTrouble: (mail, outcome, said) => log.warn({ mail, outcome, said }, "a mail was not delivered"),
		});
		const proof = new ProofOfWork(secret, config.signup_difficulty);
		const selfServe = new SelfServe(options, signups, queue, proof, () => sendMail.close());
		selfServe.ownSecret = secret;
		await selfServe.shareSecret();
		return selfServe;
	}

	/** Resolves to the port. Rejects with ListenError. */
	async listen(): Promise<number> {
		const { config, scheduler } = this.options;
		const { signup_host: host } = config;
		const port = await this.server.listen(host, config.signup_port);
		this.pagesUrl = config.signup_url === "" ? urlOfAddress(host, port) : config.signup_url;
		this.stops.push(scheduler.every(QUEUE_MS, () => this.sendMails()));
		this.stops.push(scheduler.every(UPKEEP_MS, () => this.inBackground(() => this.upkeep())));
		return port;
	}

	/** What the operator sees. Cost: every mailbox is read. */
	summary(): SignupSummary {
		const { bounced, failed, unknown, waiting } = this.queue.counts();
		const { refused } = this.signups;
		return {
			mailboxes: this.signups.list().length,
			signups_today: this.signups.requestsOn(this.options.clock.now()),
			signups_per_day: this.options.config.signup_per_day,
			keys_left: this.signups.keysLeft(),
			refused_by_day: refused.day_full,
			refused_by_network: refused.network_full,
			refused_by_proof: refused.used_proof,
			refused_for_keys: refused.no_keys,
			unanswered_mailbox: refused.mailbox_full,
			mails_sent: this.queue.totals.sent,
			mails_waiting: waiting,
			mails_bounced: bounced,
			mails_failed: failed,
			mails_unknown: unknown,
		};
	}

	private async shareSecret(): Promise<void> {
		const { shared, log } = this.options;
		if (shared === null || this.isSecretShared) return;
		const secret = await sharedChallengeSecret(shared, this.ownSecret, log);
		if (secret === null) return;
		this.proof.useSecret(secret);
		this.isSecretShared = true;
	}

	/** Queues reminders that are due, removes what is no longer needed, and shares what could not be shared before. */
	async upkeep(): Promise<void> {
		await this.shareSecret();
		const nowMs = this.options.clock.now();
		await this.signups.remind(nowMs);
		await this.signups.prune(nowMs);
	}

	async close(): Promise<void> {
		for (const stop of this.stops) stop();
		await Promise.all([this.server.close(), this.queue.close(MAILS_CLOSE_MS, this.closeMail)]);
	}

	private textOf({ kind, token, key_id }: MailRecord) {
		const key = key_id === null ? undefined : this.options.access.store.key(key_id);
		return mailText({
			kind,
			pagesUrl: this.pagesUrl,
			linkPath: token === null ? null : CLAIM_PATH + token,
			endsOn: key?.expires_at?.slice(0, 10) ?? null,
		});
	}

	private sendMails(): void {
		this.inBackground(() => this.queue.run());
	}

	private inBackground(work: () => Promise<void>): void {
		work().catch((error) => this.options.log.error({ err: error }, "signup could not do its upkeep"));
	}
}
