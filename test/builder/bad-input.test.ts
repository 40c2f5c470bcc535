/** Bad input ends in one line that names the place, exit code 1, and nothing published. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { zipBytes } from "../csv/zip-bytes.js";
import {
	type BuilderFolder,
	builderFolder,
	csv,
	type Ended,
	folderBytes,
	published,
	stateRows,
} from "./builder-process.js";

const HEADER = "state,member_state_license_number,member_last_name,member_license_expires";
const GOOD = Array.from({ length: 20 }, (_, i) => `CA,${i},Name${i},2027-01-01`).join("\n");

/** The last line of a refused command; progress lines may precede it. */
function refusal({ code, stdout, stderr }: Ended, expected: 1 | 2 = 1): string {
	assert.equal(code, expected, stderr);
	assert.equal(stdout, "");
	const lines = stderr.trimEnd().split("\n");
	const told = lines.filter((line) => line.startsWith("builder: "));
	assert.equal(told.length, 1, stderr);
	assert.equal(lines.at(-1), told[0], "the refusal comes last");
	assert.doesNotMatch(stderr, /\n\s+at /, "no stack");
	return told[0];
}

/** A folder with one published month, which every refusal must leave unchanged. */
async function withPublished(t: TestContext): Promise<{ builder: BuilderFolder; unchanged: () => void }> {
	const builder = builderFolder(t);
	await builder.json("build", builder.write("drop-2026-09.csv", `${HEADER}\n${GOOD}\n`));
	const before = folderBytes(join(builder.data, "snapshots"));
	const unchanged = () => {
		assert.deepEqual(folderBytes(join(builder.data, "snapshots")), before);
		assert.deepEqual(readdirSync(join(builder.data, "staging")), []);
		assert.deepEqual(readdirSync(join(builder.data, "manifests")), ["2026-09.json"]);
	};
	return { builder, unchanged };
}

interface BadInput {
	readonly what: string;
	readonly content: string | Uint8Array;
	/** What the line must contain besides the file's name. */
	readonly says: readonly RegExp[];
}

const BAD_INPUTS: readonly BadInput[] = [
	{ what: "an empty file", content: "", says: [/empty/] },
	{ what: "a file of blank lines", content: "\n\n\n", says: [/nothing but blank lines/] },
	{ what: "a header without rows", content: `${HEADER}\n`, says: [/no rows to publish/] },
	{ what: "a file without a header", content: `${GOOD}\n`, says: [/line 1/, /header/] },
	{
		what: "a missing required column",
		content: `state,member_last_name\n${"CA,Name\n".repeat(20)}`,
		says: [/line 1/, /member_state_license_number/, /missing/],
	},
	{
		what: "a column that stands twice",
		content: `${HEADER},state\nCA,1,Name,2027-01-01,CA\n`,
		says: [/line 1/, /column state/, /twice/],
	},
	{
		what: "a record with a wrong number of columns",
		content: `${HEADER}\n${GOOD}\nCA,20,Name20\n`,
		says: [/line 22/, /wrong_column_count/],
	},
	{
		what: "a quote that is never closed",
		content: `${HEADER}\n${GOOD}\nCA,20,"Name20,2027-01-01\n`,
		says: [/line 22/, /quote/],
	},
	{
		what: "bytes that are no UTF-8",
		content: Buffer.concat([
			Buffer.from(`${HEADER}\n${GOOD}\nCA,20,Garc`),
			Buffer.from([0xed]),
			Buffer.from("a,2027-01-01\n"),
		]),
		says: [/line 22/, /member_last_name: "Garc\\xeda"/, /invalid_utf8 \(.*probably to windows-1252\)/],
	},
	{
		what: "an impossible date",
		content: `${HEADER}\n${GOOD}\nCA,20,Name20,2027-02-30\n`,
		says: [/line 22/, /column member_license_expires/, /impossible_date/],
	},
	{
		what: "a date in no known format",
		content: `${HEADER}\n${GOOD}\nCA,20,Name20,02/28/2027\n`,
		says: [/line 22/, /column member_license_expires/, /unreadable_date/],
	},
	{
		what: "an unknown state",
		content: `${HEADER}\n${GOOD}\nZZ,20,Name20,2027-02-28\n`,
		says: [/line 22/, /column state/, /unknown_jurisdiction/],
	},
];

