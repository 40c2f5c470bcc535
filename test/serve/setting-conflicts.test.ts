/** Settings that exclude or need each other, and files that settings name: refused before anything is opened. */

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { urlOfAddress } from "../../server/http/address-url.js";
import { type Config, resolveConfig } from "../../server/settings/config.js";
import { ConfigError } from "../../server/settings/config-error.js";
import { readDkim, requireConsistent, signupWarnings } from "../../server/settings/setting-conflicts.js";
import { runCommandLine } from "../command-line.js";

const folder = mkdtempSync(join(tmpdir(), "rollcall-conflicts-"));
after(() => rmSync(folder, { recursive: true }));

const SIGNUP = { signup_port: "8090", smtp: "smtp://mail" };

function configOf(flags: Record<string, unknown>): Config {
	return resolveConfig({ flags, environment: {}, file: undefined }).config;
}

function refusal(flags: Record<string, unknown>): string {
	try {
		requireConsistent(configOf(flags));
	} catch (error) {
		assert.ok(error instanceof ConfigError && error.code === "invalid_setting", String(error));
		return error.message;
	}
	return assert.fail(`taken: ${JSON.stringify(flags)}`);
}

function file(name: string, text: string): string {
	const path = join(folder, name);
	writeFileSync(path, text);
	return path;
}

function privateKey(type: "rsa" | "ed25519"): string {
	const options = { format: "pem", type: "pkcs8" } as const;
	if (type === "ed25519") return String(generateKeyPairSync("ed25519").privateKey.export(options));
	return String(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(options));
}

test("an age of keys that no shared store gives is refused, and one of the data folder's keys is not", () => {
	assert.match(refusal({ keys_stale_after: "30s" }), /^--keys-stale-after needs --shared/);
	requireConsistent(configOf({ keys_stale_after: "30s", shared: "redis://127.0.0.1" }));
	requireConsistent(configOf({ keys_stale_after_s: "30" }));
});

test("settings without effect are refused, and a time without its unit", () => {
	assert.match(refusal({ keep_months: "2" }), /^--keep-months needs --months-from/);
	assert.match(refusal({ pull_mib_s: "2" }), /^--pull-mib-s needs --months-from/);
	assert.match(refusal({ smtp: SIGNUP.smtp }), /^--smtp needs --signup-port/);
	assert.match(refusal({ shared_lost: "allow" }), /^--shared-lost needs --shared/);
	requireConsistent(configOf({ keep_months: "2", pull_mib_s: "2", months_from: "s3://bucket/x" }));
	requireConsistent(configOf({ shared_lost: "allow", shared: "redis://127.0.0.1" }));
	const shared = "redis://127.0.0.1";
	assert.throws(() => configOf({ keys_stale_after: "30", shared }), /must be a duration such as 30s/);
	for (const [text, seconds] of [
		["0", 0],
		["30s", 30],
		["2m", 120],
	] as const)
		assert.equal(configOf({ keys_stale_after: text, shared }).keys_stale_after, seconds);
});

test("signup that serves only this machine is warned of, and one with its addresses is not", () => {
	assert.deepEqual(signupWarnings(configOf({})), []);
	const warnings = signupWarnings(configOf({ ...SIGNUP, host: "::", signup_host: "0.0.0.0" }));
	assert.deepEqual(
		warnings.map((warning) => warning.slice(warning.indexOf(": set "))),
		[": set --signup-url", ": set --api-url", ": set --mail-from"],
	);
	const named = {
		host: "0.0.0.0",
		signup_host: "0.0.0.0",
		signup_url: "https://keys.example.com",
		api_url: "https://api.example.com",
		mail_from: "keys@example.com",
	};
	assert.deepEqual(signupWarnings(configOf({ ...SIGNUP, ...named })), []);
});

test("the URL of an IPv6 address has it in brackets", () => {
	assert.equal(urlOfAddress("::1", 8080), "http://[::1]:8080");
	assert.equal(urlOfAddress("127.0.0.1", 8080), "http://127.0.0.1:8080");
	assert.equal(urlOfAddress("localhost", 8080), "http://localhost:8080");
});

