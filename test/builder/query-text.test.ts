/** Queries on the command line are read by the API's rules: the same values, refused in the same words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQueryText } from "../../builder/commands/query-text.js";
import { BuildError } from "../../builder/errors.js";
import { FILTERS } from "../../formats/index.js";
import { licensesOperation } from "../../server/api/endpoints/licenses.js";
import { ApiError } from "../../server/api/errors.js";
import { decodeQuery } from "../../server/api/parameters/request-query.js";
import { Grant } from "../../server/api/scope/grant.js";
import { builderFolder, csv, stateRows } from "./builder-process.js";

const WHOLE_GRANT = new Grant({
	scope: { geography: null, columns: null, history: { mode: "all" } },
	scopeTag: "all",
	masked: false,
});

const ALL_PARAMETERS = ["page", "limit", "count", "fields", "format"] as const;

/** What the API reads of a query string: the query, or the message of its 400. */
function byApi(text: string): unknown {
	try {
		return licensesOperation.read(decodeQuery(text, licensesOperation.repeatable), WHOLE_GRANT).query;
	} catch (error) {
		if (error instanceof ApiError) return error.message;
		throw error;
	}
}

function byCommand(text: string): unknown {
	try {
		return parseQueryText(text, ALL_PARAMETERS).query;
	} catch (error) {
		if (error instanceof BuildError) return error.text;
		throw error;
	}
}

const VALUES = [
	"CA",
	"ca,TX",
	"California",
	"US",
	"Sm",
	"2026-02-28",
	"2026-02-30",
	"",
	"%zz",
	"%00",
	"a%2Cb+c",
];

test("each filter reads each value as the API does", () => {
	for (const { param, aliases } of FILTERS) {
		for (const name of [param, ...aliases]) {
			for (const value of VALUES) {
				const text = `${name}=${value}`;
				assert.deepEqual(byCommand(text), byApi(text), text);
			}
		}
	}
});

test("sorts, pages and combinations are read as the API reads them", () => {
	const texts = [
		"",
		"state=CA&state=TX",
		"zip=1&postal_code=2",
		"issued_after=2026-02-01&issued_before=2026-01-01",
		"sort=member_last_name,id&order=desc",
		"sort=member_email",
		"order=down",
		"page=0",
		"page=600&limit=100",
		"limit=1001",
		"page=2&limit=50&count=false",
		"fields=id&format=csv",
		"fields=nothing",
		"format=xml",
		"last_name=%ff",
		"state=CA&&expires_before=2026-12-31",
		`city=${"x".repeat(1001)}`,
	];
	for (const text of texts) assert.deepEqual(byCommand(text), byApi(text), text);
});

test("an unknown parameter is refused with the nearest one", () => {
	for (const text of ["stat=CA", "stat=", "stat", "stat=CA&stat=TX", "stat=%ff"]) {
		assert.match(String(byCommand(text)), /^no parameter "stat"; did you mean "state"\?/, text);
	}
	assert.match(String(byCommand("2026-11")), /^no parameter "2026-11"\. The parameters are snapshot, /);
	assert.match(String(byCommand("state=")), /^state is empty; /);
});

test("dump and explain refuse what the API refuses, and print nothing", async (t) => {
	const builder = builderFolder(t);
	await builder.json(
		"build",
		builder.write("a-2026-09.csv", csv([...stateRows("CA", 3), ...stateRows("TX", 2)])),
	);
	for (const command of ["dump", "explain"]) {
		const unknown = await builder.run(command, "state=California");
		assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
		assert.match(
			unknown.stderr,
			/^builder: state has no state or province "California"; did you mean "CA"\?/,
		);
	}
	const lower = await builder.run("dump", "state=tx");
	assert.equal(lower.stdout.split("\n").filter((line) => line.startsWith("US,TX,")).length, 2);
	const limited = await builder.run("dump", "limit=1");
	assert.deepEqual([limited.code, limited.stdout], [1, ""]);
});
