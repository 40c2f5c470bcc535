/**
 * E-mail addresses: which are accepted, where mail is sent, and which belong to the same mailbox.
 *
 * Addresses of one mailbox have one name: case, quotation marks, the +tag, and what providers ignore (dots at
 * Gmail, which of its domains is written, what precedes the @ at a user's subdomain) do not count. Mail is sent to the
 * address as it was typed.
 */

import { createRequire } from "node:module";
import { domainToASCII } from "node:url";
import validator from "validator";

/** The longest address that SMTP can deliver to, in characters. */
const ADDRESS_LENGTH_MAX = 254;

/** Domains whose mailboxes are those of another domain of their provider, which names them. */
const SAME_MAILBOXES: ReadonlyMap<string, string> = new Map([
	["pm.me", "proton.me"],
	["protonmail.com", "proton.me"],
	["protonmail.ch", "proton.me"],
	["me.com", "icloud.com"],
	["mac.com", "icloud.com"],
]);

/** Separators within user names, by the domains whose provider ignores them. */
const IGNORED_SEPARATORS: ReadonlyMap<string, RegExp> = new Map([["proton.me", /[._-]/g]]);

/** Domains whose users have one of their own below: whatever@jo.fastmail.com is jo@fastmail.com. */
const USER_SUBDOMAIN = /^([^.]+)\.(fastmail\.(?:com|fm))$/;

/** What does not show in an address: control characters, those of no width, and spaces but U+0020. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u;

export interface Mailbox {
	/** The address that mail is sent to: as typed, with the domain in ASCII. */
	readonly address: string;
	/** Equal for all addresses of the mailbox. */
	readonly name: string;
	readonly domain: string;
}

/** Parses an address; null if `text` is not one. Cost: microseconds. */
export function readMailbox(text: string): Mailbox | null {
	const trimmed = text.trim().normalize("NFC");
	const at = trimmed.lastIndexOf("@");
	if (at < 1 || trimmed.length > ADDRESS_LENGTH_MAX) return null;
	// Quoted, most of these would be valid. Addresses are shown on terminals, and no mailbox needs them.
	if (UNSEEN.test(trimmed.slice(0, at))) return null;
	const domain = domainToASCII(trimmed.slice(at + 1));
	const address = `${trimmed.slice(0, at)}@${domain}`;
	if (domain === "" || address.length > ADDRESS_LENGTH_MAX) return null;
	if (!validator.isEmail(address, { allow_utf8_local_part: true })) return null;
	return { address, name: nameOf(unquoted(trimmed.slice(0, at)), domain), domain };
}

/** A local part without quotation marks and backslashes, which mean nothing by themselves (RFC 5321 §4.1.2). */
function unquoted(local: string): string {
	return local.startsWith('"') ? local.slice(1, -1).replaceAll(/\\(.)/g, "$1") : local;
}

function nameOf(local: string, domain: string): string {
	const normal = validator.normalizeEmail(`${local}@${domain}`, {
		gmail_remove_dots: true,
		gmail_remove_subaddress: true,
		gmail_convert_googlemaildotcom: true,
		outlookdotcom_remove_subaddress: true,
		yahoo_remove_subaddress: true,
		icloud_remove_subaddress: true,
		yandex_convert_yandexru: true,
	});
	const address = (normal === false ? `${local}@${domain}` : normal).toLowerCase();
	const at = address.lastIndexOf("@");
	const tag = address.slice(0, at).indexOf("+");
	const user = address.slice(0, tag > 0 ? tag : at);
	const domainName = address.slice(at + 1);
	const subdomain = USER_SUBDOMAIN.exec(domainName);
	if (subdomain !== null) return `${subdomain[1]}@${subdomain[2]}`;
	const host = SAME_MAILBOXES.get(domainName) ?? domainName;
	const separators = IGNORED_SEPARATORS.get(host);
	const plain = separators === undefined ? user : user.replaceAll(separators, "");
	return `${plain === "" ? user : plain}@${host}`;
}

let throwaway: ReadonlySet<string> | null = null;

/** Whether `domain` or a parent domain provides disposable mailboxes. Cost: the first call reads a list of 3 MB. */
export function isThrowaway(domain: string): boolean {
	throwaway ??= new Set(createRequire(import.meta.url)("disposable-email-domains") as string[]);
	const labels = domain.split(".");
	return labels.some((_, i) => throwaway?.has(labels.slice(i).join(".")));
}
