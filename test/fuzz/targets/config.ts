/**
 * Config files and variables of the server. Model: they give a complete configuration, each of whose
 * values satisfies its rule, or a ConfigError in one line that names the file or the variable.
 *
 * An input is a document with the content of the file, as a text or as a document, and the variables.
 */

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema, resolveConfig, SETTINGS } from "../../../server/settings/config.js";
import type { FuzzTarget } from "../fuzzer.js";
import { type JsonWords, mutateJson } from "../mutations.js";
import { checkConfigError } from "./operator-error.js";
import { scratchFolder } from "./scratch-folder.js";

const INPUT_LENGTH_MAX = 20_000;

const WORDS: JsonWords = {
	keys: [
		...SETTINGS,
		...SETTINGS.map((setting) => `ROLLCALL_${setting.toUpperCase()}`),
		"file",
		"environment",
	],
	values: [
		...[0, 1, 2, 256, 257, 65_535, 65_536, 0.5, "0.5", "8080", "1e3", "0x10", " 80", "+1", "2", "999999999"],
		..."auto uws node info silent debug * https://example.com http://a,http://b 127.0.0.1 :: ./data".split(
			" ",
		),
		["*"],
		["https://example.com"],
		["*", "https://example.com"],
		true,
	],
	members: [
		["workers", 2],
		["transport", "node"],
		["cors_origins", ["https://example.com"]],
		["log_level", "debug"],
		["access_log_share", 0.5],
		["keys_stale_after", 30],
		["ROLLCALL_KEYS_STALE_AFTER", "30s"],
		["ROLLCALL_CORS_ORIGINS", "https://a.example,https://b.example"],
		["ROLLCALL_PORT", "0"],
		["ROLLCALL_WORKERS", "256"],
		["ROLLCALL_ACCESS_LOG_SHARE", "1.5"],
		["ROLLCALL_CONFIG", "/nowhere.json"],
	],
};

const SEEDS = [
	'{"file":{"port":8080,"workers":2,"log_level":"info"},"environment":{}}',
	'{"file":{"cors_origins":["https://example.com"],"transport":"auto"},"environment":{"ROLLCALL_PORT":"9000"}}',
	'{"file":{"access_log_share":0.01,"shed_after_ms":"1000"},"environment":{"ROLLCALL_CORS_ORIGINS":"*"}}',
	'{"file":"{\\"port\\": 1","environment":{"ROLLCALL_WORKERS":"2","ROLLCALL_PROT":"1"}}',
];

/** A bug planted on request: two sources of one setting that no rule catches. */
function plant(file: unknown, environment: Record<string, string>): void {
	if (typeof file !== "object" || file === null) return;
	if (!("workers" in file)) return;
	if (!("log_level" in file)) return;
	if ("ROLLCALL_CORS_ORIGINS" in environment) throw new TypeError("planted");
}

interface Source {
	readonly file?: unknown;
	readonly environment?: unknown;
}

export async function configTarget(faulty: boolean): Promise<FuzzTarget> {
	const scratch = scratchFolder();
	const path = join(scratch, "config.json");
	return {
		name: "config",
		covers: ["/dist/server/settings/config.js", "/dist/test/fuzz/targets/config.js"],
		seeds: SEEDS,
		mutate: (input, other, draw) => mutateJson(input, other, WORDS, draw).slice(0, INPUT_LENGTH_MAX),
		async run(input) {
			const { file, environment } = sourceOf(input);
			writeFileSync(path, typeof file === "string" ? file : (JSON.stringify(file) ?? ""));
			try {
				const { config, sources } = resolveConfig({ flags: {}, environment, file: path });
				assert.deepEqual(configSchema.parse(config), config, "a configuration is its own reading");
				assert.deepEqual(Object.keys(sources).sort(), [...SETTINGS].sort());
				if (faulty) plant(file, environment);
			} catch (error) {
				const variable = Object.keys(environment).find((name) => String(error).includes(name));
				checkConfigError(error, variable ?? path);
			}
		},
		async close() {
			rmSync(scratch, { recursive: true });
		},
	};
}

/** The values of a mutant; an environment has texts only. */
function sourceOf(input: string): { file: unknown; environment: Record<string, string> } {
	let source: Source | null = null;
	try {
		source = JSON.parse(input) as Source | null;
	} catch {
		// A mutant that is not JSON is the file's text.
	}
	if (typeof source !== "object" || source === null) return { file: input, environment: {} };
	const environment = Object.entries(source.environment ?? {}).map(([name, value]) => [name, String(value)]);
	return { file: source.file ?? {}, environment: Object.fromEntries(environment) };
}
