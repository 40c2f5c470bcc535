/**
 * Rules of a watched folder: a JSON file that states which drops are taken, how each is built, and whether it
 * is published immediately or held for release. The first rule whose `match` fits a drop's name applies. Paths
 * in the file are relative to it.
 */

import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { z } from "zod";
import { findJurisdiction } from "../../formats/index.js";
import { didYouMean, quoted } from "../../formats/parameters/nearest.js";
import { BuildError } from "../errors.js";
import { GATES } from "../gates/gate.js";
import { compileDateFormats } from "../input/date-format.js";
import { readGroupFile } from "../input/group-file.js";
import { readJsonFile } from "../input/json-file.js";
import { issueText } from "../input/json-issues.js";
import { fitsPattern, readMapFiles } from "../input/map-file.js";

const path = z.string().min(1);
const state = z.string().refine((code) => findJurisdiction(code) !== undefined, "expected a code such as CA");

const ruleSchema = z.strictObject({
	/** Pattern over the name of a file or folder: `*` any characters, `?` one. */
	match: z.string().min(1),
	maps: z.array(path).default([]),
	dateFormat: z.string().min(1).nullable().default(null),
	enrich: z.array(path).default([]),
	groups: path.nullable().default(null),
	/** Gates whose failure is accepted. */
	accept: z.array(z.enum(GATES)).default([]),
	/** Whether a month that passes its gates is published immediately. */
	publish: z.enum(["now", "hold"]).default("hold"),
	/** Whether a month that is already published is replaced; another one is published. */
	replace: z.boolean().default(false),
	/** As `build --merge-state`: the drop corrects only these states. */
	mergeState: z.array(state).default([]),
	/** As `build --carry`, from the newest earlier month. */
	carry: z.array(state).default([]),
	/** How a complete drop is recognised: it appears by a rename, or its size and time stop changing. */
	complete: z.enum(["rename", "rest"]).default("rest"),
});

const webhookSchema = z.strictObject({
	url: z.url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" }),
	/** File that contains the secret, `whsec_` and base64. */
	secretFile: path,
	/** Whether the address may be in a private network or of this machine. */
	allowPrivate: z.boolean().default(false),
});

const rulesSchema = z.strictObject({
	rules: z.array(ruleSchema).min(1),
	webhook: webhookSchema.nullable().default(null),
	/** Seconds between two scans of the folder. */
	pollSeconds: z.number().min(0.05).max(86_400).default(10),
	/** Seconds without a change after which a drop counts as complete. */
	restSeconds: z.number().min(0).max(86_400).default(60),
});

export type WatchRule = z.infer<typeof ruleSchema>;
export type WebhookRule = z.infer<typeof webhookSchema>;
export type WatchRules = z.infer<typeof rulesSchema>;

/**
 * Reads and checks a file of rules, and the files that it names, so that a mistake in them is told at the start and
 * not by the refusal of every drop. Throws {@link BuildError} `missing_file`, `unreadable_file` or `bad_rules`.
 */
export function readRules(file: string): WatchRules {
	const json = readJsonFile(file, "bad_rules");
	const parsed = rulesSchema.safeParse(json);
	if (!parsed.success) {
		throw new BuildError("bad_rules", ruleIssueText(parsed.error.issues[0], json), { file });
	}
	const from = (relative: string) => resolve(dirname(file), relative);
	const { rules, webhook, ...rest } = parsed.data;
	const resolved = rules.map((rule) => ({
		...rule,
		maps: rule.maps.map(from),
		enrich: rule.enrich.map(from),
		groups: rule.groups === null ? null : from(rule.groups),
	}));
	for (const [i, rule] of resolved.entries()) checkFiles(rule, `rules.${i}`, file);
	return {
		...rest,
		rules: resolved,
		webhook: webhook === null ? null : { ...webhook, secretFile: from(webhook.secretFile) },
	};
}

/** Reads the files of a rule, and its date format, as a build does. Throws {@link BuildError} `bad_rules`. */
function checkFiles({ maps, enrich, groups, dateFormat }: WatchRule, rule: string, file: string): void {
	const check = (setting: keyof WatchRule, act: () => void) => {
		try {
			act();
		} catch (error) {
			if (!(error instanceof BuildError)) throw error;
			throw new BuildError("bad_rules", `${rule}.${setting}: ${error.message}`, { file });
		}
	};
	check("maps", () => readMapFiles(maps));
	check("enrich", () => {
		const missing = enrich.find((path) => !existsSync(path));
		if (missing !== undefined) throw new BuildError("missing_file", "no such file", { file: missing });
	});
	check("groups", () => groups !== null && readGroupFile(groups));
	check("dateFormat", () => dateFormat !== null && compileDateFormats([dateFormat]));
}

/** The first rule for a drop of this name; undefined if there is none. */
export function ruleFor(rules: WatchRules, name: string): WatchRule | undefined {
	return rules.rules.find(({ match }) => fitsPattern(basename(name), match));
}

const KNOWN: Readonly<Record<string, readonly string[]>> = {
	"": Object.keys(rulesSchema.shape),
	rules: Object.keys(ruleSchema.shape),
	webhook: Object.keys(webhookSchema.shape),
};

function ruleIssueText(issue: z.core.$ZodIssue, json: unknown): string {
	if (issue.code !== "unrecognized_keys") return issueText(issue, json);
	const known = KNOWN[String(issue.path[0] ?? "")] ?? [];
	const place = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
	return `${place}no setting ${quoted(issue.keys[0])}${didYouMean(issue.keys[0], known) || "."} The settings are ${known.join(", ")}`;
}
