/** Hints of what is made from a column that some states do not publish: groups, vocabularies, suggestions, offices (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

let rows: DropRow[];
let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	let texan = 0;
	rows = monthRows("2026-11").map((row) => {
		const name = { member_last_name: "Smith", office_name: "Smart", member_license_status: "Active" };
		if (row.state === "NY")
			return { ...row, member_last_name: "", office_name: "", member_license_status: "" };
		// Most rows of Texas, but not all, have none.
		if (row.state === "TX" && texan++ > 2)
			return { ...row, ...name, office_name: "", member_license_status: "" };
		return { ...row, ...name };
	});
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key({ scope: { history: { mode: "all" } } });
});
after(() => served.close());

/** The messages of hints on columns that states do not publish. */
async function told(path: string, by = key): Promise<string[]> {
	const { text } = await served.request(`/v1/${path}`, by);
	const { meta } = JSON.parse(text) as { meta: { hints?: { message: string }[] } };
	return (meta.hints ?? [])
		.map(({ message }) => message)
		.filter((message) => /: .* rows? there/.test(message));
}

function naiveCount(column: "office_name" | "member_last_name" | "member_license_status", city = ""): number {
	return rows.filter(
		(row) =>
			["NY", "TX"].includes(row.state ?? "") &&
			row[column] === "" &&
			(city === "" || row.member_city === city),
	).length;
}

const NONE = "no row of NY has a value in";
const FEW = "and most rows of TX have none";

test("states that do not publish a column are told where groups, vocabularies, suggestions or offices leave them out", async () => {
	const statuses = naiveCount("member_license_status");
	const offices = naiveCount("office_name");
	const names = naiveCount("member_last_name");
	const group = `${NONE} license_status_group, ${FEW}: status_group is null in ${statuses} rows there`;
	const city = "Austin";
	const there = naiveCount("office_name", city);
	assert.ok(there > 0 && there < offices);
	for (const [path, expected] of [
		["aggregate?by=status_group", [group]],
		["aggregate?by=state,status_group", [group]],
		["aggregate?by=status_group&compare=2026-11", [`in 2026-12: ${group}`]],
		[
			`aggregate?by=office_name&city=${city}`,
			[`${NONE} office_name, ${FEW}: office_name is null in ${there} rows there`],
		],
		["stats", [`${NONE} member_license_status, ${FEW}: license_status leaves out ${statuses} rows there`]],
		[
			"suggest?field=last_name&q=sm",
			[`${NONE} member_last_name: suggestions leave out ${names} rows there; name searches full names`],
		],
		[
			"suggest?field=office&q=sm",
			[`${NONE} office_name, ${FEW}: suggestions leave out ${offices} rows there`],
		],
		["offices", [`${NONE} office_name, ${FEW}: offices leave out ${offices} rows there`]],
	] as const)
		assert.deepEqual(await told(path), expected, path);
	const [ofTexas] = await told("stats?state=TX");
	assert.match(
		ofTexas,
		/^most rows of TX have no member_license_status: license_status leaves out \d+ rows there$/,
	);
});

test("nothing is told of states that publish the column, or that are not asked for or read, nor where no value is asked for", async () => {
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA"] } } });
	const columns = COLUMNS.map(({ name }) => name).filter((name) => name !== "state");
	const stateless = await served.key({ scope: { columns } });
	for (const [path, by] of [
		["aggregate?by=status_group&state=CA", key],
		["aggregate?by=status_group&missing=member_license_status", key],
		["aggregate?by=office_name&present=office_name", key],
		["aggregate?by=member_type", key],
		["stats?state=CA", key],
		["suggest?field=office&q=sm&state=CA", key],
		["offices?state=CA", key],
		["aggregate?by=status_group", narrow],
		["stats", narrow],
		["suggest?field=office&q=sm", narrow],
		["offices", narrow],
		["aggregate?by=status_group", stateless],
		["stats", stateless],
		["suggest?field=office&q=sm", stateless],
	] as const)
		assert.deepEqual(await told(path, by), [], path);
});
