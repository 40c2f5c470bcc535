/**
 * Rules over several settings, and over the files that settings name. They are checked before anything is opened;
 * the rule of a single setting is in its schema (config.ts).
 */

import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { isEveryAddress } from "../http/address-url.js";
import { type Config, configSchema } from "./config.js";
import { ConfigError } from "./config-error.js";

/** How mails are signed. */
export interface DkimSettings {
	readonly domain: string;
	readonly selector: string;
	/** PEM. */
	readonly privateKey: string;
}

/** Throws ConfigError `invalid_setting` for settings with which the server would not start, or not do what they say. */
export function requireConsistent(config: Config): void {
	requireOwnPorts(config);
	requireDkimTogether(config);
	requireIssuerComplete(config);
	// Otherwise it looks as if keys were refused when they are old, and none ever is.
	if (config.keys_stale_after > 0 && config.shared === "")
		throw conflict(
			"--keys-stale-after needs --shared, the store that keys are heard from; --keys-stale-after-s is for the data folder's keys",
		);
	requireMonthsFrom(config);
	if (config.shared_lost !== "deny" && config.shared === "")
		throw conflict("--shared-lost needs --shared, the store that may be lost");
	if (config.signup_port === 0) {
		if (config.smtp !== "") throw conflict("--smtp needs --signup-port: no other mails are sent");
		return;
	}
	if (config.smtp === "") throw conflict("--signup-port needs --smtp: keys come by mail");
	readDkim(config);
}

/** Warnings about settings of signup that only serve this machine. */
export function signupWarnings(config: Config): string[] {
	if (config.signup_port === 0 || config.smtp === "") return [];
	const warnings: string[] = [];
	if (config.signup_url === "" && isEveryAddress(config.signup_host))
		warnings.push(`mails link to ${config.signup_host}, which other machines cannot open: set --signup-url`);
	if (config.api_url === "" && isEveryAddress(config.host))
		warnings.push(`examples ask ${config.host}, which other machines cannot reach: set --api-url`);
	if (config.mail_from === configSchema.shape.mail_from.parse(undefined))
		warnings.push(`mails come from ${config.mail_from}, which nobody can reply to: set --mail-from`);
	return warnings;
}

/** How mails are signed; null: they are not. Throws ConfigError `invalid_setting` for a key that is none. */
export function readDkim(config: Config): DkimSettings | null {
	const { dkim_domain: domain, dkim_selector: selector, dkim_key_file: file } = config;
	if (domain === "") return null;
	let privateKey: string;
	try {
		privateKey = readFileSync(file, "utf8");
	} catch (error) {
		throw conflict(`--dkim-key-file ${file} cannot be read: ${(error as Error).message}`);
	}
	// With any other key, mails would be sent unsigned.
	if (keyOf(privateKey)?.asymmetricKeyType !== "rsa")
		throw conflict(
			`--dkim-key-file ${file} must be an RSA private key in PEM without a passphrase; "openssl genrsa 2048" makes one`,
		);
	return { domain, selector, privateKey };
}

function keyOf(pem: string): KeyObject | null {
	try {
		return createPrivateKey(pem);
	} catch {
		return null;
	}
}

/** Throws if two servers would listen at one address. Port 0 is a free port, or no server. */
function requireOwnPorts(config: Config): void {
	const servers = [
		{ flag: "--port", host: config.host, port: config.port },
		{ flag: "--admin-port", host: config.admin_host, port: config.admin_port },
		{ flag: "--signup-port", host: config.signup_host, port: config.signup_port },
	].filter(({ port }) => port !== 0);
	for (const [i, server] of servers.entries()) {
		const other = servers
			.slice(i + 1)
			.find((each) => each.port === server.port && overlap(each.host, server.host));
		if (other !== undefined)
			throw conflict(
				`${server.flag} and ${other.flag} are both ${server.port}; give each server a port of its own`,
			);
	}
}

/** Whether one port cannot be listened on at both hosts. Two names of one address are found on listening. */
function overlap(a: string, b: string): boolean {
	return a === b || isEveryAddress(a) || isEveryAddress(b);
}

/** Otherwise it looks as if old months were removed, or downloads bounded, and neither is. */
function requireMonthsFrom({ months_from, keep_months, pull_mib_s }: Config): void {
	if (months_from !== "") return;
	if (keep_months !== 0)
		throw conflict("--keep-months needs --months-from: months of the data folder are all served");
	if (pull_mib_s !== 0) throw conflict("--pull-mib-s needs --months-from, the store to download from");
}

function requireDkimTogether(config: Config): void {
	const options = {
		"--dkim-domain": config.dkim_domain,
		"--dkim-selector": config.dkim_selector,
		"--dkim-key-file": config.dkim_key_file,
	};
	requireTogether(options, "to sign mails");
}

function requireIssuerComplete({ oauth_issuer, oauth_resource, oauth_grants }: Config): void {
	if (oauth_issuer === "") return;
	const missing = [
		...(oauth_resource === "" ? ["--oauth-resource, the public address of the tool server"] : []),
		...(oauth_grants.length === 0 ? ["--oauth-grants, scope=KEY_ID pairs"] : []),
	];
	if (missing.length > 0) throw conflict(`--oauth-issuer needs ${missing.join(", and ")}`);
}

/** Throws if some of `options`, but not all, have a value. */
function requireTogether(options: Readonly<Record<string, string>>, purpose: string): void {
	const names = Object.keys(options);
	const given = names.filter((name) => options[name] !== "");
	const missing = names.filter((name) => options[name] === "");
	if (given.length === 0 || missing.length === 0) return;
	throw conflict(
		`${given.join(" and ")} ${given.length === 1 ? "needs" : "need"} ${missing.join(" and ")} ${purpose}`,
	);
}

function conflict(message: string): ConfigError {
	return new ConfigError("invalid_setting", message);
}
