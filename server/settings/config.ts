/**
 * The server's settings: flags, then environment variables, then one JSON file, then defaults; the
 * first source that has a setting wins. One schema checks every source. An unknown setting is an error in
 * the file and on the command line, and a warning in the environment.
 *
 * A setting `log_level` is `--log-level` as a flag, `ROLLCALL_LOG_LEVEL` in the environment and
 * `"log_level"` in the file.
 */

import { availableParallelism } from "node:os";
import { z } from "zod";
import { didYouMean } from "../../formats/parameters/nearest.js";
import { TRANSPORT_CHOICES } from "../http/transport.js";
import { LOG_LEVELS } from "../log.js";
import { isSharedAddress } from "../shared-state/address.js";
import { ConfigError } from "./config-error.js";
import { readConfigFile } from "./config-file.js";
import {
	baseUrl,
	contact,
	duration,
	flag,
	issuerAddress,
	mailSender,
	mailServer,
	networks,
	origins,
	scopeGrants,
	share,
	text,
	wholeNumber,
} from "./setting-rules.js";

const SHARED_LOST = ["deny", "allow"] as const;

/** Settings of the state that hosts share. */
const sharedSettings = {
	shared: z
		.string()
		.refine((text) => text === "" || isSharedAddress(text), {
			error: "must be redis://[user:password@]host[:port][/database], or rediss:// for TLS",
		})
		.default("")
		.describe(
			"Redis or Valkey through which hosts share limits, usage and keys: redis://[user:password@]host[:port][/database], or rediss:// for TLS; empty: not shared",
		),
	shared_lost: z
		.enum(SHARED_LOST, { error: `must be one of ${SHARED_LOST.join(", ")}` })
		.default("deny")
		.describe(
			"requests beyond this host's leases while the shared store is unreachable: deny answers 503 to keys with a monthly quota and counts others on this host alone; allow counts all on this host alone",
		),
	keys_stale_after: duration()
		.default(0)
		.describe(
			"time without contact with the shared store after which every key is refused with 503, since it may have been revoked elsewhere: such as 30s (s, m, h, d); 0: never",
		),
} as const;

/** Settings of signup and portal. */
const selfServeSettings = {
	signup_port: wholeNumber(0, 65_535).default(0).describe("port for signup and portal; 0: none"),
	signup_host: text().default("127.0.0.1").describe("address of the signup port"),
	signup_url: baseUrl()
		.default("")
		.describe("address of the signup port for clients; default: the address it listens on"),
	api_url: baseUrl()
		.default("")
		.describe("address of the API for clients, in examples; default: the address it listens on"),
	smtp: mailServer()
		.default("")
		.describe("mail server for signup: smtp://[user:password@]host[:port], or smtps://"),
	mail_from: mailSender()
		.default("Rollcall <no-reply@localhost>")
		.describe("sender of mails: an address, or Name <address>"),
	dkim_domain: z
		.string()
		.default("")
		.describe("domain that mails are signed for with DKIM; empty: not signed"),
	dkim_selector: z.string().default("").describe("DKIM selector"),
	dkim_key_file: z.string().default("").describe("file of the DKIM private key, PEM"),
	signup_mailbox_per_day: wholeNumber(1, 1_000).default(3).describe("signup mails to one mailbox a day"),
	signup_network_per_day: wholeNumber(1, 1_000_000)
		.default(20)
		.describe(
			"signups from one network (IPv4: /24, IPv6: /64) a day; from one IPv6 /48 a tenth of signup_per_day, if that is more",
		),
	signup_per_day: wholeNumber(1, 10_000_000).default(1_000).describe("signups a day in total"),
	signup_requests_per_minute: wholeNumber(1, 1_000_000)
		.default(60)
		.describe("requests to the signup port from one address (IPv6: /64) a minute, not counting pages"),
	signup_again_after_days: wholeNumber(0, 3_650)
		.default(30)
		.describe("days after the end of a mailbox's trial before it may have another"),
	signup_difficulty: wholeNumber(1, 6)
		.default(3)
		.describe("proof of work: leading hexadecimal zeros; each makes it sixteen times harder"),
	signup_refuse_throwaway: flag().default(true).describe("whether to refuse disposable mail domains"),
} as const;

