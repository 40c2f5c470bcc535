/** Rules of watched folders that cannot be meant. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BuildError } from "../../builder/errors.js";
import { readRules, ruleFor } from "../../builder/watch/rules.js";
import { WebhookSender } from "../../builder/watch/webhook.js";
import { builderFolder } from "./builder-process.js";

test("rules that cannot be meant are refused, with the setting's name", async (t) => {
	const builder = builderFolder(t);
	const cases: (readonly [unknown, RegExp])[] = [
		[{}, /rules: is missing; expected a list$/],
		[{ rules: [] }, /rules: expected at least 1 value$/],
		[{ rules: [{ match: "" }] }, /rules\.0\.match: expected at least 1 character$/],
		[{ rules: [{ match: "*", replace: "yes" }] }, /rules\.0\.replace: expected true or false, not a text$/],
		[{ rules: [{ match: "*" }], pollSeconds: 0 }, /pollSeconds: expected at least 0\.05$/],
		[{ rules: [{ match: "*", publsh: "now" }] }, /rules\.0: no setting "publsh"; did you mean "publish"\?/],
		[{ rules: [{ match: "*", accept: ["all"] }] }, /rules\.0\.accept\.0: /],
		[{ rules: [{ match: "*" }], pollSecond: 1 }, /no setting "pollSecond"; did you mean "pollSeconds"\?/],
		[
			{ rules: [{ match: "*" }], webhook: { url: "ftp://x", secretFile: "s" } },
			/webhook\.url: expected an address that begins with https/,
		],
	];
	builder.write("maps/bad.json", '{"renme":{}}');
	const settings: (readonly [object, RegExp])[] = [
		[{ maps: ["maps/none.json"] }, /rules\.json: rules\.1\.maps: \S+\/maps\/none\.json: no such file/],
		[{ maps: ["maps/bad.json"] }, /rules\.1\.maps: \S+\/maps\/bad\.json: /],
		[{ enrich: ["rules.json", "none.csv"] }, /rules\.1\.enrich: \S+\/none\.csv: no such file/],
		[{ groups: "none.json" }, /rules\.1\.groups: \S+\/none\.json: no such file/],
		[{ groups: "maps/bad.json" }, /rules\.1\.groups: /],
		[{ dateFormat: "YYYY/DD" }, /rules\.1\.dateFormat: date format "YYYY\/DD": it must have /],
	];
	for (const [setting, message] of settings)
		cases.push([{ rules: [{ match: "a*" }, { match: "*", ...setting }] }, message]);
	for (const [rules, message] of cases) {
		const file = builder.write("rules.json", JSON.stringify(rules));
		assert.throws(
			() => readRules(file),
			(error: unknown) =>
				error instanceof BuildError && error.code === "bad_rules" && message.test(error.message),
			String(message),
		);
	}
});

test("a secret that is too short or no base64 is refused with its file and setting", (t) => {
	const builder = builderFolder(t);
	const base64 = Buffer.alloc(24, 7).toString("base64");
	const sender = (secret: string) => {
		const secretFile = builder.write("secret", secret);
		return new WebhookSender({ url: "https://example.com/", secretFile, allowPrivate: false });
	};
	const padded = [25, 26].map((bytes) => `whsec_${Buffer.alloc(bytes).toString("base64")}`);
	const others = [...padded, ...padded.map((secret) => secret.replaceAll("=", ""))];
	for (const secret of [`whsec_${base64}\n`, base64, ...others]) assert.ok(sender(secret), secret);
	for (const secret of [
		...["", "whsec_", `whsec_${base64.slice(4)}`, "correct horse battery staple, and then some more"],
		...[`whsec_${base64}!`, `whsec_${base64.slice(0, 8)} ${base64.slice(8)}`, `whsec_-_${base64}`],
	])
		assert.throws(() => sender(secret), {
			code: "bad_rules",
			message:
				/\/secret: webhook\.secretFile: expected a secret of at least 24 bytes, as "whsec_" and base64$/,
		});
});

test("a rule is for names of files with accents in either form", (t) => {
	const builder = builderFolder(t);
	for (const [form, other] of [
		["NFC", "NFD"],
		["NFD", "NFC"],
	]) {
		const match = "Qu\u00e9bec-*.csv".normalize(form);
		const rules = readRules(builder.write("rules.json", JSON.stringify({ rules: [{ match }] })));
		for (const name of [form, other])
			assert.equal(
				ruleFor(rules, "Qu\u00e9bec-2026-11.csv".normalize(name))?.match,
				match,
				`${form} ${name}`,
			);
	}
});
