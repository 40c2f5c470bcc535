/** Months that receive only some states, and what commands print when they fail. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type BuilderFolder, builderFolder, csv, published, stateRows } from "./builder-process.js";

async function dumped(builder: BuilderFolder, query: string): Promise<string> {
	const { code, stdout, stderr } = await builder.run("dump", query);
	assert.equal(code, 0, stderr);
	return stdout;
}

/** Rows whose values are hard to carry: quotes, line ends, a count that the builder would compute otherwise. */
function hardRows() {
	return [
		...stateRows("TX", 20).map((row, i) => ({ ...row, agent_count: String(100 + i) })),
		{
			...stateRows("TX", 1, 900)[0],
			member_full_name: 'Ann "A,\nB" Lee',
			office_name: "=1+1",
			agent_count: "7",
		},
		...stateRows("NY", 10).map((row) => ({ ...row, agent_count: "" })),
		...stateRows("CA", 30).map((row) => ({ ...row, agent_count: "3" })),
	];
}

test("a state is corrected alone: the others' rows stay as they were, byte for byte", async (t) => {
	const builder = builderFolder(t);
	const columns = ["agent_count", ...Object.keys(stateRows("CA", 1)[0])];
	await builder.json("build", builder.write("a-2026-11.csv", csv(hardRows(), columns)));
	const before = { TX: await dumped(builder, "state=TX"), NY: await dumped(builder, "state=NY") };
	assert.match(before.TX, /"Ann ""A,\nB"" Lee"/);
	// Contacts and a map that would change the carried rows: they apply to the files alone.
	const contacts = builder.write(
		"contacts.csv",
		csv([
			{ state: "TX", member_state_license_number: "TX-1", matched_email: "changed@example.org" },
			{ state: "CA", member_state_license_number: "CA-1", matched_email: "given@example.org" },
		]),
	);
	const map = builder.write("map.json", '{"values":{"member_license_status":{"Active":"A"}}}');
	const fixed = builder.write("ca-2026-11.csv", csv(stateRows("CA", 31)));
	const built = await builder.json<{ rows: number; churn: { states: { state: string; changed: number }[] } }>(
		...["build", fixed, "--merge-state", "ca", "--enrich", contacts, "--map", map, "--accept", "all"],
	);
	assert.equal(built.rows, 62);
	assert.deepEqual(
		built.churn.states.map(({ state, changed }) => [state, changed > 0]),
		[
			["CA", true],
			["NY", false],
			["TX", false],
		],
	);
	for (const [state, rows] of Object.entries(before))
		assert.equal(await dumped(builder, `state=${state}`), rows, state);
	const ca = await dumped(builder, "state=CA&license_number=CA-1");
	assert.match(ca, /given@example\.org/);
	assert.match(ca, /,A,/);
	// 6 of 31 rows have this office: computed, since the file has no counts.
	assert.match(ca, /,6,\n$/);
	assert.equal((await builder.json<{ rows: number }[]>("list"))[0].rows, 62);
	await builder.json("restore", "2026-11");
	assert.match(await dumped(builder, "state=CA&license_number=CA-1"), /,3,\n$/);
});

test("a state that sent nothing is carried over from another month", async (t) => {
	const builder = builderFolder(t);
	const october = csv([...stateRows("FL", 20), ...stateRows("CA", 20)]);
	await builder.json("build", builder.write("a-2026-10.csv", october));
	const fl = await dumped(builder, "snapshot=2026-10&state=FL");
	const november = builder.write("b-2026-11.csv", csv(stateRows("CA", 20)));
	const built = await builder.json<{ rows: number }>(
		...["build", november, "--carry", "FL", "--from", "2026-10", "--accept", "all"],
	);
	assert.equal(built.rows, 40);
	const carried = await dumped(builder, "snapshot=2026-11&state=FL");
	assert.equal(carried, fl);
});

