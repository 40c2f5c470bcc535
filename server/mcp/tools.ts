/**
 * The table of tools. A tool is an operation of the API with defaults, size limits and descriptions for
 * agents; validation, scope, masking and the answer are the operation's, so a tool and its HTTP endpoint
 * cannot differ but in form: rows are arrays of values in the order of `columns`.
 *
 * Invariant: `tools/list` lists the table in its order, as constant text, which clients and model
 * providers can cache.
 */

import { type ColumnName, FILTERS_BY_NAME } from "../../formats/index.js";
import { aggregateOperation } from "../api/endpoints/aggregate.js";
import { changesOperation } from "../api/endpoints/changes.js";
import { historyOperation } from "../api/endpoints/history.js";
import { licenseOperation } from "../api/endpoints/license.js";
import { licensesOperation } from "../api/endpoints/licenses.js";
import { meOperation } from "../api/endpoints/me.js";
import { snapshotsOperation } from "../api/endpoints/snapshots.js";
import { statesOperation } from "../api/endpoints/states.js";
import { statsOperation } from "../api/endpoints/stats.js";
import { suggestOperation } from "../api/endpoints/suggest.js";
import { verifyOperation } from "../api/endpoints/verify.js";
import type { AnyOperation } from "../api/operation-table.js";
import { LICENSE_OBJECT } from "../api/schemas/verify-parameters.js";
import type { Grant } from "../api/scope/grant.js";
import { NARROWED } from "./arguments.js";
import type { JsonObject } from "./json-rpc.js";
import { type ArgumentTexts, inputSchema, type OutputSchema, outputSchema } from "./json-schemas.js";
import { licenseChanges } from "./results/changes-result.js";
import { aggregateLicenses, getStats, suggestValues } from "./results/group-results.js";
import { licenseHistory } from "./results/history-result.js";
import { getLicense } from "./results/license-result.js";
import { searchLicenses } from "./results/search-result.js";
import { verifyLicenses } from "./results/verify-result.js";
import { bodyOf, type Tool, type ToolAnswer } from "./tool.js";

/** Default of `limit` in searches and changes. */
export const SEARCH_LIMIT_DEFAULT = 25;

/** Default of `fields`: who, which license, and whether it is valid. */
const BRIEF_COLUMNS: readonly ColumnName[] = [
	"id",
	"state",
	"member_full_name",
	"member_type",
	"member_city",
	"office_name",
	"member_state_license_number",
	"member_license_status",
	"member_license_expires",
];

/** Entries of changes name the license themselves. */
const BRIEF_CHANGE_COLUMNS = BRIEF_COLUMNS.filter(
	(column) => column !== "state" && column !== "member_state_license_number",
);

/** A license's rows differ by month and not by whom they are of. */
const BRIEF_HISTORY_COLUMNS: readonly ColumnName[] = [
	"snapshot",
	"id",
	...BRIEF_COLUMNS.filter((column) => column !== "id" && column !== "state"),
];

/** The granted ones of `columns`; every granted column if fewer than four of them are. */
function briefFields(columns: readonly ColumnName[]): (grant: Grant) => JsonObject {
	return (grant) => {
		const read = columns.filter((column) => grant.reads(column));
		const fields = read.length > 3 ? read : grant.projection.columns;
		return { fields, [NARROWED]: read.length < columns.length };
	};
}

function withLimit(fields: (grant: Grant) => JsonObject): (grant: Grant) => JsonObject {
	return (grant) => ({ limit: SEARCH_LIMIT_DEFAULT, ...fields(grant) });
}

interface ToolText {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly without?: readonly string[];
	readonly texts?: ArgumentTexts;
	/** Schemas of arguments that are not what their documentation says. */
	readonly schemas?: Readonly<Record<string, JsonObject>>;
	readonly output: OutputSchema;
	readonly defaults?: (grant: Grant) => JsonObject;
	readonly answer?: ToolAnswer;
}

const MONTH = "YYYY-MM, default latest.";
const DATA = outputSchema("data", "meta");

