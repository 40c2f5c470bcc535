/** Enrichment adds contacts to US rows by license and reports the number of matches. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuildReport } from "../../builder/report/build-report.js";
import { openLibrary, type Snapshot } from "../../engine/index.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";
import { type BuilderFolder, builderFolder, csv, published } from "./builder-process.js";

const DROP = [
	{ state: "CA", member_state_license_number: "1", matched_email: "own@a.example", matched_phone: "1" },
	{ state: "CA", member_state_license_number: "1", matched_email: "", matched_phone: "" },
	{ state: "CA", member_state_license_number: "2", matched_email: "own@b.example", matched_phone: "" },
	{ state: "TX", member_state_license_number: "1", matched_email: "", matched_phone: "" },
	{ state: "TX", member_state_license_number: "", matched_email: "", matched_phone: "" },
	{ state: "ON", member_state_license_number: "1", matched_email: "", matched_phone: "" },
];

const CONTACTS = `state,member_state_license_number,matched_email,matched_phone
CA,1,new@a.example,
CA,1,second@a.example,999
TX,1,tx@c.example,"555, ext. 1"
TX,77,nobody@c.example,1
ON,1,on@d.example,2
NY,1,ny@e.example,3
CA,,none@f.example,4
`;

function contactsOf(snapshot: Snapshot): (string | number | null)[][] {
	const rows = Array.from({ length: snapshot.rows }, (_, row) => row);
	const columns = ["state", "member_state_license_number", "matched_email", "matched_phone"] as const;
	return rows.map((row) => columns.map((column) => snapshot.value(row, column)));
}

async function enriched(builder: BuilderFolder, ...args: string[]): Promise<BuildReport> {
	const drop = builder.write("drop-2026-09.csv", csv(DROP));
	return builder.json<BuildReport>(
		"build",
		drop,
		"--enrich",
		builder.write("contacts.csv", CONTACTS),
		...args,
	);
}

test("contacts are joined by state and license number, to US rows only", async (t) => {
	const builder = builderFolder(t);
	const { enrichment, rows } = await enriched(builder);
	assert.equal(rows, 6);
	const latest = openLibrary({ dataFolder: builder.data }).latest as Snapshot;
	assert.deepEqual(contactsOf(latest), [
		["ON", "1", null, null],
		// The first contact of a license is used; columns that it lacks keep the drop's value.
		["CA", "1", "new@a.example", "1"],
		["CA", "1", "new@a.example", null],
		["CA", "2", "own@b.example", null],
		["TX", "1", "tx@c.example", "555, ext. 1"],
		["TX", null, null, null],
	]);
	assert.deepEqual(
		{ ...enrichment, sources: undefined },
		{
			sources: undefined,
			contacts: 7,
			used: 2,
			repeated: 1,
			ignored: 2,
			unused: 2,
			states: [
				{ state: "CA", rows: 3, matched: 2 },
				{ state: "TX", rows: 2, matched: 1 },
			],
		},
	);
});

test("the number of threads does not affect the month that is built", async (t) => {
	const [one, two] = [builderFolder(t), builderFolder(t)];
	await enriched(one, "--threads", "1");
	await enriched(two, "--threads", "3");
	const digest = ({ data }: BuilderFolder) => openLibrary({ dataFolder: data }).latest?.digest;
	assert.equal(digest(one), digest(two));
});

test("contacts that cannot be used stop the build, and agent_count is computed where it is absent", async (t) => {
	const builder = builderFolder(t);
	const drop = builder.write(
		"drop-2026-09.csv",
		csv([
			{ state: "CA", member_state_license_number: "1", office_name: "A" },
			{ state: "CA", member_state_license_number: "2", office_name: "A" },
			{ state: "ON", member_state_license_number: "3", office_name: "A" },
		]),
	);
	const bare = builder.write("bare.csv", "state,member_state_license_number\nCA,1\n");
	const refused = await builder.run("build", drop, "--enrich", bare, "--json");
	assert.equal(refused.code, 1);
	assert.equal(refused.stderr, `builder: ${bare}: contacts need a column matched_email or matched_phone\n`);
	const broken = builder.write(
		"broken.csv",
		"state,member_state_license_number,matched_email\nZZ,1,a@b.example\n",
	);
	const rejected = await builder.run("build", drop, "--enrich", broken, "--json");
	assert.match(rejected.stderr, /gate rejects: 1 of 1 rows .*broken\.csv, line 2, column state/);
	assert.deepEqual(published(builder.data), []);
	await builder.json("build", drop);
	const latest = openLibrary({ dataFolder: builder.data }).latest as Snapshot;
	assert.deepEqual(
		[0, 1, 2].map((row) => latest.value(row, "agent_count")),
		[null, 2, 2],
	);
});

test("what is odd of the contacts is reported, and contacts without a row are refused", async (t) => {
	const builder = builderFolder(t);
	const drop = builder.write("drop-2026-09.csv", csv(DROP));
	const map = builder.write("map.json", '{"match": "drop-*", "columns": {"City": "member_city"}}');
	const contacts = builder.write("contacts.csv", CONTACTS.replace("matched_phone", "phone"));
	const build = ["build", drop, "--map", map, "--enrich"];
	const { oddities } = await builder.json<BuildReport>(...build, contacts, "--dry-run");
	assert.deepEqual(
		oddities.filter(({ file }) => file === contacts).map(({ kind, column }) => [kind, column]),
		[["unknown_column", "phone"]],
	);
	const empty = builder.write("empty.csv", "state,member_state_license_number,matched_email\n");
	const refused = await builder.run(...build, empty);
	assert.deepEqual([refused.code, refused.stderr], [1, `builder: ${empty}: the contacts have no rows\n`]);
	assert.deepEqual(published(builder.data), []);
});

test("random contacts are joined and counted as one by one", async (t) => {
	tellSeed(t, 1);
	const draw = new Draw(SEED);
	const license = () => ({
		state: draw.pick(["CA", "TX", "ON"]),
		member_state_license_number: draw.pick(["", "1", "2", "3", "4", "5", "6"]),
	});
	const rows = Array.from({ length: 40 }, (_, i) => ({ ...license(), member_email: `row${i}@a.example` }));
	const contacts = Array.from({ length: 25 }, (_, i) => ({ ...license(), matched_email: `${i}@a.example` }));
	const key = (one: ReturnType<typeof license>) => `${one.state} ${one.member_state_license_number}`;
	const isJoined = (one: ReturnType<typeof license>) =>
		one.state !== "ON" && one.member_state_license_number !== "";
	const first = new Map<string, string>();
	let repeated = 0;
	for (const contact of contacts.filter(isJoined)) {
		if (first.has(key(contact))) repeated++;
		else first.set(key(contact), contact.matched_email);
	}
	const emailOf = (row: ReturnType<typeof license>) => (isJoined(row) ? (first.get(key(row)) ?? null) : null);
	const builder = builderFolder(t);
	const { enrichment } = await builder.json<BuildReport>(
		...["build", builder.write("drop-2026-09.csv", csv(rows)), "--accept", "all"],
		...["--enrich", builder.write("contacts.csv", csv(contacts))],
	);
	const used = new Set(rows.map(emailOf).filter((email) => email !== null)).size;
	assert.deepEqual(
		[enrichment?.used, enrichment?.unused, enrichment?.repeated, enrichment?.ignored],
		[used, first.size - used, repeated, contacts.filter((contact) => !isJoined(contact)).length],
	);
	const latest = openLibrary({ dataFolder: builder.data }).latest as Snapshot;
	const matched = Array.from({ length: latest.rows }, (_, row) => [
		latest.value(row, "member_email"),
		latest.value(row, "matched_email"),
	]);
	assert.deepEqual(new Map(matched as never), new Map(rows.map((row) => [row.member_email, emailOf(row)])));
});

test("a license number that most contacts and rows have in common costs no more than others", async (t) => {
	const builder = builderFolder(t);
	const shared = (states: readonly string[]) =>
		states.map((state, i) => ({
			state,
			member_state_license_number: "PENDING",
			matched_email: `${i}@a.example`,
		}));
	const rows = builder.write("drop-2026-09.csv", csv(shared(Array(40_000).fill("TX"))));
	const contacts = builder.write("contacts.csv", csv(shared([...Array(40_000).fill("CA"), "TX"])));
	const { enrichment, seconds } = await builder.json<BuildReport>(
		...["build", rows, "--accept", "all", "--enrich", contacts],
	);
	assert.deepEqual([enrichment?.used, enrichment?.unused, enrichment?.repeated], [1, 1, 39_999]);
	// Compared pair by pair, they took seven.
	assert.ok(Number(seconds.enrich) < 2, `joined in ${seconds.enrich} s`);
});