/** Every setting with its default and description. */
export const configSchema = z.strictObject({
	data: text().default("./data").describe("data folder"),
	host: text().default("127.0.0.1").describe("address to listen on; 0.0.0.0 for all"),
	port: wholeNumber(0, 65_535).default(8_080).describe("port to listen on; 0: any free one"),
	workers: wholeNumber(1, 256)
		.default(availableParallelism())
		.describe("serving threads; default: one per core"),
	transport: z
		.enum(TRANSPORT_CHOICES, { error: `must be one of ${TRANSPORT_CHOICES.join(", ")}` })
		.default("auto")
		.describe("HTTP server: uWebSockets.js if it runs here (auto), or one of uws and node"),
	keyless_per_minute: wholeNumber(0, 1_000_000_000)
		.default(6_000)
		.describe(
			"requests without a key allowed per minute to one address, in each worker; 0: unlimited. /v1/health and loopback addresses are never refused",
		),
	failed_keys_per_minute: wholeNumber(0, 1_000_000)
		.default(1_000)
		.describe(
			"requests with an invalid key per minute from one address, in each worker, beyond which they get 429 instead of 401; 0: unlimited. Loopback addresses are never refused",
		),
	mcp_messages_per_minute: wholeNumber(0, 1_000_000_000)
		.default(600)
		.describe(
			"tool-server messages not counted as requests (handshakes, lists, notifications) allowed per minute to one key, in each worker; 0: unlimited",
		),
	mcp_connectors: flag()
		.default(false)
		.describe("whether the tools search and fetch are offered, for hosts that know only these"),
	keys_stale_after_s: wholeNumber(0, 86_400)
		.default(10)
		.describe(
			"seconds that the database of keys may be unreadable before every key is refused with 503, since it may have been revoked; 0: never",
		),
	trusted_proxies: networks()
		.default([])
		.describe("proxies whose X-Forwarded-For is trusted: addresses or networks, comma-separated"),
	oauth_issuer: issuerAddress()
		.default("")
		.describe("OAuth issuer whose access tokens the tool server accepts besides keys; empty: none"),
	oauth_resource: issuerAddress()
		.default("")
		.describe("public address of the tool server: the audience of access tokens"),
	oauth_grants: scopeGrants()
		.default([])
		.describe("keys whose grants the scopes of access tokens have: scope=KEY_ID, comma-separated"),
	cors_origins: origins()
		.default(["*"])
		.describe("origins whose pages may call the API: * or a comma-separated list; empty: none"),
	compression_cache_mib: wholeNumber(0, 4_096)
		.default(16)
		.describe("cache of compressed responses, MiB per worker"),
	answer_cache_mib: wholeNumber(0, 65_536)
		.default(128)
		.describe("cache of responses, MiB per worker; 0: none"),
	warm_up_ms: wholeNumber(0, 60_000)
		.default(2_000)
		.describe(
			"milliseconds of work for which a worker, while no request arrives, answers requests to itself about a month that has become the newest, so that clients do not wait for code to be compiled and files to be mapped; 0: none, nor for months of fewer than 65,536 rows",
		),
	huge_pages: flag()
		.default(true)
		.describe("whether files of the newest month are copied into huge pages, if memory suffices"),
	pending_requests_max: wholeNumber(1, 1_000_000)
		.default(10_000)
		.describe("requests in progress in a worker beyond which it sheds new ones"),
	connections_max: wholeNumber(0, 10_000_000)
		.default(0)
		.describe("connections of all workers together; 0: as many as the limit on open files allows"),
	connections_per_address: wholeNumber(0, 10_000_000)
		.default(1_000)
		.describe(
			"connections of one client address (IPv6: /64), per worker; 0: unlimited. Trusted proxies are not limited",
		),
	shed_after_ms: wholeNumber(50, 60_000)
		.default(1_000)
		.describe("milliseconds of queueing beyond which a worker sheds requests with 503"),
	slow_readers_mib: wholeNumber(1, 65_536)
		.default(64)
		.describe(
			"responses buffered for slow readers, MiB per worker; beyond that, the slowest is disconnected",
		),
	exports_mib_s: wholeNumber(0, 100_000)
		.default(64)
		.describe("rate of downloads of exported files, MiB a second per worker; 0: unlimited"),
	verify_mib_s: wholeNumber(0, 100_000)
		.default(50)
		.describe("rate of the verification of months in the background, MiB a second; 0: no verification"),
	months_from: z
		.string()
		.refine((text) => text === "" || /^(s3|https?):\/\/[^/]/.test(text), {
			error: "must be s3://BUCKET/PREFIX or an https address",
		})
		.default("")
		.describe(
			"object store to take months from: s3://BUCKET/PREFIX (endpoint, region and credentials from AWS_… variables) or an https address; empty: months are those of the data folder",
		),
	months_poll_s: wholeNumber(1, 86_400)
		.default(5)
		.describe("seconds between polls of the object store's index"),
	keep_months: wholeNumber(0, 1_200)
		.default(0)
		.describe("number of newest months taken from the object store; 0: all"),
	pull_mib_s: wholeNumber(0, 1_000_000)
		.default(0)
		.describe("rate of downloads from the object store, MiB a second; 0: unlimited"),
	admin_port: wholeNumber(0, 65_535).default(0).describe("port for /metrics, /livez and /readyz; 0: none"),
	admin_host: text().default("127.0.0.1").describe("address of the admin port, which requires no key"),
	...selfServeSettings,
	...sharedSettings,
	security_contact: contact()
		.default("")
		.describe(
			"where to report vulnerabilities, for /.well-known/security.txt: a mailto: or https: address; empty: no such file",
		),
	operator_token: z
		.string()
		.refine((token) => token === "" || token.length >= 16, { error: "must have 16 characters or more" })
		.default("")
		.describe(
			"token that the console requires: for reading from other machines, and for every change; empty: none",
		),
	access_log_share: share()
		.default(0)
		.describe("share of the responses that are logged, from 0 (none) to 1 (all)"),
	spans: flag()
		.default(false)
		.describe(
			"whether to create an OpenTelemetry span for every response, for the registered tracer provider",
		),
	log_level: z
		.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` })
		.default("info")
		.describe("lowest severity of log lines"),
	shutdown_grace_s: wholeNumber(0, 3_600)
		.default(10)
		.describe("seconds that requests in flight may take after SIGTERM"),
});

export type Config = z.infer<typeof configSchema>;
export type Setting = keyof Config;
export type ConfigSource = "flag" | "environment" | "file" | "default";

export const SETTINGS = Object.keys(configSchema.shape) as readonly Setting[];

export interface ConfigInputs {
	/** Given flags, by setting. */
	readonly flags: Readonly<Record<string, unknown>>;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Path of the file; undefined: none, unless ROLLCALL_CONFIG names one. */
	readonly file: string | undefined;
}

export interface ResolvedConfig {
	readonly config: Config;
	/** Where each value came from. */
	readonly sources: Readonly<Record<Setting, ConfigSource>>;
	/** Messages for an operator. */
	readonly warnings: readonly string[];
}

const PREFIX = "ROLLCALL_";
const FILE_VARIABLE = "ROLLCALL_CONFIG";

/** Resolves the settings. Throws {@link ConfigError}. */
export function resolveConfig({ flags, environment, file }: ConfigInputs): ResolvedConfig {
	const path = file ?? environment[FILE_VARIABLE];
	const layers = [
		{ source: "flag", values: flags, where: (setting: string) => `--${setting.replaceAll("_", "-")}` },
		{ source: "environment", values: environmentValues(environment), where: variableOf },
		{
			source: "file",
			values: path === undefined ? {} : readConfigFile(path, SETTINGS),
			where: (setting: string) => `${setting} in ${path}`,
		},
	] as const;
	const given: Record<string, unknown> = {};
	const sources = Object.fromEntries(SETTINGS.map((setting) => [setting, "default"])) as Record<
		Setting,
		ConfigSource
	>;
	for (const setting of SETTINGS) {
		const layer = layers.find((l) => l.values[setting] !== undefined);
		if (layer === undefined) continue;
		given[setting] = checked(setting, layer.values[setting], layer.where(setting));
		sources[setting] = layer.source;
	}
	return {
		config: configSchema.parse(given),
		sources,
		warnings: unknownVariables(environment),
	};
}

function checked(setting: Setting, value: unknown, where: string): unknown {
	// Of every other kind of setting, the schema itself states the rule.
	const result = configSchema.shape[setting].safeParse(value, { error: () => "must be a text in quotes" });
	if (result.success) return result.data;
	throw new ConfigError("invalid_setting", `${where} ${result.error.issues[0].message}`);
}

function variableOf(setting: string): string {
	return PREFIX + setting.toUpperCase();
}

function environmentValues(environment: ConfigInputs["environment"]): Record<string, unknown> {
	return Object.fromEntries(SETTINGS.map((setting) => [setting, environment[variableOf(setting)]]));
}

/** Warnings about variables with the prefix that are not settings: probably misspelled. */
function unknownVariables(environment: ConfigInputs["environment"]): string[] {
	const known = [...SETTINGS.map(variableOf), FILE_VARIABLE];
	return Object.keys(environment)
		.filter((name) => name.startsWith(PREFIX) && !known.includes(name))
		.map((name) => `${name} is not a setting of the server${didYouMean(name, known)}`);
}
