/** The address of the shared store: `redis://[user:password@]host[:port][/db]`, `rediss://` for TLS. */

import { SharedStoreError } from "./errors.js";

export interface SharedAddress {
	readonly host: string;
	readonly port: number;
	readonly user: string | undefined;
	readonly password: string | undefined;
	readonly database: number;
	readonly tls: boolean;
	/** Without user and password. */
	readonly shown: string;
}

export const SHARED_ADDRESS_RULE =
	"must be redis://[user:password@]host[:port][/database], or rediss:// for TLS";

/** Whether `text` is such an address. */
export function isSharedAddress(text: string): boolean {
	try {
		parseSharedAddress(text);
		return true;
	} catch {
		return false;
	}
}

/** Throws SharedStoreError `failed`; its message names the rule, never the address, which may hold a password. */
export function parseSharedAddress(text: string): SharedAddress {
	const url = URL.canParse(text) ? new URL(text) : null;
	const tls = url?.protocol === "rediss:" || url?.protocol === "valkeys:";
	const plain = url?.protocol === "redis:" || url?.protocol === "valkey:";
	const database = url === null ? null : /^\/?(\d{0,5})$/.exec(url.pathname);
	if (url === null || !(tls || plain) || url.hostname === "" || database === null || url.search !== "") {
		throw new SharedStoreError("failed", `--shared ${SHARED_ADDRESS_RULE}`);
	}
	const port = url.port === "" ? 6379 : Number(url.port);
	const db = database[1] === "" ? 0 : Number(database[1]);
	return {
		host: url.hostname.replace(/^\[|\]$/g, ""),
		port,
		user: url.username === "" ? undefined : decodeURIComponent(url.username),
		password: url.password === "" ? undefined : decodeURIComponent(url.password),
		database: db,
		tls,
		shown: `${tls ? "rediss" : "redis"}://${url.hostname}:${port}/${db}`,
	};
}