test("each kind of bad input is refused in one line that names file, line and column", async (t) => {
	const { builder, unchanged } = await withPublished(t);
	for (const { what, content, says } of BAD_INPUTS) {
		await t.test(what, async () => {
			const file = builder.write("bad-2026-10.csv", content);
			const line = refusal(await builder.run("build", file));
			for (const pattern of [new RegExp(file.replaceAll(".", "\\.")), ...says]) assert.match(line, pattern);
			unchanged();
		});
	}
});

test("a file that is missing, unreadable or a folder without drops is refused by name", async (t) => {
	const { builder, unchanged } = await withPublished(t);
	const missing = join(builder.folder, "absent-2026-10.csv");
	assert.match(refusal(await builder.run("build", missing)), /absent-2026-10\.csv: no such file/);
	const folder = join(builder.folder, "empty-2026-10");
	mkdirSync(folder);
	assert.match(refusal(await builder.run("build", folder)), /empty-2026-10/);
	const cut = builder.write("cut-2026-10.csv.gz", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2]));
	assert.match(refusal(await builder.run("build", cut)), /cut-2026-10\.csv\.gz: .*compressed/);
	unchanged();
});

test("a month already published or retired is refused before anything is read", async (t) => {
	const { builder, unchanged } = await withPublished(t);
	const again = builder.write("again-2026-09.csv", `${HEADER}\n${GOOD}\nCA,20,Name20,2027-01-01\n`);
	for (const dry of [[], ["--dry-run", "--accept", "all"]])
		assert.match(refusal(await builder.run("build", again, ...dry)), /2026-09 is already published/);
	unchanged();
	assert.equal((await builder.run("retire", "2026-09")).code, 0);
	assert.match(refusal(await builder.run("build", again)), /2026-09 is retired/);
	assert.equal((await builder.run("restore", "2026-09")).code, 0);
	unchanged();
});

