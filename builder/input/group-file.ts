/**
 * Group files: an operator's own entries for the groups of statuses and types. JSON, by column, then state
 * (`*`: every state), then text:
 *
 * `{"license_status": {"OH": {"Paused": "inactive"}}, "member_type": {"*": {"Guild Member": "broker"}}}`
 */

import { z } from "zod";
import {
	didYouMean,
	findJurisdiction,
	type GroupEntry,
	GroupTable,
	JURISDICTIONS,
	normalWording,
	quoted,
	STATUS_GROUPS,
	TYPE_GROUPS,
} from "../../formats/index.js";
import { BuildError } from "../errors.js";
import { readJsonFile } from "./json-file.js";
import { issueText } from "./json-issues.js";

const entries = (groups: readonly [string, ...string[]]) =>
	z.record(z.string(), z.record(z.string().min(1), z.enum(groups))).default({});

const schema = z.strictObject({ license_status: entries(STATUS_GROUPS), member_type: entries(TYPE_GROUPS) });

/** The table of groups with the entries of a file. Throws {@link BuildError}. */
export function readGroupFile(path: string): GroupTable {
	const json = readJsonFile(path, "bad_map");
	const parsed = schema.safeParse(json);
	if (!parsed.success) {
		const [issue] = parsed.error.issues;
		const message =
			issue.code === "unrecognized_keys" ? unknownColumn(issue.keys[0]) : issueText(issue, json);
		throw new BuildError("bad_map", message, { file: path });
	}
	const { license_status, member_type } = parsed.data;
	return new GroupTable([
		...entriesOf("license_status_group", license_status, path),
		...entriesOf("member_type_group", member_type, path),
	]);
}

function unknownColumn(name: string): string {
	const columns = Object.keys(schema.shape);
	return `no column of groups ${quoted(name)}${didYouMean(name, columns) || "."} The columns are ${columns.join(" and ")}`;
}

function entriesOf(
	column: GroupEntry["column"],
	states: Readonly<Record<string, Readonly<Record<string, string>>>>,
	file: string,
): GroupEntry[] {
	return Object.entries(states).flatMap(([state, texts]) => {
		if (state !== "*" && findJurisdiction(state) === undefined) {
			const codes = JURISDICTIONS.map((jurisdiction) => jurisdiction.state);
			const message = `no state or province ${quoted(state)}${didYouMean(state, codes) || "."} * stands for all of them`;
			throw new BuildError("bad_map", message, { file });
		}
		refuseContradictions(texts, state, file);
		return Object.entries(texts).map(([text, group]) => ({ column, state, text, group }));
	});
}

/** Refuses two groups for spellings of one wording, of which the last would win. */
function refuseContradictions(texts: Readonly<Record<string, string>>, state: string, file: string): void {
	const seen = new Map<string, string>();
	for (const [text, group] of Object.entries(texts)) {
		const other = seen.get(normalWording(text)) ?? text;
		if (texts[other] !== group) {
			const rule = `${quoted(other)} and ${quoted(text)} of ${quoted(state)} are one wording and cannot have two groups`;
			throw new BuildError("bad_map", rule, { file });
		}
		seen.set(normalWording(text), text);
	}
}
