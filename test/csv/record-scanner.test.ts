/** Records at their borders: a quote that was never closed, and records that are too long to wait for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldTable } from "../../builder/csv/field-table.js";
import { RECORD_BYTES_MAX, RecordScanner } from "../../builder/csv/record-scanner.js";

const COMMA = 0x2c;
const COLUMNS = 4;

/** Outcomes of the records of `text`, or their faults, one after the other, with where the next one begins. */
function outcomes(text: string): [string, string][] {
	const bytes = Buffer.from(`${text}\n`);
	const limit = bytes.length - 1;
	const scanner = new RecordScanner(COMMA, COLUMNS, fieldTable(1, COLUMNS));
	const found: [string, string][] = [];
	for (let at = 0; at < limit; at = scanner.next) {
		const outcome = scanner.scan(bytes, at, limit, true, 0);
		found.push([
			outcome === "malformed" ? scanner.fault : outcome,
			bytes.toString("utf8", at, scanner.next).trimEnd(),
		]);
	}
	return found;
}

test("a quote never closed ends at its line where the next line is a record by itself, quotes and all", () => {
	const lone = '1,"lone,3,4';
	for (const next of ['5,"a ""b"" c",7,8', '5,"",7,8', '5,"""",7,8', "5,6,7,8", '"5","6","7","8"'])
		assert.deepEqual(
			outcomes(`${lone}\n${next}\n`),
			[
				["lone_quote", lone],
				["record", next],
			],
			next,
		);
	const open = `1,"first\nsecond line, of no four cells\n",3,4`;
	assert.deepEqual(outcomes(`${open}\n5,6,7,8\n`), [
		["record", open],
		["record", "5,6,7,8"],
	]);
});

test("a record is waited for up to its greatest length, and then refused", () => {
	for (const start of ["", '"']) {
		for (const [length, outcome] of [
			[RECORD_BYTES_MAX, "short"],
			[RECORD_BYTES_MAX + 1, "overlong"],
		] as const) {
			const bytes = Buffer.alloc(length + 1, "a");
			bytes.write(start);
			bytes[length] = 0x0a;
			const scanner = new RecordScanner(COMMA, COLUMNS, fieldTable(1, COLUMNS));
			assert.equal(scanner.scan(bytes, 0, length, false, 0), outcome, `${start} ${length}`);
		}
	}
});
