/**
 * Map files of the builder, as documents and as text. Model: a map file is accepted, or refused with a
 * BuildError in one line that names it; an accepted map binds to a header and reads a drop, or is
 * refused in the same way; and matching a file's name takes bounded time.
 */

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mapForFile, readMapFiles } from "../../../builder/input/map-file.js";
import { MAP_SETTINGS } from "../../../builder/input/map-schema.js";
import { planSource } from "../../../builder/input/source-plan.js";
import { INPUT_COLUMNS } from "../../../formats/index.js";
import type { FuzzTarget } from "../fuzzer.js";
import { type JsonWords, mutateJson } from "../mutations.js";
import { checkBuildError } from "./operator-error.js";
import { scratchFolder } from "./scratch-folder.js";

const INPUT_LENGTH_MAX = 20_000;
/** Names on which a naive matcher takes exponential time with many stars. */
const LONG_NAME = `${"a".repeat(200)}.csv`;
const MATCH_MS_MAX = 2_000;
const HEADER = ["State", "License Number", "Last Name", "member_city", "Expires"];

const JOINED = { columns: ["State", "Last Name"], separator: "-" };
const SPLIT = { pattern: "LAST, FIRST", into: { LAST: "member_last_name", FIRST: "member_first_name" } };

const WORDS: JsonWords = {
	keys: [
		...MAP_SETTINGS,
		..."files pattern into separator".split(" "),
		...HEADER,
		...INPUT_COLUMNS.map((column) => column.name),
	],
	values: [
		...INPUT_COLUMNS.map((column) => column.name),
		..."* *.csv ??-*.csv *a*a*a*a*a*a*a*a*b MM/DD/YYYY DD.MM.YYYY YYYYMMDD utf-8 latin1 cp850 ; | reject null".split(
			" ",
		),
		"\t",
		"TX",
		"US",
		"2026-01-01",
		true,
		["N/A", "-"],
		["state", "member_state_license_number"],
		{ State: "state", "License Number": "member_state_license_number" },
		{ state: "TX" },
		JOINED,
		SPLIT,
	],
	members: [
		["match", "*.csv"],
		["columns", { "License Number": "member_state_license_number" }],
		["constants", { state: "TX" }],
		["dateFormat", "MM/DD/YYYY"],
		["dateFormats", ["DD.MM.YYYY", "YYYYMMDD"]],
		["encoding", "cp850"],
		["delimiter", ";"],
		["nulls", ["N/A"]],
		["header", ["state", "member_state_license_number"]],
		["invalidDates", "null"],
		["missingCells", "null"],
		["skip", true],
		["profile", "reso"],
		["headerMatch", true],
		["skipLines", 2],
		["skipMatching", "^Total"],
		["coalesce", { member_city: ["member_city", "State"] }],
		["join", { member_address: ["State", "member_city"], member_city: JOINED }],
		["split", { "Last Name": SPLIT }],
		["values", { state: { Texas: "TX" } }],
		["pad", { member_state_license_number: 8 }],
		["trimDecimal", ["member_state_license_number"]],
		["country", "US"],
		["member_license_expires", "2026-01-01"],
	],
};

const SEEDS = [
	'{"columns":{"State":"state","License Number":"member_state_license_number","Last Name":"member_last_name"}}',
	'{"columns":{"License Number":"member_state_license_number"},"constants":{"state":"TX"},"dateFormat":"MM/DD/YYYY"}',
	'{"files":[{"match":"tx-*.csv","encoding":"latin1"},{"delimiter":";","nulls":["N/A"]}]}',
	'{"header":["state","member_state_license_number","x"],"invalidDates":"null","dateFormats":["DD.MM.YYYY"]}',
	`{"columns":{"State":"state"},"coalesce":{"member_state_license_number":["License Number","member_city"]},"missingCells":"null"}`,
	`{"constants":{"state":"TX"},"join":{"member_state_license_number":${JSON.stringify(JOINED)}},"trimFormula":["member_city"]}`,
	`{"profile":"reso","split":{"Last Name":${JSON.stringify(SPLIT)}},"pad":{"member_city":5},"values":{"member_city":{"A":""}}}`,
	'{"columns":{"Last Name":["member_last_name","member_full_name"],"Expires":null},"constants":{"country":"US"}}',
];

/** A bug planted on request: a map that no rule catches. */
function plant(text: string): void {
	const map = JSON.parse(text) as { constants?: unknown; nulls?: unknown; encoding?: unknown };
	if (map.constants === undefined) return;
	if (map.encoding === undefined) return;
	if (map.nulls !== undefined) throw new TypeError("planted");
}

export async function mapsTarget(faulty: boolean): Promise<FuzzTarget> {
	const scratch = scratchFolder();
	const path = join(scratch, "map.json");
	return {
		name: "maps",
		covers: ["/dist/builder/input/", "/dist/test/fuzz/targets/maps.js"],
		seeds: SEEDS,
		mutate: (input, other, draw) => mutateJson(input, other, WORDS, draw).slice(0, INPUT_LENGTH_MAX),
		async run(input) {
			writeFileSync(path, input);
			try {
				const maps = readMapFiles([path]);
				if (faulty) plant(input);
				const begunMs = performance.now();
				const map = mapForFile(maps, LONG_NAME);
				const tookMs = performance.now() - begunMs;
				assert.ok(tookMs < MATCH_MS_MAX, `matching a name took ${Math.round(tookMs)} ms`);
				for (const header of [HEADER, map.header === true ? [] : map.header])
					planSource(0, header, map, null, { file: path, line: 1 });
			} catch (error) {
				checkBuildError(error, path);
			}
		},
		async close() {
			rmSync(scratch, { recursive: true });
		},
	};
}
