/**
 * Hints on words that differ in letters alone, also of one state, and on what filters that leave out values keep
 * (docs/API.md §7.8.6): their numbers are those of a look at every row.
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { type DropRow, monthRows } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const rows: readonly DropRow[] = monthRows("2026-11").map((row, i) => ({
	...row,
	...(row.state === "ON" && i % 3 === 0 ? { member_type: "SALESPERSON" } : {}),
	...(row.state === "QC" && i % 3 === 0 ? { member_type: "sales-person" } : {}),
	...(row.state === "TX" && i % 4 === 0 ? { member_license_status: "Active - Good Standing" } : {}),
	...(row.state === "TX" && i % 4 === 1 ? { member_license_status: "Active-Good Standing" } : {}),
	...(row.state === "CA" && i % 7 === 0 ? { member_license_status: "" } : {}),
	...(row.state === "CA" && i % 7 === 1 ? { member_license_status: "Unheard Of" } : {}),
	...(row.state === "CA" && i % 5 === 0 ? { member_city: "AUSTIN" } : {}),
	...(row.state === "NY" && i % 5 === 0 ? { member_city: "SPRINGFIELD" } : {}),
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

async function hintsOf(query: string, by = key) {
	return (await served.ok(licensesResponse, `/v1/licenses?${query}`, by)).meta.hints ?? [];
}

async function told(query: string, by = key) {
	return (await hintsOf(query, by)).map(({ param, value, message }) => `${param} ${value}: ${message}`);
}

/** Rows with a value of a column, of all states or some. */
function count(column: keyof DropRow, values: readonly string[], ...states: string[]): number {
	return rows.filter(
		(row) => values.includes(row[column] ?? "") && (states.length === 0 || states.includes(row.state ?? "")),
	).length;
}

const EACH = "matching is exact, so give each of these too";

test("words of one state that differ in letter case or punctuation are told, and of several states together", async () => {
	assert.deepEqual(await told("state=ON&member_type=Salesperson"), [
		`member_type Salesperson: ${count("member_type", ["SALESPERSON"], "ON")} rows of ON have member_type "SALESPERSON": ${EACH}`,
	]);
	assert.deepEqual(await told("state=TX&license_status=Active - Good Standing"), [
		`license_status Active - Good Standing: ${count("member_license_status", ["Active-Good Standing"], "TX")} rows of TX have license_status "Active-Good Standing": ${EACH}`,
	]);
	const others = count("member_type", ["SALESPERSON", "sales-person"], "ON", "QC");
	const [first] = await told("country=CA&member_type=Salesperson");
	assert.ok(first.startsWith(`member_type Salesperson: ${others} rows of ON, QC have member_type `), first);
	const [grouped] = await told("state=ON&member_type=Salesperson&type_group=salesperson");
	assert.ok(grouped.includes(`have member_type "SALESPERSON": ${EACH}`), grouped);
	for (const query of [
		"state=ON&member_type=Salesperson&member_type=SALESPERSON",
		"state=CA&member_type=Salesperson",
		"state=TX&license_status=Inactive",
		"state=ON",
	])
		assert.deepEqual(await told(query), [], query);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["CA", "QC"] } } });
	const [inQuebec] = await told("member_type=Salesperson", narrow);
	assert.match(inQuebec, /: \d+ rows? of QC ha\w+ member_type "sales-person": /);
});

test("a state that has a word in other letters alone is told once, with the spelling", async () => {
	const hints = await hintsOf("state=ON,QC&member_type=Salesperson");
	const [spelled, worded, ...others] = hints;
	assert.deepEqual(others, []);
	assert.deepEqual([...spelled.nearest].sort(), ["SALESPERSON", "sales-person"]);
	assert.equal(worded, undefined);
});

