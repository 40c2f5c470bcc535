/**
 * A drop as a state might send it, made of a plain one: states by their names instead of their codes, with a
 * map that splits the full name into first and last, replaces statuses, and skips the columns that are split.
 */

import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { findJurisdiction } from "../../formats/index.js";

const MAP = {
	columns: { member_first_name: null, member_last_name: null },
	split: {
		member_full_name: {
			pattern: "FIRST MIDDLE LAST",
			into: { FIRST: "member_first_name", LAST: "member_last_name" },
		},
	},
	values: { member_license_status: { Active: "ACTIVE", Inactive: "INACTIVE", Expired: "EXPIRED" } },
};

/** Writes the drop and its map at `target`, beside it, unless they are there. Cost O(bytes). */
export async function writeMappedDrop(plain: string, target: string): Promise<{ drop: string; map: string }> {
	const map = `${target}.map.json`;
	const withWhole = { ...MAP, columns: { ...MAP.columns, member_full_name: "member_full_name" } };
	writeFileSync(map, JSON.stringify(withWhole));
	if (existsSync(target)) return { drop: target, map };
	const out = createWriteStream(`${target}.part`);
	for await (const line of createInterface({ input: createReadStream(plain) })) {
		// Country and state come first and are never quoted.
		const [country, state] = line.split(",", 2);
		const name = findJurisdiction(state)?.name;
		const written =
			name === undefined ? line : `${country},${name}${line.slice(country.length + 1 + state.length)}`;
		if (!out.write(`${written}\n`)) await once(out, "drain");
	}
	out.end();
	await finished(out);
	renameSync(`${target}.part`, target);
	return { drop: target, map };
}
