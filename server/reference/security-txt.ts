/** /.well-known/security.txt (RFC 9116): where to report a vulnerability, as configured. */

import type { Route } from "../api/router.js";
import type { Clock } from "../clock.js";

const SECURITY_TXT_PATH = "/.well-known/security.txt";
/** The file must state when it expires, so it is generated for every request. */
const VALID_MS = 180 * 24 * 3_600_000;

/** The route; none without a contact, so that the path is 404 like any unknown one. */
export function securityTxtRoutes(contact: string, clock: Clock): Route[] {
	if (contact === "") return [];
	return [
		{
			path: SECURITY_TXT_PATH,
			access: "keyless",
			methods: ["GET", "HEAD"],
			serve(_request, _exchange, response) {
				const expires = new Date(clock.now() + VALID_MS).toISOString();
				const text = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`;
				const headers = "\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: max-age=86400";
				response.send(200, headers, text);
			},
		},
	];
}