test("a drop with other states than it should have is refused, and says what to do", async (t) => {
	const builder = builderFolder(t);
	const both = builder.write("a-2026-11.csv", csv([...stateRows("FL", 5), ...stateRows("CA", 5)]));
	await builder.json("build", both);
	const ca = builder.write("ca-2026-11.csv", csv(stateRows("CA", 6)));
	const refusals: (readonly [string[], RegExp])[] = [
		[[both, "--merge-state", "CA"], /a-2026-11\.csv: it has rows of FL, which --merge-state does not name/],
		[[ca, "--merge-state", "CA,FL"], /the files have no row of FL, which --merge-state names/],
		[[ca, "--month", "2026-12", "--merge-state", "CA", "--accept", "month"], /2026-12 is not published/],
		[[both, "--month", "2026-12", "--carry", "FL", "--accept", "month"], /rows of FL, which --carry takes/],
		[[ca, "--month", "2026-12", "--carry", "TX", "--accept", "month"], /2026-11 has no rows of TX to carry/],
		[[ca, "--month", "2026-12", "--carry", "FL", "--from", "2026-01"], /2026-01 is not published/],
	];
	for (const [args, message] of refusals) {
		const { code, stdout, stderr } = await builder.run("build", ...args, "--json");
		assert.equal(code, 1, stderr);
		assert.match(stderr, message);
		const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
		assert.equal(`builder: ${error.message}\n`, stderr);
		assert.match(error.code, /^(carried_state|not_published)$/);
	}
	for (const option of ["--merge-state", "--carry"]) {
		const { code, stderr } = await builder.run("build", ca, option, "CA,zz");
		assert.equal(code, 2);
		assert.match(stderr, new RegExp(`^error: option '${option} <codes>' .* no jurisdiction has the code ZZ`));
	}
	assert.deepEqual(published(builder.data), ["2026-11"]);
});

test("retired months are listed, unknown states refused, and failures are JSON documents", async (t) => {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("a-2026-10.csv", csv(stateRows("CA", 5))));
	await builder.json("build", builder.write("b-2026-11.csv", csv(stateRows("CA", 6))), "--accept", "all");
	const built = await builder.json<{ month: string; built_at: string }[]>("list");
	await builder.json("retire", "2026-10");
	assert.deepEqual(
		await builder.json<unknown[]>("list", "--retired"),
		built.filter(({ month }) => month === "2026-10"),
	);
	assert.equal((await builder.json<unknown[]>("list")).length, 1);
	const failures: (readonly [string[], number, string])[] = [
		[["dump", "state=ZZ", "--out", "x.csv"], 1, "bad_query"],
		[["dump", "state=California", "--out", "x.csv"], 1, "bad_query"],
		[["diff", "2026-10", "2026-11"], 1, "not_published"],
		[["inspect", "2026-10"], 1, "not_published"],
		[["build", "nowhere-2026-12.csv"], 1, "missing_file"],
		[["build", "nowhere.csv"], 1, "missing_file"],
		[["restore", "2026-09"], 1, "not_retired"],
		[["list", "--nope"], 2, "usage"],
		[["build", "x.csv", "--from", "2026-10"], 2, "usage"],
	];
	for (const [args, code, errorCode] of failures) {
		const ended = await builder.run(...args, "--json");
		const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string } };
		assert.deepEqual([ended.code, error.code], [code, errorCode], args.join(" "));
		assert.ok(ended.stderr.includes(error.message), ended.stderr);
	}
});

test("a month dumped with RESO names builds to the same rows with them", async (t) => {
	const builder = builderFolder(t);
	await builder.json(
		"build",
		builder.write("a-2026-10.csv", csv([...stateRows("CA", 5), ...stateRows("TX", 5)])),
	);
	const plain = await dumped(builder, "snapshot=2026-10");
	const out = builder.write("b-2026-11.csv", "");
	await builder.json("dump", "snapshot=2026-10", "--profile", "reso", "--out", out);
	assert.match(readFileSync(out, "utf8"), /^MemberCountry,MemberStateLicenseState,MemberFullName,/);
	await builder.json("build", out, "--profile", "reso", "--accept", "all");
	assert.equal(await dumped(builder, "snapshot=2026-11"), plain);
});
