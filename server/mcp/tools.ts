/**
 * The table of tools. A tool is an operation of the API with defaults, size limits and descriptions for
 * agents; validation, scope, masking and the answer are the operation's, so a tool and its HTTP endpoint
 * cannot differ.
 *
 * Invariant: `tools/list` lists the table in its order, as constant text, which clients and model
 * providers can cache.
 */

import type { Tool as ListedTool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { ColumnName } from "../../formats/index.js";
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
import { aggregateResponse } from "../api/schemas/aggregate-response.js";
import { changesResponse } from "../api/schemas/changes-response.js";
import {
	historyResponse,
	licenseResponse,
	licensesResponse,
	meResponse,
	snapshotsResponse,
	statesResponse,
	statsResponse,
	suggestResponse,
	verifyResponse,
} from "../api/schemas/endpoint-responses.js";
import type { Grant } from "../api/scope/grant.js";
import { inputSchema, outputSchema, type ParameterChanges } from "./json-schemas.js";
import type { JsonObject } from "./message.js";
import { frequentValues, largestGroups, newestRows, pageOfRows, type Run } from "./result-size.js";

export interface Tool {
	readonly listed: ListedTool;
	/** Arguments it takes. */
	readonly parameters: readonly string[];
	readonly operation: AnyOperation;
	/** Values of absent arguments, where they differ from HTTP's. */
	defaults(grant: Grant): JsonObject;
	/** Runs the operation and fits the result to the size limit. */
	sized(raw: Readonly<Record<string, unknown>>, run: Run): string;
}

/** Default of `limit` in searches. */
export const SEARCH_LIMIT_DEFAULT = 25;

/** Default of `fields`: who, which license, and whether it is valid. */
const BRIEF_COLUMNS: readonly ColumnName[] = [
	"id",
	"snapshot",
	"state",
	"member_full_name",
	"member_type",
	"member_city",
	"office_name",
	"member_state_license_number",
	"member_license_status",
	"member_license_expires",
];

/** The granted brief columns; every granted column if fewer than four of them are. */
function briefFields(grant: Grant): JsonObject {
	const read = BRIEF_COLUMNS.filter((column) => grant.reads(column));
	return { fields: read.length > 3 ? read : grant.projection.columns };
}

const notice = z.string().optional().describe("What was left out for size, and how to get it.");

const defaults = z
	.strictObject({ limit: z.int().optional(), fields: z.array(z.string()).optional() })
	.optional()
	.describe("Arguments that were not given and got the tool's own default.");

const SEARCH_OUTPUT = licensesResponse.extend({
	meta: licensesResponse.shape.meta.extend({ defaults }),
	next: z
		.strictObject({ page: z.int(), limit: z.int() })
		.nullable()
		.describe("Arguments for the next page, the other arguments unchanged; null: there is none."),
	notice,
});

const BRIEF_NOTE = `Default: ${BRIEF_COLUMNS.join(", ")}.`;
const ONE_OF_MANY =
	"exactly, case-sensitive. Spellings differ by state: call get_stats with the state first.";

/** Descriptions of parameters that several tools have. */
const WORDS: ParameterChanges = {
	snapshot: {
		description:
			"Month YYYY-MM; default: the latest. Prior months need the history entitlement: list_snapshots lists the accessible ones.",
	},
};

interface ToolText {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly without?: readonly string[];
	readonly changes?: ParameterChanges;
	readonly output: z.ZodType;
	readonly defaults?: (grant: Grant) => JsonObject;
	readonly sized?: Tool["sized"];
}

const asIs: Tool["sized"] = (raw, run) => run(raw);
const noDefaults = (): JsonObject => ({});

function tool(operation: unknown, words: ToolText): Tool {
	const { parameters } = operation as AnyOperation;
	const names = Object.keys(parameters.shape).filter((name) => !(words.without ?? []).includes(name));
	const { name, title, description } = words;
	return {
		listed: {
			name,
			title,
			description,
			inputSchema: inputSchema(parameters.shape, names, { ...WORDS, ...words.changes }),
			outputSchema: outputSchema(words.output),
			annotations: {
				title,
				readOnlyHint: true,
				destructiveHint: false,
				idempotentHint: true,
				openWorldHint: false,
			},
		},
		parameters: names,
		operation: operation as AnyOperation,
		defaults: words.defaults ?? noDefaults,
		sized: words.sized ?? asIs,
	};
}

export const TOOLS: readonly Tool[] = [
	tool(licensesOperation, {
		name: "search_licenses",
		title: "Search licenses",
		description:
			"Find real-estate licenses of the US and Canada in a monthly snapshot. Filters combine with AND; at least a state keeps results meaningful. " +
			"last_name and office_name match as prefixes in any case; all other text filters match exactly. " +
			"license_status and member_type have their own spellings in each state: read them from get_stats (with state) before filtering. " +
			`By default returns ${SEARCH_LIMIT_DEFAULT} rows and ten columns (${BRIEF_COLUMNS.join(", ")}), as meta.defaults repeats; set limit and fields for others. pagination.total counts all matches, and next holds the arguments of the next page. ` +
			"page × limit may not exceed 50,000. No rows: see meta.hints for the values that exist.",
		without: ["format"],
		output: SEARCH_OUTPUT,
		defaults: (grant) => ({ limit: SEARCH_LIMIT_DEFAULT, ...briefFields(grant) }),
		sized: pageOfRows,
		changes: {
			state: { description: "State or province codes; rows of any of them." },
			license_status: { description: `License status, ${ONE_OF_MANY}` },
			member_type: { description: `Type of license, ${ONE_OF_MANY}` },
			city: {
				description: "City of the licensee, exactly, case-sensitive: complete it with suggest (field city).",
			},
			sort: { description: "Columns to sort by, the most significant first; ties go by id." },
			fields: { description: `Columns to return. ${BRIEF_NOTE}` },
			limit: {
				description:
					"Rows per page. Pages too large for a result come back with fewer whole rows and a notice.",
				default: SEARCH_LIMIT_DEFAULT,
			},
			count: { description: "false skips counting all matches: pagination.total is null." },
		},
	}),
	tool(licenseOperation, {
		name: "get_license",
		title: "Get one license",
		description:
			"One license row with all columns, by the id of a search result. Ids belong to one snapshot: the same license has another id in another month. " +
			"To look a license up by its number, use search_licenses with state and license_number.",
		output: licenseResponse,
		changes: {
			id: { description: "The id of a row, from search_licenses or license_history." },
			fields: { description: "Columns to return; default: all that the key reads." },
		},
	}),
	tool(historyOperation, {
		name: "license_history",
		title: "Follow a license over the months",
		description:
			"How one license changed from month to month: present_in and missing_in name the snapshots, changes lists every tracked field that differs (status, type, dates, name, office, place), newest first. " +
			"Give either state and license_number, or id (of any of its rows). Needs the history entitlement (whoami tells). " +
			"Empty rows mean that no month has that license: check the number's spelling with search_licenses.",
		output: historyResponse.extend({
			meta: historyResponse.shape.meta.extend({ defaults }),
			notice,
		}),
		defaults: briefFields,
		sized: (raw, run) => newestRows(run(raw)),
		changes: { fields: { description: `Columns of the rows. ${BRIEF_NOTE}` } },
	}),
	tool(changesOperation, {
		name: "license_changes",
		title: "List what changed between months",
		description:
			"Licenses that are new, gone or changed from one month to a later one: who lost or got a license, who moved office, whose status changed. " +
			"kind and field choose; all filters of search_licenses apply (to the newer row; to the older where the license is gone). " +
			"meta.totals counts all that match, so ask with limit 1 to count. Needs the history entitlement (whoami tells).",
		without: ["format"],
		output: changesResponse.extend({ meta: changesResponse.shape.meta.extend({ defaults }) }),
		defaults: (grant) => ({ limit: SEARCH_LIMIT_DEFAULT, ...briefFields(grant) }),
		changes: {
			fields: { description: `Columns of row and previous. ${BRIEF_NOTE}` },
			limit: { description: "Entries to return.", default: SEARCH_LIMIT_DEFAULT },
			state: { description: "State or province codes; entries of any of them." },
		},
	}),
	tool(statesOperation, {
		name: "list_states",
		title: "List states and provinces",
		description: "States and provinces that the key reads, with their names and how many licenses each has.",
		output: statesResponse,
	}),
	tool(snapshotsOperation, {
		name: "list_snapshots",
		title: "List monthly snapshots",
		description:
			"The loaded months, newest first, with row counts; accessible tells which this key may read, meta.history why.",
		output: snapshotsResponse,
	}),
	tool(statsOperation, {
		name: "get_stats",
		title: "Get vocabularies and totals",
		description:
			"Counts over a snapshot: every license_status and member_type value with its rows (what search_licenses matches exactly), rows per country, contact coverage, and licenses by days to expiry. " +
			"Give state to get the values of that state alone.",
		output: statsResponse.extend({ notice }),
		sized: (raw, run) => frequentValues(run(raw)),
	}),
	tool(aggregateOperation, {
		name: "aggregate_licenses",
		title: "Count licenses by group",
		description:
			"How many licenses each group has, exactly, largest groups first: by one or two of state, country, office_name, member_city, member_postal_code, license_status, status_group, member_type, type_group, expires_month, issued_year. " +
			"Takes all filters of search_licenses. Use it in place of counting rows: brokerages with the most agents are by office_name with type_group and status_group as filters. " +
			"meta.rows counts all matches, meta.groups the groups, meta.other_rows what is in none of those returned; a null value stands for rows without one (present leaves them out).",
		without: ["zip"],
		output: aggregateResponse.extend({ notice }),
		sized: largestGroups,
		changes: {
			by: { description: "One or two dimensions to group by." },
			state: { description: "State or province codes; rows of any of them." },
		},
	}),
	tool(suggestOperation, {
		name: "suggest",
		title: "Complete a name",
		description:
			"Values of city, office or last_name that begin with q (two characters or more, any case), most rows first. Use it to find the spelling that search_licenses needs.",
		output: suggestResponse,
	}),
	tool(verifyOperation, {
		name: "verify_licenses",
		title: "Verify license numbers",
		description:
			"Whether licenses exist and are of the people named: one outcome for each, in the order given, with its rows. " +
			"similar means that the number exists only under another spelling (case, spaces, dashes, leading zeros, a suffix); similar lists it. " +
			"Every 10 licenses begun count as one request.",
		output: verifyResponse.extend({ meta: verifyResponse.shape.meta.extend({ defaults }), notice }),
		defaults: briefFields,
		changes: {
			license: {
				description: "Licenses to verify: state and license_number, and the names they should have.",
			},
			fields: { description: `Columns of the rows. ${BRIEF_NOTE}` },
		},
	}),
	tool(meOperation, {
		name: "whoami",
		title: "Describe this key",
		description:
			"What the calling key may do: tier, limits, quota used, and its scope (states, columns, history). Null members of scope are unrestricted; demo and trial keys see contacts masked.",
		output: meResponse,
	}),
];

export const TOOL_NAMES: readonly string[] = TOOLS.map((t) => t.listed.name);

const byName: ReadonlyMap<string, Tool> = new Map(TOOLS.map((t) => [t.listed.name, t]));

export function findTool(name: string): Tool | undefined {
	return byName.get(name);
}
