/** The text of each mail, as plain text and as HTML. */

import { escapeHtml } from "../pages/html.js";
import type { MailKind } from "./signup-records.js";

export interface MailText {
	readonly subject: string;
	readonly text: string;
	readonly html: string;
}

export interface MailFacts {
	readonly kind: MailKind;
	/** Base URL of the pages, without a trailing slash: `https://signup.example.com`. */
	readonly pagesUrl: string;
	/** Path of the link; null if the mail has none. */
	readonly linkPath: string | null;
	/** Date on which the key expires, `YYYY-MM-DD`; null if unknown. */
	readonly endsOn: string | null;
}

interface Words {
	readonly subject: string;
	/** Paragraphs before and after the link. */
	readonly before: readonly string[];
	readonly after: readonly string[];
}

const IGNORE = "If you did not request this, ignore this email: nothing will happen.";
const ONCE =
	"The link can be used once, within one hour. It opens a page with a button that shows the key, once.";

function wordsOf({ kind, endsOn, pagesUrl }: MailFacts): Words {
	const until = endsOn === null ? "" : ` It expires on ${endsOn}.`;
	switch (kind) {
		case "new":
			return {
				subject: "Your Rollcall trial key",
				before: ["Open this link to get your trial key:"],
				after: [ONCE, IGNORE],
			};
		case "again":
			return {
				subject: "Your Rollcall trial key",
				before: [
					`This address already has a trial key.${until}`,
					"If you have lost the key, this link replaces it with a new one. The old key then stops working; usage and expiry stay the same:",
				],
				after: [ONCE, IGNORE],
			};
		case "ended":
			return {
				subject: "Your Rollcall trial has ended",
				before: [
					"The trial of this address has ended, so no new trial key was created.",
					"To continue, reply to this email or contact the operator of the service.",
				],
				after: [IGNORE],
			};
		case "suspended":
			return {
				subject: "Your Rollcall key is suspended",
				before: ["The key of this address is suspended. Contact the operator of the service."],
				after: [IGNORE],
			};
		case "converted":
			return {
				subject: "Your Rollcall key",
				before: [
					"The key of this address is no longer a trial key. If you have lost it, contact the operator of the service.",
				],
				after: [IGNORE],
			};
		case "reminder":
			return {
				subject: "Your Rollcall trial ends soon",
				before: [
					`Your trial key expires soon.${until}`,
					`See its usage at ${pagesUrl}/portal. To continue after that, contact the operator of the service.`,
				],
				after: [],
			};
	}
}

/** Composes the mail for `facts`. */
export function mailText(facts: MailFacts): MailText {
	const { subject, before, after } = wordsOf(facts);
	const link = facts.linkPath === null ? null : `${facts.pagesUrl}${facts.linkPath}`;
	const text = [...before, ...(link === null ? [] : [link]), ...after].join("\n\n");
	const paragraph = (words: string) => `<p>${escapeHtml(words)}</p>`;
	const anchor = (href: string) => `<p><a href="${escapeHtml(href)}">${escapeHtml(href)}</a></p>`;
	const body = [
		...before.map(paragraph),
		...(link === null ? [] : [anchor(link)]),
		...after.map(paragraph),
	].join("\n");
	const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>\n<body>\n${body}\n</body></html>\n`;
	return { subject, text: `${text}\n`, html };
}
