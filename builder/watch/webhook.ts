/**
 * Notices by webhook, signed according to Standard Webhooks. The address is checked when the connection is
 * made, so that no name can resolve to a private network; redirects are not followed, and only the status of
 * the response is read.
 */

import { lookup as systemLookup } from "node:dns";
import { readFileSync } from "node:fs";
import { type ClientRequest, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import { Webhook } from "standardwebhooks";
import { BuildError, systemErrorText } from "../errors.js";
import type { WebhookRule } from "./rules.js";

const TIMEOUT_MS = 10_000;
const SECRET_BYTES_MIN = 24;
/** Base64 with or without its padding (RFC 4648). */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Addresses that are not on the public internet (IANA's special-purpose registries). */
const NOT_PUBLIC = new BlockList();
for (const [address, bits] of [
	["0.0.0.0", 8],
	["10.0.0.0", 8],
	["100.64.0.0", 10],
	["127.0.0.0", 8],
	["169.254.0.0", 16],
	["172.16.0.0", 12],
	["192.0.0.0", 24],
	["192.0.2.0", 24],
	["192.168.0.0", 16],
	["198.18.0.0", 15],
	["198.51.100.0", 24],
	["203.0.113.0", 24],
	["224.0.0.0", 3],
] as const)
	NOT_PUBLIC.addSubnet(address, bits, "ipv4");
/** Global unicast addresses of IPv6, without those that represent an IPv4 address. */
const PUBLIC_V6 = new BlockList();
PUBLIC_V6.addSubnet("2000::", 3, "ipv6");
for (const [address, bits] of [
	["2001::", 23],
	["2001:db8::", 32],
	["2002::", 16],
	["3fff::", 20],
] as const)
	NOT_PUBLIC.addSubnet(address, bits, "ipv6");

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
	if (!isIPv6(address)) return isIP(address) === 4 && !NOT_PUBLIC.check(address, "ipv4");
	return PUBLIC_V6.check(address, "ipv6") && !NOT_PUBLIC.check(address, "ipv6");
}

export interface Notice {
	/** The same for every attempt, so that a receiver can recognise repetitions. */
	readonly id: string;
	readonly at: Date;
	readonly body: string;
}

export class WebhookSender {
	private readonly signer: Webhook;

	/** Reads the secret. Throws {@link BuildError} `bad_rules` or `unreadable_file`. */
	constructor(private readonly rule: WebhookRule) {
		const file = rule.secretFile;
		let secret: string;
		try {
			secret = readFileSync(file, "utf8").trim();
		} catch (error) {
			throw new BuildError("unreadable_file", systemErrorText(error), { file });
		}
		this.signer = signerOf(secret, file);
		const { hostname } = new URL(rule.url);
		const address = hostname.replace(/^\[|\]$/g, "");
		if (isIP(address) !== 0 && !rule.allowPrivate && !isPublicAddress(address))
			throw new BuildError("bad_rules", privateRule(address));
	}

	/** Sends a notice once. Resolves to null if it was accepted, else to the reason. */
	async send(notice: Notice): Promise<string | null> {
		const { url, allowPrivate } = this.rule;
		const isPlain = new URL(url).protocol === "http:";
		const request = (isPlain ? httpRequest : httpsRequest)(url, {
			method: "POST",
			agent: false,
			timeout: TIMEOUT_MS,
			signal: AbortSignal.timeout(TIMEOUT_MS),
			lookup: allowPrivate ? undefined : publicLookup,
			headers: {
				"content-type": "application/json",
				"content-length": Buffer.byteLength(notice.body),
				"user-agent": "rollcall-builder",
				"webhook-id": notice.id,
				"webhook-timestamp": String(Math.floor(notice.at.getTime() / 1000)),
				"webhook-signature": this.signer.sign(notice.id, notice.at, notice.body),
			},
		});
		return answerTo(request, notice.body);
	}
}

/** Signs with the secret in `file`. Throws {@link BuildError} `bad_rules`. */
function signerOf(secret: string, file: string): Webhook {
	const text = secret.replace(/^whsec_/, "");
	// Neither Buffer nor the library refuses every other character.
	if (BASE64.test(text) && Buffer.from(text, "base64").length >= SECRET_BYTES_MIN) return new Webhook(secret);
	const rule = `webhook.secretFile: expected a secret of at least ${SECRET_BYTES_MIN} bytes, as "whsec_" and base64`;
	throw new BuildError("bad_rules", rule, { file });
}

function answerTo(request: ClientRequest, body: string): Promise<string | null> {
	return new Promise((resolve) => {
		request.once("response", (response) => {
			const { statusCode = 0 } = response;
			response.destroy();
			resolve(statusCode >= 200 && statusCode < 300 ? null : `the receiver answered ${statusCode}`);
		});
		request.on("error", (error) => resolve(error.message === "" ? String(error.name) : error.message));
		// After the response or an error. There is neither where the receiver switches protocols.
		request.once("close", () => resolve("the receiver closed the connection without an answer"));
		request.end(body);
	});
}

function privateRule(address: string): string {
	return `webhook.url leads to ${address}, which is not on the public internet: set "allowPrivate" to true to allow it`;
}

/** Resolves a name to its public addresses; fails if it has any other address. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
	systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
		if (error !== null) return callback(error, "", 0);
		const other = addresses.find(({ address }) => !isPublicAddress(address));
		if (other !== undefined) return callback(new Error(privateRule(other.address)), "", 0);
		if (options.all === true) return callback(null, addresses);
		callback(null, addresses[0].address, addresses[0].family);
	});
};
