/** A mail server for tests, by smtp-server: it takes mails, or refuses them as a test says, and keeps them. */

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/**
 * What a recipient gets: 0 accepts the mail, a code of 4xx or 5xx refuses it, or it gets no
 * answer: "silence" takes the text and says nothing, "drop" takes it and destroys the connection, "drop-early" destroys
 * the connection before the text.
 */
export type Verdict = 0 | number | "silence" | "drop" | "drop-early";

export interface Received {
	readonly to: readonly string[];
	readonly from: string;
	readonly mail: Email;
	readonly raw: string;
}

export class MailServer {
	readonly received: Received[] = [];
	/** What the next recipients get. */
	verdict: Verdict = 0;
	/** What the next senders get: 0 accepts them. */
	senderVerdict = 0;
	/** Called before a recipient gets its verdict. */
	onRecipient: (() => Promise<void>) | null = null;
	private constructor(
		private readonly server: SMTPServer,
		readonly url: string,
	) {}

	/** Starts a server on a free port; it ends with the test. */
	static async start(t: Pick<TestContext, "after">): Promise<MailServer> {
		let started: MailServer | null = null;
		const server: SMTPServer = new SMTPServer({
			authOptional: true,
			disabledCommands: ["STARTTLS"],
			allowInsecureAuth: true,
			logger: false,
			// No password is right; clients that send none are taken.
			onAuth(_auth, _session, callback) {
				callback(Object.assign(new Error("wrong password"), { responseCode: 535 }));
			},
			onMailFrom(_address, _session, callback) {
				const verdict = started?.senderVerdict ?? 0;
				if (verdict === 0) callback();
				else callback(Object.assign(new Error("not your address"), { responseCode: verdict }));
			},
			async onRcptTo({ address }, _session, callback) {
				await started?.onRecipient?.();
				const verdict = started?.verdict ?? 0;
				if (verdict === "drop-early") started?.destroyConnections();
				else if (typeof verdict !== "number" || verdict === 0) callback();
				else callback(Object.assign(new Error(`<${address}>: no such mailbox`), { responseCode: verdict }));
			},
			onData(stream, session, callback) {
				const chunks: Buffer[] = [];
				stream.on("data", (chunk: Buffer) => chunks.push(chunk));
				stream.on("end", async () => {
					const raw = Buffer.concat(chunks).toString("utf8");
					const mail = await PostalMime.parse(raw);
					const { mailFrom, rcptTo } = session.envelope;
					started?.received.push({
						to: rcptTo.map((r) => r.address),
						from: mailFrom === false ? "" : mailFrom.address,
						mail,
						raw,
					});
					if (started?.verdict === "drop") started.destroyConnections();
					else if (started?.verdict !== "silence") callback();
				});
			},
		});
		server.on("error", () => undefined);
		const listening = server.listen(0, "127.0.0.1");
		await once(listening, "listening");
		started = new MailServer(server, `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`);
		t.after(() => started?.close());
		return started;
	}

	/** Mails to `address`, oldest first. */
	mailsTo(address: string): Received[] {
		return this.received.filter(({ to }) => to.includes(address));
	}

	/** Destroys every connection, without a response. */
	destroyConnections(): void {
		// Not declared by the types of smtp-server, whose own way sends 421 before.
		for (const connection of this.server.connections as Set<{ _socket: Socket }>)
			connection._socket.destroy();
	}

	close(): Promise<void> {
		return new Promise((resolve) => this.server.close(() => resolve()));
	}
}

/** The path of the link in a mail. */
export function linkOf({ mail }: Received): string {
	const found = /https?:\/\/[^\s/]+(\/signup\/claim\/[A-Za-z0-9_-]+)/.exec(mail.text ?? "");
	if (found === null) throw new Error(`no link in the mail: ${mail.text}`);
	return found[1];
}
