/** Settings: precedence of their sources, and errors that give name and place. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { shown } from "../../server/commands/start.js";
import { createProgram } from "../../server/program.js";
import { resolveConfig, SETTINGS } from "../../server/settings/config.js";
import { ConfigError } from "../../server/settings/config-error.js";

const folder = mkdtempSync(join(tmpdir(), "rollcall-config-"));
after(() => rmSync(folder, { recursive: true }));

function file(settings: unknown): string {
	const path = join(folder, "rollcall.json");
	writeFileSync(path, typeof settings === "string" ? settings : JSON.stringify(settings));
	return path;
}

function refusal(inputs: Partial<Parameters<typeof resolveConfig>[0]>): ConfigError {
	try {
		resolveConfig({ flags: {}, environment: {}, file: undefined, ...inputs });
	} catch (error) {
		assert.ok(error instanceof ConfigError, String(error));
		return error;
	}
	return assert.fail("the setting was taken");
}

test("flags override the environment, the environment the file, the file the defaults", () => {
	const { config, sources } = resolveConfig({
		flags: { port: "1001" },
		environment: { ROLLCALL_PORT: "1002", ROLLCALL_HOST: "0.0.0.0" },
		file: file({ port: 1003, host: "::1", log_level: "warn" }),
	});
	assert.deepEqual([config.port, sources.port], [1001, "flag"]);
	assert.deepEqual([config.host, sources.host], ["0.0.0.0", "environment"]);
	assert.deepEqual([config.log_level, sources.log_level], ["warn", "file"]);
	assert.deepEqual([config.data, sources.data], ["./data", "default"]);
});

test("the environment may name the file, and lists may be text", () => {
	const { config } = resolveConfig({
		flags: { cors_origins: "https://a.example, https://b.example:8443" },
		environment: { ROLLCALL_CONFIG: file({ workers: 3 }) },
		file: undefined,
	});
	assert.equal(config.workers, 3);
	assert.deepEqual(config.cors_origins, ["https://a.example", "https://b.example:8443"]);
	const none = resolveConfig({ flags: {}, environment: { ROLLCALL_CORS_ORIGINS: "" }, file: undefined });
	assert.deepEqual(none.config.cors_origins, []);
});

test("a duration is the same from every source, and seconds where it has no unit", () => {
	const read = (inputs: Partial<Parameters<typeof resolveConfig>[0]>) =>
		resolveConfig({ flags: {}, environment: {}, file: undefined, ...inputs }).config.keys_stale_after;
	assert.equal(read({ flags: { keys_stale_after: "30s" } }), 30);
	assert.equal(read({ environment: { ROLLCALL_KEYS_STALE_AFTER: "5m" } }), 300);
	assert.equal(read({ file: file({ keys_stale_after: 30 }) }), 30);
	assert.equal(read({ flags: { keys_stale_after: "30d" } }), 2_592_000);
	assert.equal(read({}), 0);
});

test("an invalid value is reported with its place and the rule", () => {
	const cases = [
		[{ flags: { port: "70000" } }, /^--port must be a whole number from 0 to 65535/],
		[{ flags: { port: "80a" } }, /^--port must be a whole number/],
		[{ flags: { port: "9".repeat(400) } }, /^--port must be a whole number/],
		[{ flags: { months_from: "months/rollcall" } }, /^--months-from must be s3:.*or an https address/],
		[{ flags: { months_from: "s3://" } }, /^--months-from must be/],
		[{ environment: { ROLLCALL_WORKERS: "0" } }, /^ROLLCALL_WORKERS must be a whole number/],
		[{ file: file({ transport: "h2" }) }, /^transport in .*rollcall\.json must be one of auto, uws, node/],
	] as const;
	for (const [inputs, message] of cases) {
		const error = refusal(inputs);
		assert.equal(error.code, "invalid_setting");
		assert.match(error.message, message);
	}
	assert.match(refusal({ flags: { trusted_proxies: "10.0.0.0/8,proxy" } }).message, /networks such as/);
	assert.match(refusal({ flags: { cors_origins: "example.com" } }).message, /origins such as/);
	assert.match(refusal({ flags: { cors_origins: "*,https://a.example" } }).message, /origins such as/);
});

test("the largest number that a rule allows is accepted as text", () => {
	const { config } = resolveConfig({
		flags: { keyless_per_minute: "1000000000" },
		environment: {},
		file: undefined,
	});
	assert.equal(config.keyless_per_minute, 1_000_000_000);
});

test("a value of a wrong type, or an empty one, is refused by a rule of its setting", () => {
	for (const setting of SETTINGS)
		for (const value of [null, {}, [["", 1]]])
			assert.match(
				refusal({ file: file({ [setting]: value }) }).message,
				/ in \S+\.json must (?!.*expected)/,
			);
	assert.match(refusal({ file: file({ host: 5 }) }).message, /^host in .* must be a text in quotes$/);
	assert.equal(refusal({ flags: { data: "" } }).message, "--data must not be empty");
	assert.match(refusal({ flags: { oauth_grants: "=key_1" } }).message, / must be scope=ID, comma-separated$/);
});

test("the mail server is an address with a port that exists, and no error repeats its password", () => {
	const taken = (smtp: string) =>
		resolveConfig({ flags: { smtp }, environment: {}, file: undefined }).config.smtp;
	for (const smtp of [
		"",
		"smtp://mail",
		"smtp://127.0.0.1:1",
		"smtps://u:p%40s@mail.example.com:65535/",
		"smtp://[::1]:25?pool=true",
	])
		assert.equal(taken(smtp), smtp);
	for (const smtp of [
		"foo",
		"mail.example.com:25",
		"http://mail",
		"smtp://",
		"smtp://:25",
		"smtp://x:99999",
		"smtp://user:hunter2@x:0",
		"smtp://x:mail",
		"smtp://x/path",
	]) {
		const { message } = refusal({ flags: { smtp } });
		assert.match(
			message,
			/^--smtp must be smtp:\/\/HOST\[:PORT\], or smtps:\/\/.*with a port from 1 to 65535/,
			smtp,
		);
		assert.doesNotMatch(message, /hunter2|pattern/);
	}
});

test("addresses have a host and a port that can exist", () => {
	for (const setting of ["oauth_issuer", "oauth_resource", "signup_url", "api_url"]) {
		const flags = (text: string) => ({ flags: { [setting]: text }, environment: {}, file: undefined });
		for (const text of ["", "https://api.example.com:8443/mcp", "https://[::1]", "http://127.0.0.1:80"])
			resolveConfig(flags(text));
		for (const text of ["https://api.example.com:80800/mcp", "https://[", "https://a b", "ftp://x", "x"])
			assert.match(refusal(flags(text)).message, / must be an address such as "https:/, `${setting} ${text}`);
	}
});

test("the sender of mails is one address, with or without a name", () => {
	for (const sender of [
		"keys@example.com",
		"<keys@example.com>",
		"Keys of Äcme <keys@example.com>",
		'"Acme, Inc." <keys+1@mail.example.com>',
		"Rollcall <no-reply@localhost>",
	]) {
		const { config } = resolveConfig({ flags: { mail_from: sender }, environment: {}, file: undefined });
		assert.equal(config.mail_from, sender);
	}
	for (const sender of [
		"",
		"foo",
		"@example.com",
		"keys@",
		"keys@example.com, more@example.com",
		"Acme, Inc. <keys@example.com>",
		"Acme (keys <keys@example.com>",
		"Acme <keys>",
		"Acme keys@example.com",
		"keys@example.com\r\nBcc: x@example.com",
	])
		assert.match(
			refusal({ flags: { mail_from: sender } }).message,
			/^--mail-from must be an address such as keys@example\.com, or Name <keys@example\.com>; /,
			sender,
		);
});

test("an unknown name is an error in the file and a warning in the environment", () => {
	const error = refusal({ file: file({ prot: 80 }) });
	assert.equal(error.code, "unknown_setting");
	assert.match(error.message, /no setting "prot"; did you mean "port"\?/);
	const { warnings } = resolveConfig({ flags: {}, environment: { ROLLCALL_PROT: "80" }, file: undefined });
	assert.match(warnings.join(), /ROLLCALL_PROT is not a setting.*ROLLCALL_PORT/);
});

test("a byte-order mark at the beginning of the file is skipped", () => {
	const path = file({ port: 81 });
	writeFileSync(path, `\ufeff${readFileSync(path, "utf8")}`);
	assert.equal(resolveConfig({ flags: {}, environment: {}, file: path }).config.port, 81);
});

test("a missing file and one that is not a JSON object are reported by path", () => {
	assert.match(refusal({ file: join(folder, "none.json") }).message, /none\.json: /);
	assert.equal(refusal({ file: file("{") }).code, "unreadable_config");
	assert.equal(refusal({ file: file("[]") }).code, "unreadable_config");
});

test("a file that is no JSON is refused with the line of the mistake, without the text around it, which may be a password", () => {
	const secret = "abcdefghijklmnop";
	for (const [text, line] of [
		[`{"operator_token": ${secret}}`, 1],
		[`${secret}"}`, 1],
		[`{"smtp": "",\n"operator_token": ${secret}`, 2],
	] as const) {
		const { message } = refusal({ file: file(text) });
		assert.ok(message.endsWith(`rollcall.json: Unexpected token 'a' in line ${line}`), message);
	}
});

test("a setting that is given twice in the file, and bytes that are not UTF-8, are refused", () => {
	const path = join(folder, "odd.json");
	writeFileSync(path, '{"port": 81, "cors_origins": ["https://a.example"], "p\\u006frt": 82}');
	const twice = refusal({ file: path });
	assert.equal(twice.code, "invalid_setting");
	assert.match(twice.message, /odd\.json: "port" is given twice; only one of them can apply$/);
	writeFileSync(path, Buffer.from('{"mail_from": "Jos\u00e9 <a@b.example>"}', "latin1"));
	assert.match(refusal({ file: path }).message, /odd\.json: .*utf-8/);
});

test("every setting is an option of start and of config", async () => {
	for (const name of ["start", "config"]) {
		const command = (await createProgram(name)).commands.find((c) => c.name() === name);
		const flags = command?.options.map((option) => option.long);
		for (const setting of SETTINGS) assert.ok(flags?.includes(`--${setting.replaceAll("_", "-")}`), setting);
	}
});

test("settings are shown without the secrets in them", () => {
	const { config } = resolveConfig({
		flags: { smtp: "smtps://mailer:hunter2@mail.example.com:465", operator_token: "0123456789abcdef" },
		environment: {},
		file: undefined,
	});
	assert.equal(shown(config, "smtp"), "smtps://***@mail.example.com:465");
	assert.equal(shown(config, "operator_token"), "***");
	assert.equal(shown(config, "port"), 8080);
});
