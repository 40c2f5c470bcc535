/** Hints where rosters publish one date of issue alone: what reads the other (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows, STATE_ROWS } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

/** Texas publishes the first issue alone, New York the last, and Quebec neither. */
const DROPPED: Readonly<Record<string, readonly string[]>> = {
	TX: ["member_license_issued"],
	NY: ["member_license_first_issued"],
	QC: ["member_license_issued", "member_license_first_issued"],
};

const FIRST = "; first_issued_after reads member_license_first_issued, which rows have";

test("where no row has one date of issue, hints tell what reads the other", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const rows = monthRows("2026-11").map((row) => ({
		...row,
		...Object.fromEntries((DROPPED[row.state ?? ""] ?? []).map((column) => [column, ""])),
	}));
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	const key = await served.key();
	const listed = async (query: string, by = key) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints?.map(
			({ message }) => message,
		);
	const none = 'no row in TX has issued_after "2020-01-01"; no row there has a member_license_issued';
	assert.deepEqual(await listed("state=TX&issued_after=2020-01-01"), [`${none}${FIRST}`]);
	assert.deepEqual(await listed("state=NY&first_issued_before=2020-01-01"), [
		'no row in NY has first_issued_before "2020-01-01"; no row there has a member_license_first_issued; ' +
			"issued_before reads member_license_issued, which rows have",
	]);
	assert.deepEqual(await listed("state=QC&issued_after=2020-01-01"), [
		'no row in QC has issued_after "2020-01-01"; no row there has a member_license_issued',
	]);
	assert.deepEqual(await listed("state=TX,CA&issued_after=1990-01-01"), [
		`no row of TX has a value in member_license_issued, so issued_after leaves out all ${STATE_ROWS.TX} rows there${FIRST}`,
	]);
	assert.deepEqual(await listed("state=TX,CA&present=member_license_issued"), [
		`no row of TX has a value in member_license_issued, so present leaves out all ${STATE_ROWS.TX} rows there`,
	]);
	const { meta } = await served.ok(aggregateResponse, "/v1/aggregate?by=issued_year&state=TX", key);
	assert.deepEqual(
		meta.hints?.map(({ message }) => message),
		[
			`no row of TX has a value in member_license_issued: issued_year is null in ${STATE_ROWS.TX} rows there` +
				"; first_issued_year reads member_license_first_issued, which rows have",
		],
	);
	const columns = COLUMNS.map(({ name }) => name).filter((name) => name !== "member_license_first_issued");
	const narrow = await served.key({ scope: { columns } });
	assert.deepEqual(await listed("state=TX&issued_after=2020-01-01", narrow), [none]);
});
