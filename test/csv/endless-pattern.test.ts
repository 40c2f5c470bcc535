/** A map's `skipMatching` that backtracks without end on a line is ended, and the line told; other patterns are not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkParser } from "../../builder/csv/chunk-parser.js";
import { parseMonth } from "../../builder/csv/index.js";
import type { CsvTasks } from "../../builder/csv/tasks.js";
import { withinTime } from "../../builder/csv/time-limit.js";
import { BuildError } from "../../builder/errors.js";
import { InlinePool } from "../../builder/workers/inline-pool.js";
import { makeScratch } from "./scratch.js";

const scratch = makeScratch();
const HOSTILE = `CA,3,${"a".repeat(60)}!`;

/** A pool whose parser gives a chunk `ms` to match its lines. */
function poolWithin(ms: number): InlinePool<CsvTasks> {
	const parser = new ChunkParser(ms);
	return new InlinePool<CsvTasks>(async () => ({
		"parse-chunk": (request) => parser.parse(request),
		"take-dictionaries": () => parser.takeDictionaries(),
	}));
}

async function parsed(skipMatching: string, ms: number, lines: readonly string[], chunkBytes?: number) {
	const text = ["state,member_state_license_number,office_name", ...lines, ""].join("\n");
	const options = {
		files: [scratch.write("drop.csv", text)],
		maps: [scratch.write("map.json", JSON.stringify({ skipMatching }))],
		rejectFile: scratch.rejectFile,
		pool: poolWithin(ms),
	};
	return parseMonth({ ...options, chunkBytes });
}

for (const chunkBytes of [undefined, 40])
	test(`a pattern that never ends on a line is refused, chunks of ${chunkBytes ?? "any"} bytes`, async () => {
		const lines = ["CA,1,Ann", "CA,2,Bo", HOSTILE, "CA,4,Cy"];
		await assert.rejects(parsed("^CA,3,(a+)+$", 200, lines, chunkBytes), (error: unknown) => {
			assert.ok(error instanceof BuildError && error.code === "bad_map", String(error));
			assert.match(error.message, /drop\.csv, line 4: "skipMatching" of the map/);
			return true;
		});
	});

test("a pattern that ends in time skips its lines", async () => {
	const month = await parsed("^CA,3,a+!$", 20_000, ["CA,1,Ann", HOSTILE, "CA,4,Cy"]);
	assert.equal(month.rows, 2);
	assert.equal(month.oddities.find(({ kind }) => kind === "skipped_line")?.count, 1);
});

test("code within its time returns its result or throws its error; calls may follow a call that was ended", () => {
	assert.equal(
		withinTime(50, () => {
			for (;;);
		}),
		undefined,
	);
	assert.equal(
		withinTime(20_000, () => 7),
		7,
	);
	assert.throws(
		() =>
			withinTime(20_000, () => {
				throw new BuildError("bad_map", "told");
			}),
		/told/,
	);
});
