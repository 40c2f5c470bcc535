/**
 * Sends mail over SMTP and classifies the mail server's response. The only file that imports nodemailer.
 */

import { createTransport } from "nodemailer";
import type { Delivery } from "./mail-queue.js";
import type { MailText } from "./mail-text.js";

/** Timeout of each step of a delivery, in milliseconds. */
const TIMEOUT_MS = 20_000;
/** Maximum length of a mail server's response that is stored. */
const SAID_LENGTH_MAX = 300;

export interface SmtpOptions {
	/** Timeout of each step of a delivery, in milliseconds; absent: {@link TIMEOUT_MS}. */
	readonly timeoutMs?: number;
	/** `smtp://[user:password@]host[:port]`, or `smtps://` for TLS from the first byte. */
	readonly url: string;
	/** Sender: an address, or `Name <address>`. */
	readonly from: string;
	/** Signs mails with DKIM; null to leave signing to the mail server. */
	readonly dkim: { readonly domain: string; readonly selector: string; readonly privateKey: string } | null;
}

/** Sends one mail under a fixed id. Never rejects. */
export type SendMail = (id: string, to: string, text: MailText) => Promise<Delivery>;

/** Properties that nodemailer adds to errors. */
interface SmtpError extends Error {
	readonly code?: string;
	readonly command?: string;
	readonly responseCode?: number;
	readonly response?: string;
}

/** A sender that uses the mail server of `options`. `close` ends its connections, as if the mail server had. */
export function smtpSender({
	url,
	from,
	dkim,
	timeoutMs = TIMEOUT_MS,
}: SmtpOptions): SendMail & { close(): void } {
	const transport = createTransport({
		url,
		connectionTimeout: timeoutMs,
		greetingTimeout: timeoutMs,
		socketTimeout: timeoutMs,
		disableFileAccess: true,
		disableUrlAccess: true,
		...(dkim === null
			? {}
			: {
					dkim: {
						domainName: dkim.domain,
						keySelector: dkim.selector,
						privateKey: dkim.privateKey,
					},
				}),
	} as Parameters<typeof createTransport>[0]);
	/** Ids of mails whose text was read to its end, by the connection that sends it: the server may have it. */
	const handedOver = new Set<string>();
	transport.use("stream", ({ data, message }, done) => {
		// The connection reads the stream once the server has accepted DATA, and then sends the final dot.
		const open = message.createReadStream.bind(message);
		message.createReadStream = (options) => {
			const stream = open(options);
			stream.once("end", () => handedOver.add(String(data.messageId)));
			return stream;
		};
		done();
	});
	const closing = new AbortController();
	const domain = /@([^>\s]+)>?$/.exec(from)?.[1] ?? "localhost";
	const send = async (id: string, to: string, { subject, text, html }: MailText): Promise<Delivery> => {
		const messageId = `<${id}@${domain}>`;
		try {
			const { response } = (await transport.sendMail({
				from,
				// As an object, so that an address is never parsed as a list of addresses.
				to: { name: "", address: to },
				subject,
				text,
				html,
				messageId,
				signal: closing.signal,
				headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
			})) as { response?: string };
			return { outcome: "sent", said: short(response) };
		} catch (error) {
			return failureOf(error as SmtpError, handedOver.has(messageId));
		} finally {
			handedOver.delete(messageId);
		}
	};
	return Object.assign(send, { close: () => closing.abort() });
}

/**
 * Classifies an error: only a 5xx response to the recipient or the text is permanent. The outcome is unknown without a
 * response where the server may have the whole text, however the connection ended. A 5xx before the recipient
 * (greeting, password, sender) is about the operator's settings.
 */
function failureOf(error: SmtpError, isHandedOver: boolean): Delivery {
	const said = short(error.response ?? error.message);
	const { code, command, responseCode } = error;
	if (responseCode !== undefined) {
		const isAboutMail = command === "RCPT TO" || command === "DATA";
		return { outcome: responseCode >= 500 && isAboutMail ? "bounced" : "deferred", said };
	}
	if (isHandedOver) return { outcome: "unknown", said };
	return { outcome: code === "EENVELOPE" || code === "EMESSAGE" ? "bounced" : "deferred", said };
}

function short(text: string | undefined): string | null {
	return text === undefined ? null : text.replaceAll(/\p{Cc}+/gu, " ").slice(0, SAID_LENGTH_MAX);
}
