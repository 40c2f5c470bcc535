/**
 * Masking of contact columns (docs/API.md §4): the same text in JSON, CSV, NDJSON, history and tool
 * results.
 *
 * E-mail: the first character of the part before the last `@` and of the part after it, and the last
 * label: `john.smith@mail.example.com` becomes `j***@m***.com`. A last label that is not a word (a
 * letter, then letters, digits and hyphens) is masked too, since cells hold more than addresses:
 * `j@x.org, tel. 555-1234`. Without `@`, the first character. Phone: the last two digits: `(555)
 * 123-4567` becomes `***67`; `***` if there are two digits or fewer.
 */

const LAST_LABEL = /\.\p{L}[\p{L}\p{N}-]*$/u;

/** The masked form of an e-mail address. */
export function maskEmail(email: string): string {
	const at = email.lastIndexOf("@");
	if (at === -1) return `${firstCharacter(email)}***`;
	const domain = email.slice(at + 1);
	const label = LAST_LABEL.exec(domain)?.[0] ?? "";
	return `${firstCharacter(email.slice(0, at))}***@${firstCharacter(domain)}***${label}`;
}

/** The masked form of a phone number. */
export function maskPhone(phone: string): string {
	const digits = phone.replaceAll(/\D/g, "");
	return digits.length > 2 ? `***${digits.slice(-2)}` : "***";
}

function firstCharacter(text: string): string {
	const code = text.codePointAt(0);
	return code === undefined ? "" : String.fromCodePoint(code);
}
