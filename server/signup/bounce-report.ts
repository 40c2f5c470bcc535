/**
 * Reads a bounce: a delivery status notification (RFC 3464), by which a mail server reports later that a mail
 * which it took was not delivered.
 *
 * The only thing believed of it is the id of a mail of this server, which contains what nobody can guess, and
 * whether its delivery failed for good. The mailbox follows from the id.
 */

/** Largest report that is read; the text of the mail that it returns may be in it. */
export const REPORT_BYTES_MAX = 1_000_000;
/** Of what the mail server says, so much is kept. */
const SAID_LENGTH_MAX = 300;

export interface BounceReport {
	/** Id of the mail in the queue. */
	readonly mailId: string;
	/** What the mail server said; null: nothing. */
	readonly said: string | null;
}

/** As in the queue: 15 digits of milliseconds, 12 hexadecimal digits at random. */
const MAIL_ID = /^Message-ID:\s*<(\d{15}-[0-9a-f]{12})@[^>\s]+>\s*$/im;
const FAILED = /^Action:\s*failed\b/im;
/** 5.x.x is for good; 4.x.x ends in a report, too, when a mail server gives up. */
const STATUS = /^Status:\s*[45]\.\d{1,3}\.\d{1,3}/im;
const DIAGNOSTIC = /^Diagnostic-Code:\s*(?:[\w-]+\s*;)?\s*(.+(?:\r?\n[ \t]+.+)*)/im;
const IS_REPORT =
	/^Content-Type:\s*multipart\/report;[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*report-type="?delivery-status"?/im;

/** What `report`, the source of a mail, says of a mail of this server; null: it is no report of a failure of one. */
export function readBounce(report: string): BounceReport | null {
	if (report.length > REPORT_BYTES_MAX) return null;
	const headEnd = report.search(/\r?\n\r?\n/);
	if (headEnd < 0 || !IS_REPORT.test(report.slice(0, headEnd))) return null;
	const body = report.slice(headEnd);
	const mailId = MAIL_ID.exec(body)?.[1];
	if (mailId === undefined || !FAILED.test(body) || !STATUS.test(body)) return null;
	const said =
		DIAGNOSTIC.exec(body)?.[1]
			.replaceAll(/[\p{Cc}\s]+/gu, " ")
			.slice(0, SAID_LENGTH_MAX) ?? null;
	return { mailId, said };
}
