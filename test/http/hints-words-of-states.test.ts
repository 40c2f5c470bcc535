/** Hints on statuses and types by the words and groups that states have, and on short names of cities (docs/API.md §7.8.6). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { COLUMNS } from "../../formats/index.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const STATUSES = ["Suspendu", "Suspendu à la demande du titulaire", "SUSPENDU - AVIS", "Suspendue", "Actif"];

const rows: readonly DropRow[] = monthRows("2026-11").map((row, i) => ({
	...row,
	...(row.state === "QC" ? { member_license_status: STATUSES[i % STATUSES.length] } : {}),
	...(row.state === "ON" ? { member_license_status: "Suspendu à la demande du titulaire" } : {}),
	...(row.state === "ON" ? { member_type: "Broker", member_city: "New York" } : {}),
	...(row.state === "CA" ? { member_type: i % 2 === 0 ? "BROKER" : "BROKER-ASSOCIATE" } : {}),
}));

let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	await publish(served.dataFolder, "2026-12", rows);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

/** The hints on longer words. */
async function longerHints(query: string, by = key) {
	const { meta } = await served.ok(licensesResponse, `/v1/licenses?${query}`, by);
	return (meta.hints ?? []).filter(({ message }) => message.includes(" a longer "));
}

function naiveCount(column: keyof DropRow, values: readonly string[], state: string): number {
	return rows.filter((row) => row.state === state && values.includes(row[column] ?? "")).length;
}

test("longer words that begin with the given one are told in the states that have it, each with its group where that is another", async () => {
	const longer = [STATUSES[1], STATUSES[2]];
	const count = naiveCount("member_license_status", longer, "QC");
	for (const query of ["state=QC&license_status=Suspendu", "license_status=Suspendu"]) {
		const [hint, ...others] = await longerHints(query);
		assert.deepEqual(others, [], query);
		assert.deepEqual([hint.param, hint.value], ["license_status", "Suspendu"]);
		assert.deepEqual([...hint.nearest].sort(), [...longer].sort());
		assert.ok(hint.message.startsWith(`${count} rows of QC have a longer license_status: `), hint.message);
		assert.ok(hint.message.includes(`"${STATUSES[1]}" (status_group inactive)`), hint.message);
		assert.ok(!hint.message.includes(`"${STATUSES[2]}" (`), "a word of no known meaning has no group");
	}
	const [type] = await longerHints("state=CA&member_type=BROKER");
	assert.equal(
		type.message,
		`${naiveCount("member_type", ["BROKER-ASSOCIATE"], "CA")} rows of CA have a longer member_type: ` +
			'"BROKER-ASSOCIATE" (type_group associate_broker); matching is exact, so give these too where they are meant',
	);
});

test("longer words are not told where they are given, beside a filter on groups, or of states without the word; states not to a key that does not read them", async () => {
	const columns = COLUMNS.map(({ name }) => name);
	const without = (...names: string[]) => ({
		scope: { columns: columns.filter((each) => !names.includes(each)) },
	});
	const given = STATUSES.slice(0, 3).map((status) => `license_status=${encodeURIComponent(status)}`);
	for (const query of [
		`state=QC&${given.join("&")}`,
		"state=QC&license_status=Suspendu&status_group=suspended",
		"state=QC&license_status=Suspendue",
		"state=QC&license_status=Suspend",
		`state=QC,ON&${given.slice(1).join("&")}`,
	])
		assert.deepEqual(await longerHints(query), [], query);
	const [stateless] = await longerHints("license_status=Suspendu", await served.key(without("state")));
	assert.match(stateless.message, /^\d+ rows in this snapshot have a longer license_status: /);
	const [ungrouped] = await longerHints(
		"license_status=Suspendu",
		await served.key(without("license_status_group")),
	);
	assert.doesNotMatch(ungrouped.message, /status_group/);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA", "ON"] } } });
	assert.deepEqual(await longerHints("member_type=Salesperson", narrow), []);
});

test("a group is recommended where rows of the states asked for are of it; else that none is", async () => {
	const { meta } = await served.ok(licensesResponse, "/v1/licenses?state=ON&member_type=SALESPERSON", key);
	assert.deepEqual(meta.hints?.[0].nearest, ["Broker"]);
	assert.match(meta.hints?.[0].message ?? "", /; no row there has type_group salesperson$/);
	const other = await served.ok(licensesResponse, "/v1/licenses?state=ON&type_not=SALESPERSON", key);
	assert.match(other.meta.hints?.[0].message ?? "", /; no row there has type_group salesperson$/);
	const own = await served.ok(licensesResponse, "/v1/licenses?state=ON&member_type=BROKER", key);
	assert.match(own.meta.hints?.[0].message ?? "", /; type_group broker has all that mean it$/);
});

test("a short name of a city is answered with the whole one", async () => {
	for (const city of ["NYC", "nyc", "N.Y.C.", "NYC, NY"]) {
		const { meta } = await served.ok(licensesResponse, `/v1/licenses?city=${city}`, key);
		assert.deepEqual(meta.hints?.[0].nearest, ["New York"], city);
	}
});