test("the month comes from the files' names, which must agree", async (t) => {
	const builder = builderFolder(t);
	const unnamed = builder.write("drop.csv", `${HEADER}\n${GOOD}\n`);
	assert.match(refusal(await builder.run("build", unnamed), 2), /--month YYYY-MM is needed/);
	const one = builder.write("a-2026-09.csv", `${HEADER}\n${GOOD}\n`);
	const other = builder.write("b-2026-10.csv", `${HEADER}\n${GOOD}\n`);
	assert.match(refusal(await builder.run("build", one, other), 2), /2026-09 and 2026-10/);
	const both = builder.write("2026-10_to_2026-11.csv", `${HEADER}\n${GOOD}\n`);
	assert.match(
		refusal(await builder.run("build", both), 2),
		/2026-10_to_2026-11\.csv: --month YYYY-MM is needed: the name has 2026-10 and 2026-11/,
	);
	for (const longer of ["x12026-11.csv", "x2026-111.csv"]) {
		const file = builder.write(longer, `${HEADER}\n${GOOD}\n`);
		assert.match(refusal(await builder.run("build", file), 2), /no file's name has one/, longer);
	}
	mkdirSync(join(builder.folder, "drops"));
	builder.write("drops/ca-2026-08.csv", csv(stateRows("CA", 5)));
	const drops = join(builder.folder, "drops");
	assert.equal((await builder.json<{ month: string }>("build", drops, "--dry-run")).month, "2026-08");
	builder.write("drops/tx-2026-09.csv", csv(stateRows("TX", 5)));
	assert.match(refusal(await builder.run("build", drops), 2), /the files' names say 2026-08 and 2026-09/);
	const skip = builder.write("skip.json", '{ "match": "tx-*", "skip": true }');
	assert.equal(
		(await builder.json<{ month: string }>("build", drops, "--map", skip, "--dry-run")).month,
		"2026-08",
	);
	const codes = join(drops, "tx-2026-09.csv");
	assert.match(
		refusal(await builder.run("build", unnamed, codes, "--map", skip), 2),
		/no file's name has one/,
	);
	const misnamed = await builder.run("build", unnamed, "--month", "2026-13");
	assert.equal(misnamed.code, 2);
	assert.match(misnamed.stderr, /2026-13/);
	assert.deepEqual(published(builder.data), []);
	await builder.json("build", one, other, "--month", "2026-11", "--accept", "month");
	assert.deepEqual(published(builder.data), ["2026-11"]);
});

test("names in folders and archives that have another month stop the month", async (t) => {
	const builder = builderFolder(t);
	const content = `${HEADER}\n${GOOD}\n`;
	builder.write("drops-2026-11/ca-2026-10.csv", content);
	const folder = join(builder.folder, "drops-2026-11");
	assert.match(
		refusal(await builder.run("build", folder)),
		/gate month: the month is 2026-11, but \S+\/drops-2026-11\/ca-2026-10\.csv names 2026-10; --accept month/,
	);
	const single = builder.write("d-2026-11.zip", zipBytes({ name: "a-2026-10.csv", content }));
	assert.match(refusal(await builder.run("build", single)), /\/d-2026-11\.zip\/a-2026-10\.csv names 2026-10/);
	const nested = zipBytes(
		{ name: "2026-10/a.csv", content },
		{ name: "2026-10/b.csv", content: content.replaceAll("CA,", "TX,") },
	);
	const several = builder.write("e-2026-11.zip", nested);
	assert.match(
		refusal(await builder.run("build", several)),
		/but \S+\/e-2026-11\.zip\/2026-10 names 2026-10; --/,
	);
	const codes = { name: "codes-2019-01.csv", content: "code\nA\n" };
	const coded = builder.write("f-2026-11.zip", zipBytes({ name: "a.csv", content }, codes));
	const skip = builder.write("skip.json", '{ "files": [{ "match": "codes*", "skip": true }, {}] }');
	await builder.json("build", coded, "--map", skip, "--dry-run");
	builder.write("sound-2026-11/2026-10_to_2026-11.csv", content);
	await builder.json("build", join(builder.folder, "sound-2026-11"));
	assert.deepEqual(published(builder.data), ["2026-11"]);
});

test("more than one row in a hundred rejected stops the month unless rejects are accepted", async (t) => {
	const builder = builderFolder(t);
	const rows = csv(stateRows("CA", 99));
	const bad = `ZZ${",".repeat(9)}\n`;
	const atLimit = builder.write("limit-2026-09.csv", rows + bad);
	const report = await builder.json<{ rejects: { rows: number }; rejectFile: string }>("build", atLimit);
	assert.equal(report.rejects.rows, 1);
	assert.match(
		readFileSync(report.rejectFile, "utf8"),
		/^file,line,column,reason,raw\r\n.*,101,state,unknown_jurisdiction,/s,
	);

	const over = builder.write("over-2026-10.csv", rows + bad + bad);
	assert.match(
		refusal(await builder.run("build", over)),
		/gate rejects: 2 of 101 rows .*line 101.*--accept rejects/,
	);
	assert.deepEqual(published(builder.data), ["2026-09"]);
	assert.ok(
		existsSync(join(builder.data, "rejects", "2026-10.unpublished.csv")),
		"the reject file stays for the operator",
	);
	await builder.json("build", over, "--accept", "rejects");
	const manifest = JSON.parse(readFileSync(join(builder.data, "manifests", "2026-10.json"), "utf8"));
	assert.equal(manifest.accepted[0].gate, "rejects");
	assert.equal(typeof manifest.built_by, "string");
	assert.equal((await builder.json<{ month: string }[]>("list")).length, 2);
});

test("a group file with another column is refused, naming the columns that it may have", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", `${HEADER}\n${GOOD}\n`);
	const groups = builder.write("groups.json", JSON.stringify({ status: {} }));
	assert.match(
		refusal(await builder.run("build", file, "--groups", groups)),
		/groups.json: no column of groups "status". The columns are license_status and member_type$/,
	);
});

test("a group file with an empty wording, or with two groups for one, is refused", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", `${HEADER}\n${GOOD}\n`);
	const refused: readonly (readonly [texts: Record<string, string>, message: RegExp])[] = [
		[{ "": "active" }, /groups.json: license_status.TX: a name in it is empty$/],
		[
			{ "On Leave": "inactive", Active: "active", "ON-LEAVE": "other" },
			/groups.json: "On Leave" and "ON-LEAVE" of "TX" are one wording and cannot have two groups$/,
		],
	];
	for (const [texts, message] of refused) {
		const groups = builder.write("groups.json", JSON.stringify({ license_status: { TX: texts } }));
		assert.match(refusal(await builder.run("build", file, "--groups", groups)), message);
	}
	const same = JSON.stringify({ license_status: { TX: { "On Leave": "other", "ON-LEAVE": "other" } } });
	await builder.json("build", file, "--groups", builder.write("groups.json", same), "--dry-run");
});

