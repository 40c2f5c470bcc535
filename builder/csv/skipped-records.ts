/**
 * Recognises records among the lines that a map skips: `skipMatching` "Total" also matches the row of Total Realty, and
 * a `skipFooter` of one line takes the last row of a file that came without a footer.
 */

import { stateCodeOf } from "../../formats/domain/state-names.js";
import type { SourcePlan } from "../input/source-plan.js";
import { type FieldTable, fieldTable } from "./field-table.js";
import { noteRecord, type OddRecords } from "./odd-records.js";
import { RecordScanner } from "./record-scanner.js";

const LF = 0x0a;

/**
 * Decides whether a record with as many fields as the header is a license: a known state, a number with a digit, and, where
 * there are other fields, another cell that is not empty. `Report of 11/01/2026,,,` has one.
 */
export class LicenseTest {
	/** Fields of the state and of the license number; null where a constant or a step of the map fills the column. */
	private readonly state: number | null;
	private readonly number: number | null;
	private readonly fields: number;

	constructor({ targets, fields }: SourcePlan) {
		const fieldOf = (name: string) => {
			const field = targets.find(({ column }) => column === name)?.field ?? fields;
			return field < fields ? field : null;
		};
		this.state = fieldOf("state");
		this.number = fieldOf("member_state_license_number");
		this.fields = fields;
	}

	/** Judges record `record` of `table`, whose fields are in `bytes`. Cost O(its bytes). */
	isLicense(bytes: Uint8Array, { starts, ends, records }: FieldTable, record: number): boolean {
		const textOf = (field: number) => {
			const cell = field * records + record;
			return Buffer.from(bytes.slice(starts[cell], ends[cell])).toString("utf8").trim();
		};
		const { state, number } = this;
		if (state !== null && stateCodeOf(textOf(state)) === null) return false;
		if (number !== null && !/\d/.test(textOf(number))) return false;
		const filled = Array.from({ length: this.fields }, (_, field) => textOf(field)).filter(
			(text) => text !== "",
		);
		return filled.length >= Math.min(2, this.fields);
	}
}

/** The records among the first `lines` lines of `text`, which are counted from 0. Cost O(bytes of `text`). */
export function recordsIn(text: Uint8Array, lines: number, plan: SourcePlan): OddRecords {
	const found: OddRecords = { count: 0, samples: [] };
	const bytes = new Uint8Array(text.length + 1);
	bytes.set(text);
	bytes[text.length] = LF;
	const table = fieldTable(1, plan.fields);
	const scanner = new RecordScanner(plan.delimiter, plan.fields, table, plan.quotes, plan.fieldsMin);
	const test = new LicenseTest(plan);
	let position = 0;
	for (let line = 0; line < lines && position < text.length; line += scanner.lines) {
		const outcome = scanner.scan(bytes, position, text.length, true, 0);
		if (outcome === "overlong") break;
		if (outcome === "record" && test.isLicense(bytes, table, 0))
			noteRecord(found, line, Buffer.from(text.slice(position, scanner.next)).toString("utf8").trim());
		position = scanner.next;
	}
	return found;
}
