/**
 * A roster whose states are those of addresses is reported, with the rows of other states; rosters that have both, or few, are
 * not.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMonth } from "../../builder/csv/index.js";
import { makeScratch } from "./scratch.js";

const scratch = makeScratch();
const MOST = ["CT", "CT", "CT", "CT", "CT"];

/** The counts of the oddity for each of `files`, which are read in small chunks by two threads. */
async function counted(settings: object, ...files: (readonly string[])[]) {
	const paths = files.map((lines, i) =>
		scratch.write(`drop-${i}.csv`, lines.map((line) => `${line}\n`).join("")),
	);
	const map = scratch.write("map.json", JSON.stringify(settings));
	const options = { files: paths, maps: [map], rejectFile: scratch.rejectFile, threads: 2, chunkBytes: 16 };
	const { oddities } = await parseMonth(options);
	const found = oddities.filter(({ kind }) => kind === "address_state");
	return found.map(({ file, column, count }) => [paths.indexOf(file), column, count]);
}

function roster(states: readonly string[]): string[] {
	return ["state,member_state_license_number,mail", ...states.map((state, i) => `${state},${i},${state}`)];
}

test("states of addresses are counted by file, whatever other files have", async () => {
	const other = roster(["TX", "TX"]);
	const own = roster([...MOST, "NY", "Ontario", "FL"]);
	assert.deepEqual(await counted({}, other, own, other), [[1, "state", 3]]);
	const map = { columns: { state: ["state", "member_state_or_province"] } };
	assert.deepEqual(await counted(map, own), [[0, "state", 3]]);
});

test("states are not those of addresses where no state has most rows, others are few, or addresses have their own", async () => {
	const states = [...MOST, "NY", "ON", "FL"];
	assert.deepEqual(await counted({}, roster([...states, "NY", "FL"])), []);
	assert.deepEqual(await counted({}, roster([...MOST, "NY", "Conn.", "NY", "FL"])), []);
	assert.deepEqual(await counted({ columns: { mail: "member_state_or_province" } }, roster(states)), []);
	assert.deepEqual(await counted({ constants: { member_state_or_province: "CT" } }, roster(states)), []);
	const map = { columns: { state: "member_state_or_province" }, constants: { state: "CT" } };
	assert.deepEqual(await counted(map, roster(states)), []);
});