test("rows that a filter keeps in other words are told with these and the groups to ask for", async () => {
	const active = ["Active", "Active-Good Standing", "Active - Good Standing", "Current", "Licensed"];
	const kept = [...active.slice(1), "Registered", "Actif"];
	const [hint, ...others] = await hintsOf("status_not=Active");
	assert.deepEqual(others, []);
	assert.deepEqual([...hint.nearest].sort(), [...kept].sort());
	const number = count("member_license_status", kept);
	assert.ok(
		hint.message.startsWith(
			`${number} rows in this snapshot have other words or letters of that meaning, which status_not keeps: `,
		),
		hint.message,
	);
	assert.match(hint.message, /keeps: ("[^"]+", ){4}"[^"]+" and 1 more; give these too/);
	const instead =
		/; give these too, or ask for status_group (.*), which leaves out (\d+) rows of no status_group$/;
	const [, groups, ungrouped] = instead.exec(hint.message) ?? [];
	assert.equal(Number(ungrouped), count("member_license_status", [""]));
	assert.deepEqual(groups?.split(", ").sort(), ["expired", "inactive", "other", "suspended"]);
	// What the hint says to ask for leaves out all rows that it counts, and no others of a known meaning.
	const total = async (query: string) =>
		(await served.ok(licensesResponse, `/v1/licenses?${query}&limit=1`, key)).pagination.total ?? 0;
	const asked = groups?.split(", ").map((group) => `status_group=${group}`) ?? [];
	assert.equal(
		await total(asked.join("&")),
		(await total("status_not=Active&present=license_status_group")) - number,
	);
	const [inTexas] = await hintsOf("state=TX&status_not=Active");
	assert.ok(
		inTexas.message.startsWith(
			`${count("member_license_status", active.slice(1, 3), "TX")} rows in TX have `,
		),
	);
	assert.match(inTexas.message, /; give these too, or ask for status_group inactive instead$/);
	const [type] = await hintsOf("state=ON&type_not=Salesperson");
	assert.deepEqual(
		[type.param, type.value, type.nearest.includes("SALESPERSON")],
		["type_not", "Salesperson", true],
	);
	const all = active
		.slice(0, 4)
		.map((status) => `status_not=${status}`)
		.join("&");
	for (const query of [
		`state=TX,NY&${all}`,
		"status_not=Active&status_group=active",
		"state=NY&status_not=Expired",
	])
		assert.deepEqual(await told(query), [], query);
	const [agents] = await told("state=TX,NY&type_not=Sales Agent");
	const inNewYork = count("member_type", ["Salesperson"], "NY");
	assert.ok(agents.startsWith(`type_not Sales Agent: ${inNewYork} rows in TX, NY have other words `), agents);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["TX", "NY"] } } });
	const [narrowed] = await hintsOf("status_not=Active", narrow);
	assert.deepEqual([...narrowed.nearest].sort(), [
		"Active - Good Standing",
		"Active-Good Standing",
		"Current",
	]);
});

test("beside a word of no known meaning no groups are offered, which would leave its rows out or in", async () => {
	const [hint] = await hintsOf("status_not=Active&status_not=Unheard Of");
	assert.match(hint.message, /; give these too$/);
});

test("hints with a filter on groups are not those without one, whichever was asked first", async () => {
	const type = "member_type=Salesperson";
	const typed = [await hintsOf(`${type}&type_group=salesperson`), await hintsOf(type)];
	assert.deepEqual([typed[0].length, typed[1].length], [1, 2]);
	const status = "license_status=Active - Good Standing";
	const stated = [await hintsOf(status), await hintsOf(`${status}&status_group=active`)];
	assert.deepEqual([stated[0].length, stated[1].length], [2, 1]);
});

test("rows that a filter keeps in other spellings of a city are told, in one hint", async () => {
	const cities = ["AUSTIN", "SPRINGFIELD"];
	const [hint, ...others] = await hintsOf("city_not=Austin&city_not=Springfield&city_not=Fairview");
	assert.deepEqual(others, []);
	assert.deepEqual([hint.param, hint.value, hint.nearest], ["city_not", "Austin, Springfield", cities]);
	assert.equal(
		hint.message,
		`${count("member_city", cities)} rows in this snapshot have member_city "AUSTIN", "SPRINGFIELD", which city_not keeps: ` +
			"it leaves out the exact names alone, so give each of these too",
	);
	assert.deepEqual(await told("state=TX&city_not=Austin"), []);
	assert.deepEqual(await told("city_not=Austin&city_not=AUSTIN"), []);
	const list = Array.from({ length: 22 }, (_, i) => `city_not=${i === 0 ? "Austin" : `Nowhere ${i}`}`);
	const last = (await hintsOf(list.join("&"))).at(-1);
	assert.match(last?.message ?? "", /; 2 more values of city_not were not looked at for other spellings$/);
	const narrow = await served.key({ scope: { geography: { countries: [], states: ["NY"] } } });
	assert.deepEqual((await hintsOf("city_not=Springfield", narrow))[0].nearest, ["SPRINGFIELD"]);
	assert.deepEqual(await told("city_not=Austin", narrow), []);
});
