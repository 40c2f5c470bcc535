/** The parameters of /v1/exports and of its files (docs/API.md §11.7). */

import { z } from "zod";
import {
	EXPORT_FORMATS,
	type ExportFormat,
	findJurisdiction,
	QUERY_RULES,
	RuleViolation,
	WHOLE_MONTH,
} from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import type { ParameterObject } from "../parameters/validation.js";
import { oneState, snapshotParameter } from "./endpoint-parameters.js";
import { documented } from "./value-types.js";

export interface ExportsParameters {
	readonly snapshot?: string;
	readonly state?: string;
}

export const exportsParameters = z.strictObject({
	snapshot: snapshotParameter,
	state: oneState,
}) as unknown as ParameterObject<ExportsParameters>;

/** A file as its path names it. */
export interface NamedExport {
	/** Null: the whole month. */
	readonly state: string | null;
	readonly format: ExportFormat;
}

export interface ExportFileParameters {
	readonly snapshot: string;
	readonly file: NamedExport;
}

const FILE_RULE = `must be a state's code or ${WHOLE_MONTH}, with the end ${EXPORT_FORMATS.map((format) => `.${format}`).join(", ")}`;

export const exportFileParameters = z.strictObject({
	snapshot: documented(schemaOfRule(QUERY_RULES.snapshot), {
		description: "Month of the snapshot, YYYY-MM. A prior month needs the history entitlement.",
		schema: { type: "string", pattern: "^\\d{4}-(0[1-9]|1[0-2])$" },
		example: "2026-11",
	}),
	file: documented(
		schemaOfRule((given): NamedExport | RuleViolation => {
			const named = typeof given === "string" ? readName(given) : null;
			return named ?? new RuleViolation(FILE_RULE);
		}),
		{
			description: `Name of the file: ${FILE_RULE.replace("must be ", "")}.`,
			schema: {
				type: "string",
				pattern: `^([A-Z]{2}|${WHOLE_MONTH})(\\.reso)?\\.(parquet|csv\\.gz|ndjson\\.gz)$`,
			},
			example: "CA.parquet",
		},
	),
}) as unknown as ParameterObject<ExportFileParameters>;

function readName(name: string): NamedExport | null {
	const dot = name.indexOf(".");
	const format = EXPORT_FORMATS.find((each) => each === name.slice(dot + 1));
	const part = name.slice(0, dot);
	if (dot < 0 || format === undefined) return null;
	if (part === WHOLE_MONTH) return { state: null, format };
	const state = part.toUpperCase();
	return findJurisdiction(state) === undefined ? null : { state, format };
}
