/** Names of tools that agents guess, and the tool that is suggested for them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMeanTool } from "../../server/mcp/tool-names.js";
import { TOOL_NAMES } from "../../server/mcp/tools.js";

const MEANT: Readonly<Record<string, string | null>> = {
	searchLicenses: "search_licenses",
	find_agents: "search_licenses",
	get_license_by_number: "search_licenses",
	count_licenses: "aggregate_licenses",
	top_offices: "aggregate_licenses",
	list_cities: "aggregate_licenses",
	get_changes: "license_changes",
	compareMonths: "license_changes",
	get_history: "license_history",
	list_months: "list_snapshots",
	get_states: "list_states",
	get_statistics: "get_stats",
	verify_license: "verify_licenses",
	autocomplete: "suggest",
	get_usage: "whoami",
	list_columns: null,
	export: null,
};

test("a name that no tool has is answered by the tool that does what it says, or by none", () => {
	for (const [name, tool] of Object.entries(MEANT)) {
		const expected = tool === null ? "" : `; did you mean "${tool}"?`;
		assert.equal(didYouMeanTool(name, TOOL_NAMES), expected, name);
	}
});

test("only tools that are offered are suggested", () => {
	assert.equal(didYouMeanTool("get_history", ["search", "fetch"]), "");
});