function tool(operation: unknown, words: ToolText): Tool {
	const { parameters } = operation as AnyOperation;
	const own = Object.keys(parameters.shape);
	const taken = own.filter((name) => !(words.without ?? []).includes(name));
	const listed = taken.filter((name) => !FILTERS_BY_NAME.get(name)?.aliases.includes(name));
	const { name, title, description, texts = {}, schemas } = words;
	return {
		listed: {
			name,
			title,
			description,
			inputSchema: inputSchema(parameters.shape, listed, texts, schemas),
			outputSchema: words.output,
			annotations: { readOnlyHint: true },
		},
		parameters: taken,
		operation: operation as AnyOperation,
		defaults: words.defaults ?? (() => ({})),
		answer: words.answer ?? ((given, call) => bodyOf(operation as AnyOperation, given, call)),
	};
}

const SAME_FILTERS = "Filters as in search_licenses.";

export const TOOLS: readonly Tool[] = [
	tool(licensesOperation, {
		name: "search_licenses",
		title: "Search licenses",
		description:
			"Find real-estate licenses (US, Canada) of a month. Filters combine with AND; a list means any of its values. " +
			"Look people up with name. status_group and type_group mean the same in every state, where license_status and member_type are each state's own words (get_stats lists them). " +
			`Returns {columns, rows}: by default ${SEARCH_LIMIT_DEFAULT} rows of id, state, full name, type, city, office, number, status and expiry; pagination.total counts all matches. ` +
			"Next page: the same call with cursor pagination.next_cursor. Count by aggregate_licenses, not pages. No rows: read meta.hints before you say that a license does not exist. " +
			"No filter reads e-mails or phones. Exports: GET /v1/licenses, same filters, format=csv.",
		without: ["format"],
		output: outputSchema("columns", "rows", "pagination", "meta"),
		defaults: withLimit(briefFields(BRIEF_COLUMNS)),
		answer: searchLicenses,
		texts: {
			snapshot: MONTH,
			state: "Codes such as CA.",
			name: "Words of a person's name in any order; accents, punctuation, nicknames and typos are forgiven. Best match first.",
			last_name: "Prefix, any case; so are first_name and office_name.",
			office_name_is: "Whole name, any case.",
			city: "Exactly, as suggest lists it.",
			postal_code: "Exact; postal_prefix has ZIP+4 too.",
			license_number: "Exactly; verify_licenses finds other spellings.",
			present: "Each column has a value.",
			missing: "No column has one.",
			issued_after: "YYYY-MM-DD; bounds are inclusive.",
			first_issued_after: "Licensed since; issued may be the last renewal.",
			fields:
				"Columns to return. Others: snapshot, country, member_first_name, member_last_name, member_address, member_state_or_province, member_postal_code, office_broker_name, member_license_issued, member_license_first_issued, " +
				"member_email, member_preferred_phone (published), matched_email, matched_phone (matched, US), agent_count (licenses of the office name in the state, unfiltered), last_refreshed, license_status_group, member_type_group.",
			limit: "At most 1000.",
			count: "false: skip the total.",
		},
	}),
	tool(licenseOperation, {
		name: "get_license",
		title: "Get one license",
		description:
			"All columns of one row by its id, which a license has anew each month. By number: search_licenses with state and license_number.",
		output: DATA,
		answer: getLicense,
	}),
	tool(historyOperation, {
		name: "license_history",
		title: "License history",
		description:
			"One license month by month: data.changes lists each change of status, type, dates, name, office or place, newest first; present_in and missing_in name the months. " +
			"Give state and license_number, or id of any of its rows. Needs a key with history. No rows: verify_licenses finds other spellings of the number.",
		output: outputSchema("columns", "data", "meta"),
		defaults: briefFields(BRIEF_HISTORY_COLUMNS),
		answer: licenseHistory,
		texts: { state: "One code." },
	}),
	tool(changesOperation, {
		name: "license_changes",
		title: "Changes between months",
		description:
			"Licenses new, gone or changed (contacts, addresses aside) between two months, with meta.totals (limit 1 counts). With filters_on older, kind gone and changed: who lost a license (status_group active, field license_status_group) or left an office (office_name_is, field office_name). Joiners: filters_on newer, kind new and changed. " +
			`${SAME_FILTERS} They read the newer row; of gone ones, the older. Needs history.`,
		without: ["format"],
		output: outputSchema("columns", "data", "pagination", "meta"),
		defaults: withLimit(briefFields(BRIEF_CHANGE_COLUMNS)),
		answer: licenseChanges,
		texts: {
			from: "Default: the month before to.",
			to: MONTH,
			field: "Changed columns.",
		},
		schemas: {
			status_group: { $ref: "#/$defs/s" },
			type_group: { $ref: "#/$defs/s" },
		},
	}),
	tool(statesOperation, {
		name: "list_states",
		title: "States and provinces",
		description: "Codes, names and rows of the states and provinces that the key reads.",
		output: DATA,
	}),
	tool(snapshotsOperation, {
		name: "list_snapshots",
		title: "Monthly snapshots",
		description: "The loaded months, newest first; accessible says which the key may read.",
		output: DATA,
	}),
	tool(statsOperation, {
		name: "get_stats",
		title: "Statistics and vocabularies",
		description:
			"Rows, share with each contact, licenses by days to expiry (from meta.as_of, the month's last day), and the words for license_status and member_type, without state only the most frequent.",
		output: DATA,
		answer: getStats,
		texts: { state: "One code." },
	}),
	tool(aggregateOperation, {
		name: "aggregate_licenses",
		title: "Count licenses by group",
		description:
			"Exact counts by one or two of state, country, office_name, member_city, member_postal_code, license_status, status_group, member_type, type_group, expires_month, issued_month, issued_year, first_issued_month, first_issued_year; largest first. " +
			"compare, an older month, adds rows_before and change (one dimension; a key with history); sort growth or decline lists only what grew or shrank. " +
			`${SAME_FILTERS} Top brokerages: by office_name with present office_name and status_group active. meta.rows: all matches; null: without a value.`,
		without: ["cursor"],
		output: DATA,
		answer: aggregateLicenses,
		texts: {
			snapshot: MONTH,
			top: "Groups, default 20, at most 1000.",
			min_count: "Least rows of a group.",
		},
		schemas: {
			status_group: { $ref: "#/$defs/s" },
			type_group: { $ref: "#/$defs/s" },
		},
	}),
	tool(suggestOperation, {
		name: "suggest",
		title: "Complete a name",
		description:
			"Values of city, office or last_name that begin with q, any case, most rows first: the spellings that search_licenses needs.",
		output: DATA,
		answer: suggestValues,
		texts: {
			q: "Two letters or more.",
			state: "One code.",
			limit: "1 to 20; default 10.",
		},
	}),
	tool(verifyOperation, {
		name: "verify_licenses",
		title: "Verify license numbers",
		description:
			"Whether licenses exist and belong to the people named: for each of up to 500, in order, match, mismatch (name differs), similar (exists in another spelling, which similar lists), ambiguous, not_found, out_of_scope. differs: names unlike the row's, also of similar. " +
			"10 licenses count as one request.",
		output: outputSchema("columns", "data", "meta"),
		defaults: briefFields(BRIEF_COLUMNS),
		answer: verifyLicenses,
		texts: { snapshot: MONTH },
		schemas: {
			license: { type: "array", items: LICENSE_OBJECT },
		},
	}),
	tool(meOperation, {
		name: "whoami",
		title: "Describe this key",
		description:
			"Tier, limits, quota used and scope of the calling key (null: unrestricted). Demo and trial keys see e-mails and phones masked.",
		output: outputSchema("data"),
	}),
];

export const TOOL_NAMES: readonly string[] = TOOLS.map((t) => t.listed.name);

const byName: ReadonlyMap<string, Tool> = new Map(TOOLS.map((t) => [t.listed.name, t]));

export function findTool(name: string): Tool | undefined {
	return byName.get(name);
}