test("the help of start has the default of each setting that has one", async () => {
	const { stdout } = await runCommandLine("server", ["start", "--help"]);
	const help = stdout.replaceAll(/\s+/g, " ");
	for (const text of [
		/--port <value> [^(]*\(default: 8080\)/,
		/--spans \[true\|false\] [^(]*\(default: false\)/,
	])
		assert.match(help, text);
});

test("start refuses settings that do not fit together in one line with exit code 2, and config --show warns", async () => {
	// With a data folder, the server would be opened.
	const flags = ["--data", join(folder, "none"), "--signup-port", "8090"];
	const message = "--signup-port needs --smtp: keys come by mail";
	const started = await runCommandLine("server", ["start", ...flags]);
	assert.deepEqual(started, { code: 2, stdout: "", stderr: `error: ${message}\n` });
	const shown = await runCommandLine("server", ["config", "--show", "--json", ...flags]);
	assert.equal(shown.code, 0);
	assert.equal(JSON.parse(shown.stdout).signup_port.value, 8090);
	assert.equal(shown.stderr, `warning: start refuses these settings: ${message}\n`);
});

test("a setting that is on or off needs no value to be on", async () => {
	const flags = [
		"--mcp-connectors",
		"--api-url",
		"https://api.example.com",
		"--huge-pages",
		"false",
		"--spans",
	];
	const { code, stdout } = await runCommandLine("server", ["config", "--show", "--json", ...flags]);
	assert.equal(code, 0);
	const shown = JSON.parse(stdout);
	for (const [setting, value] of [
		["mcp_connectors", true],
		["api_url", "https://api.example.com"],
		["huge_pages", false],
		["spans", true],
	] as const)
		assert.deepEqual(shown[setting], { value, source: "flag" }, setting);
	const faulty = await runCommandLine("server", ["config", "--show", "--spans", "maybe"]);
	assert.deepEqual([faulty.code, faulty.stderr], [2, "error: --spans must be true or false\n"]);
});

test("a flag of a list that is given twice is one list", async () => {
	const flags =
		"--trusted-proxies 10.0.0.1,10.0.0.2 --trusted-proxies 10.1.0.0/16 --cors-origins https://a.example";
	const { stdout } = await runCommandLine("server", ["config", "--show", "--json", ...flags.split(" ")]);
	const { trusted_proxies, cors_origins } = JSON.parse(stdout);
	assert.deepEqual(trusted_proxies.value, ["10.0.0.1", "10.0.0.2", "10.1.0.0/16"]);
	assert.deepEqual(cors_origins.value, ["https://a.example"]);
});

test("two servers may not have one port, unless at addresses of their own", () => {
	for (const [flags, message] of [
		[{ admin_port: "8080" }, "--port and --admin-port are both 8080; "],
		[{ ...SIGNUP, port: "8090" }, "--port and --signup-port are both 8090; "],
		[{ ...SIGNUP, admin_port: "8090" }, "--admin-port and --signup-port are both 8090; "],
		[
			{ host: "10.0.0.5", admin_port: "8080", admin_host: "0.0.0.0" },
			"--port and --admin-port are both 8080; ",
		],
		[{ host: "::", admin_port: "8080" }, "--port and --admin-port are both 8080; "],
	] as const)
		assert.equal(refusal(flags), `${message}give each server a port of its own`);
	requireConsistent(configOf({ port: "0", admin_port: "0", signup_port: "0" }));
	requireConsistent(configOf({ host: "10.0.0.5", admin_port: "8080" }));
});

test("DKIM needs domain, selector and key file together", () => {
	for (const [flags, message] of [
		[{ dkim_domain: "example.com" }, "--dkim-domain needs --dkim-selector and --dkim-key-file to sign mails"],
		[{ dkim_key_file: "key.pem" }, "--dkim-key-file needs --dkim-domain and --dkim-selector to sign mails"],
		[
			{ dkim_domain: "example.com", dkim_selector: "", dkim_key_file: "key.pem" },
			"--dkim-domain and --dkim-key-file need --dkim-selector to sign mails",
		],
	] as const)
		assert.equal(refusal(flags), message);
});

test("a DKIM key that could not sign is refused by its file, and one that can is taken", () => {
	const rsa = privateKey("rsa");
	const flagsFor = (path: string) => ({
		...SIGNUP,
		dkim_domain: "example.com",
		dkim_selector: "keys",
		dkim_key_file: path,
	});
	for (const path of [
		file("rows.csv", "state,number\nCA,1\n"),
		file("empty.pem", ""),
		file("ed25519.pem", privateKey("ed25519")),
		file("cut.pem", rsa.slice(0, 400)),
	])
		assert.ok(
			refusal(flagsFor(path)).startsWith(
				`--dkim-key-file ${path} must be an RSA private key in PEM without a passphrase; `,
			),
			path,
		);
	assert.match(refusal(flagsFor(folder)), /^--dkim-key-file .* cannot be read: EISDIR/);
	const good = configOf(flagsFor(file("rsa.pem", rsa)));
	requireConsistent(good);
	assert.deepEqual(readDkim(good), { domain: "example.com", selector: "keys", privateKey: rsa });
	// A host without signup signs nothing.
	requireConsistent({ ...configOf(flagsFor(join(folder, "none.pem"))), signup_port: 0, smtp: "" });
});

test("an OAuth issuer needs the resource and the grants of its tokens", () => {
	const issuer = { oauth_issuer: "https://login.example.com" };
	const resource = { oauth_resource: "https://api.example.com/mcp" };
	const grants = { oauth_grants: "read=key_1" };
	const forResource = "--oauth-resource, the public address of the tool server";
	const forGrants = "--oauth-grants, scope=KEY_ID pairs";
	assert.equal(refusal(issuer), `--oauth-issuer needs ${forResource}, and ${forGrants}`);
	assert.equal(refusal({ ...issuer, ...grants }), `--oauth-issuer needs ${forResource}`);
	assert.equal(refusal({ ...issuer, ...resource }), `--oauth-issuer needs ${forGrants}`);
	requireConsistent(configOf({ ...issuer, ...resource, ...grants }));
	requireConsistent(configOf(resource));
});