test("a drop whose rows were all rejected is reported, whether or not rejects are accepted", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", `${HEADER}\n${"ZZ,1,Name,2027-01-01\n".repeat(7)}CA,1,N\n`);
	for (const accepted of [[], ["--accept", "rejects"]])
		assert.match(
			refusal(await builder.run("build", file, ...accepted)),
			/no rows to publish: all 8 were rejected, most for unknown_jurisdiction \(in a --map file, "values" .*\), first at .*, line 2, column state: "ZZ"; the report is \S+\.unpublished\.html$/,
		);
	const report = readFileSync(join(builder.data, "reports", "2026-09.unpublished.json"), "utf8");
	assert.equal(JSON.parse(report).rejects.rows, 8);
	assert.deepEqual(published(builder.data), []);
});

test("a refused build and a dry run leave the report and rejects of the published month", async (t) => {
	const builder = builderFolder(t);
	const bad = `ZZ${",".repeat(9)}\n`;
	const files = () => folderBytes(builder.data);
	const kept = () =>
		[...files()].filter(([name]) =>
			/^(reports|rejects)\/2026-09(-contacts)?\.(csv|html|json|md)$/.test(name),
		);
	const first = builder.write("first-2026-09.csv", csv(stateRows("CA", 199)) + bad);
	const contacts = builder.write("contacts.csv", `${csv(stateRows("CA", 120))}${bad}`);
	await builder.json("build", first, "--enrich", contacts);
	const before = kept();
	assert.deepEqual(
		before.map(([name]) => name),
		[
			...["rejects/2026-09-contacts.csv", "rejects/2026-09.csv"],
			...["reports/2026-09.html", "reports/2026-09.json", "reports/2026-09.md"],
		],
	);
	const worse = builder.write("worse-2026-09.csv", csv(stateRows("CA", 190)) + bad.repeat(9));
	const refused = refusal(await builder.run("build", worse, "--replace"));
	assert.match(refused, /the report is \S+\/reports\/2026-09\.unpublished\.html/);
	assert.deepEqual(kept(), before);
	const reportOf = (name: string) => JSON.parse(String(files().get(name)));
	const { rejects, rejectFile } = reportOf("reports/2026-09.unpublished.json");
	assert.equal(rejects.rows, 9);
	assert.equal(readFileSync(rejectFile, "utf8").split("unknown_jurisdiction").length, 10);

	const next = builder.write("next-2026-09.csv", csv(stateRows("CA", 200)));
	const dry = await builder.json<{ reportFile: string }>("build", next, "--replace", "--dry-run");
	assert.deepEqual(kept(), before);
	assert.equal(dry.reportFile, join(builder.data, "reports", "2026-09.unpublished.json"));
	assert.equal(reportOf("reports/2026-09.unpublished.json").rows, 200);
	assert.equal(files().has("rejects/2026-09.unpublished.csv"), false, "none of an earlier build");

	const built = await builder.json<{ reportFile: string }>("build", next, "--replace", "--accept", "churn");
	assert.equal(built.reportFile, join(builder.data, "reports", "2026-09.json"));
	assert.equal(reportOf("reports/2026-09.json").rows, 200);
	assert.deepEqual(
		kept().map(([name]) => name),
		["reports/2026-09.html", "reports/2026-09.json", "reports/2026-09.md"],
	);
});

test("a dry run does everything except publish", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", csv(stateRows("CA", 50)));
	const report = await builder.json("build", file, "--dry-run");
	assert.deepEqual([report.rows, report.published], [50, false]);
	assert.deepEqual(published(builder.data), []);
	assert.deepEqual(readdirSync(join(builder.data, "staging")), []);
});

test("an invalid command line is a usage error, exit code 2", async (t) => {
	const builder = builderFolder(t);
	const file = builder.write("drop-2026-09.csv", csv(stateRows("CA", 5)));
	for (const args of [
		["build"],
		["build", file, "--no-such-flag"],
		["build", file, "--accept", "nonsense"],
		["build", file, "--date-format", "MM/DD"],
		["build", file, "--threads", "0"],
		["no-such-command"],
	]) {
		const { code, stderr, stdout } = await builder.run(...args);
		assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
		assert.equal(stdout, "");
		assert.notEqual(stderr, "");
	}
	assert.deepEqual(published(builder.data), []);
});
