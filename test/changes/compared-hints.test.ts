/** Hints of aggregates of two months (docs/API.md §11.3): what of either month the groups leave out. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";

const compared = (served: ServedFixture, query: string, key: string) =>
	served.ok(aggregateResponse, `/v1/aggregate?${query}`, key);

test("a name that is spelled otherwise than before is told with the rows of the other spelling", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const spelled = (office: string) =>
		monthRows("2026-11").map((row, i) => (i < 9 ? { ...row, office_name: office } : row));
	await publish(served.dataFolder, "2026-12", spelled("Lake View Realty"));
	await publish(served.dataFolder, "2027-01", spelled("LAKE VIEW REALTY"));
	await served.reload();
	const key = await served.key();
	const hintsOf = async (sort: string) => {
		const { data, meta } = await compared(served, `by=office_name&compare=2026-12&sort=${sort}`, key);
		assert.equal(data.length, 1);
		return (meta.hints ?? []).map(({ param, message }) => [param, message]);
	};
	const told = (group: string, other: string, where: string) =>
		`each spelling is a group of its own: beside "${group}" 9 more rows are of "${other}"${where}; office_name_is counts a name in all letter cases`;
	assert.deepEqual(await hintsOf("growth"), [
		["by", told("LAKE VIEW REALTY", "Lake View Realty", " in 2026-12")],
	]);
	assert.deepEqual(await hintsOf("decline"), [["by", told("Lake View Realty", "LAKE VIEW REALTY", "")]]);
});

test("where no row of one of the months meets the filters, a hint says so, of that month", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const status = (word: string) =>
		monthRows("2026-11").map((row) => ({ ...row, member_license_status: word }));
	await publish(served.dataFolder, "2026-12", status("Active"));
	await publish(served.dataFolder, "2027-01", status("Current"));
	await served.reload();
	const key = await served.key();
	const hintsOf = async (query: string) =>
		(await compared(served, `by=state&compare=2026-12&state=TX&${query}`, key)).meta.hints ?? [];
	for (const [query, month, word, meant] of [
		["sort=growth", "2026-12", "Current", "Active"],
		["sort=decline", "2027-01", "Active", "Current"],
	]) {
		const [hint] = await hintsOf(`${query}&license_status=${word}`);
		assert.match(hint.message, new RegExp(`^in ${month}: no row in TX has license_status "${word}"`), query);
		assert.deepEqual(hint.nearest, [meant]);
	}
	const [none, why] = await hintsOf("sort=growth&license_status=Active");
	assert.deepEqual([none.param, why.nearest], ["sort", ["Current"]]);
});

test("a state that publishes a column in one of the months alone is told of both, since it passes for growth or decline", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const without = (states: readonly string[]) =>
		monthRows("2026-11").map((row) =>
			states.includes(row.state ?? "") ? { ...row, member_license_status: "" } : row,
		);
	await publish(served.dataFolder, "2026-12", without(["NY", "TX"]));
	await publish(served.dataFolder, "2027-01", without(["NY"]));
	await publish(served.dataFolder, "2027-02", without(["NY"]));
	await served.reload();
	const key = await served.key();
	const told = async (query: string, at = "2027-01", before = "2026-12") => {
		const { meta } = await compared(served, `snapshot=${at}&compare=${before}&${query}`, key);
		return (meta.hints ?? []).map(({ param, message }) => [param, message]);
	};
	const rowsOf = async (state: string) => {
		const { data } = await compared(served, "by=state&snapshot=2027-01&compare=2026-12", key);
		return data.find(({ by }) => by.state === state)?.rows_before ?? 0;
	};
	const [newYork, texas] = [await rowsOf("NY"), await rowsOf("TX")];
	assert.ok(newYork > 0 && texas > 0);
	const none = (states: string) => `no row of ${states} has a value in member_license_status`;
	const isNull = (states: string, rows: number) =>
		`${none(states)}: license_status is null in ${rows} rows there`;
	assert.deepEqual(await told("by=license_status&sort=growth"), [
		["by", `in 2027-01: ${isNull("NY", newYork)}`],
		["by", `in 2026-12: ${isNull("NY, TX", newYork + texas)}`],
	]);
	const leftOut = (param: string, states: string, rows: number) =>
		`${none(states)}, so ${param} leaves out all ${rows} rows there`;
	for (const [param, query] of [
		["license_status", "license_status=Active&license_status=Current&license_status=Licensed&state=CA,NY,TX"],
		["present", "present=member_license_status"],
	]) {
		const hints = (await told(`by=state&sort=growth&${query}`)).filter(([, message]) =>
			message.includes("so "),
		);
		assert.deepEqual(hints, [
			[param, `in 2027-01: ${leftOut(param, "NY", newYork)}`],
			[param, `in 2026-12: ${leftOut(param, "NY, TX", newYork + texas)}`],
		]);
	}
	const same = await told("by=license_status", "2027-02", "2027-01");
	assert.deepEqual(same, [["by", isNull("NY", newYork)]], "months alike are told once");
});
