/**
 * Reads a bounce: a delivery status notification (RFC 3464), which reports that a mail accepted earlier by a mail
 * server could not be delivered.
 *
 * Anyone can send one, so only two things are read from it: the id of a mail sent by this server, which is
 * unguessable, and whether delivery failed permanently. The mailbox is looked up by the id.
 */

/** Maximum size of a report, which may include the returned mail. */
export const REPORT_BYTES_MAX = 1_000_000;
/** Maximum length of the mail server's diagnostic that is stored. */
const SAID_LENGTH_MAX = 300;

export interface BounceReport {
	/** Id of the mail in the queue. */
	readonly mailId: string;
	/** The mail server's diagnostic; null if it gave none. */
	readonly said: string | null;
}

/** The format of ids in the queue: milliseconds in 15 digits, then 12 random hexadecimal digits. */
const MAIL_ID = /^Message-ID:\s*<(\d{15}-[0-9a-f]{12})@[^>\s]+>\s*$/im;
const FAILED = /^Action:\s*failed\b/im;
/** 5.x.x is permanent; 4.x.x is reported once the mail server stops retrying. */
const STATUS = /^Status:\s*[45]\.\d{1,3}\.\d{1,3}/im;
const DIAGNOSTIC = /^Diagnostic-Code:\s*(?:[\w-]+\s*;)?\s*(.+(?:\r?\n[ \t]+.+)*)/im;
const IS_REPORT =
	/^Content-Type:\s*multipart\/report;[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*report-type="?delivery-status"?/im;

/** Parses `report`, the source of a mail; null unless it reports the failure of a mail sent by this server. */
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
