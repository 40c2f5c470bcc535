/** Schemas of settings, whose errors state the rule. They accept text as well, since flags and variables are text. */

import { z } from "zod";
import { isNetwork } from "../http/client-address.js";

const ADDRESS = String.raw`[^\s<>()[\]\\@,;:"]+@[^\s<>()[\]\\@,;:"]+`;
/** Outside quotes, commas, colons and semicolons divide a list of addresses, and parentheses hold comments. */
const NAME = String.raw`(?:"[^"\\<>\p{Cc}]*"\s*|[^"\\<>()@,;:\p{Cc}]*)`;
const MAIL_SENDER = new RegExp(`^(?:${ADDRESS}|${NAME}<${ADDRESS}>)$`, "u");
const MAIL_SERVER = /^smtps?:\/\/[^\s/?#]+\/?(\?\S*)?$/;
const ORIGIN = /^https?:\/\/[^/\s]+$/;

export function wholeNumber(minimum: number, maximum: number) {
	const rule = `must be a whole number from ${minimum} to ${maximum}`;
	return z.preprocess(
		(given) => (typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given),
		z.int({ error: rule }).min(minimum, { error: rule }).max(maximum, { error: rule }),
	);
}

export function text() {
	return z.string().min(1, { error: "must not be empty" });
}

export function flag() {
	const rule = "must be true or false";
	return z.preprocess(
		(given) => (given === "true" || given === "false" ? given === "true" : given),
		z.boolean({ error: rule }),
	);
}

/** An address of the form of `pattern`, or empty. The parser of addresses refuses hosts and ports that cannot exist. */
function address(pattern: RegExp, error: string) {
	return z.string().refine((text) => text === "" || (pattern.test(text) && URL.canParse(text)), { error });
}

export function baseUrl() {
	return address(
		/^https?:\/\/[^\s?#]*[^\s?#/]$/,
		'must be an address such as "https://example.com", without a slash at its end',
	);
}

/** Address of a mail server; empty: none. The error does not repeat it, since it may hold a password. */
export function mailServer() {
	const error =
		"must be smtp://HOST[:PORT], or smtps://HOST[:PORT] for TLS, with a port from 1 to 65535; user:password@ may precede HOST";
	return z.string({ error }).refine((text) => text === "" || isMailServer(text), { error });
}

function isMailServer(text: string): boolean {
	// The parser of addresses refuses ports above 65535.
	return MAIL_SERVER.test(text) && URL.canParse(text) && new URL(text).port !== "0";
}

/** One mailbox, with or without a name: with anything else, mails would have no sender. */
export function mailSender() {
	return z.string().regex(MAIL_SENDER, {
		error:
			"must be an address such as keys@example.com, or Name <keys@example.com>; a name with punctuation is put in double quotes",
	});
}

/** An https address; http on this machine, for tests. */
export function issuerAddress() {
	return address(
		/^https:\/\/[^\s?#]+$|^http:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?(\/[^\s?#]*)?$/,
		'must be an address such as "https://login.example.com"',
	);
}

/** The items of a comma-separated list, or of an array, without empty ones; of anything else itself, which is no list. */
function listItems(given: string): string[];
function listItems(given: unknown): unknown;
function listItems(given: unknown): unknown {
	const items: unknown = typeof given === "string" ? given.split(",").map((item) => item.trim()) : given;
	return Array.isArray(items) ? items.filter((item) => item !== "") : items;
}

/** Pairs of a scope and the id of a key. */
export function scopeGrants() {
	const rule = "must be scope=ID, comma-separated";
	const part = z.string({ error: rule }).min(1, { error: rule });
	return z.preprocess(
		(given) => (typeof given === "string" ? listItems(given).map((item) => item.split("=")) : given),
		z.array(z.tuple([part, part], { error: rule }), { error: rule }),
	);
}

export function contact() {
	return z.string().regex(/^$|^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+)$/, {
		error: 'must be an address such as "mailto:security@example.com" or "https://example.com/security"',
	});
}

export function share() {
	const rule = "must be a number from 0 to 1";
	return z.preprocess(
		(given) => (typeof given === "string" && /^[\d.]{1,12}$/.test(given) ? Number(given) : given),
		z.number({ error: rule }).min(0, { error: rule }).max(1, { error: rule }),
	);
}

/** Seconds, from a number of them or a duration such as 30s. A value that was read is read as itself again. */
export function duration() {
	const rule = "must be a duration such as 30s (s, m, h, d)";
	const units: Readonly<Record<string, number>> = {
		s: 1,
		m: 60,
		h: 3_600,
		d: 86_400,
	};
	return z.preprocess(
		(given) => {
			const found = /^(\d{1,6})([smhd])$/.exec(String(given));
			if (found !== null) return Number(found[1]) * units[found[2]];
			// A number, as of a file, is of seconds; a text other than 0 needs its unit.
			return given === "0" ? 0 : given;
		},
		z.int({ error: rule }).min(0, { error: rule }),
	);
}

export function origins() {
	const rule = 'must be *, or origins such as "https://example.com", comma-separated';
	return z.preprocess(
		listItems,
		z
			.array(z.string({ error: rule }), { error: rule })
			.refine((items) => items.every((item) => (item === "*" ? items.length === 1 : ORIGIN.test(item))), {
				error: rule,
			}),
	);
}

export function networks() {
	const rule = "must be addresses or networks such as 10.0.0.0/8, comma-separated";
	return z.preprocess(
		listItems,
		z
			.array(z.string({ error: rule }), { error: rule })
			.refine((items) => items.every(isNetwork), { error: rule }),
	);
}
