/**
 * Finds for every US row of a month the contact with the same state and license number.
 *
 * The keys of both sides are merged into one dictionary per column, so that the join compares codes. Of several
 * contacts for one license the first is used, and the others are not listed: a license number has as many listed contacts as
 * it has states, however often a text such as `PENDING` stands for a number. Cost O((rows + contacts) × states of a number).
 */

import { type ColumnName, columnNamed, findJurisdiction } from "../../formats/index.js";
import type { MergedColumn } from "../compile/merge-column.js";
import type { RunCompileTask } from "../compile/tasks.js";
import type { ParsedMonth } from "../csv/parsed-month.js";

/** No contact. */
export const NO_CONTACT = 0xffffffff;

export interface LicenseJoin {
	/** Index of each row's contact, in CSV order, or {@link NO_CONTACT}. */
	readonly contactOf: Uint32Array;
	/** Contacts that matched a row. */
	readonly used: number;
	/** Contacts that repeat the license of an earlier contact. */
	readonly repeated: number;
	/** Contacts without a license number or of another country than the US. */
	readonly ignored: number;
	/** US rows and matched US rows by state, in the order of their codes. */
	readonly states: readonly { readonly state: string; readonly rows: number; readonly matched: number }[];
}

/** Joins `contacts` to the rows of `month`. */
export async function joinLicenses(
	month: ParsedMonth,
	contacts: ParsedMonth,
	run: RunCompileTask,
): Promise<LicenseJoin> {
	const [license, state] = await Promise.all([
		mergeBoth("member_state_license_number", month, contacts, run),
		mergeBoth("state", month, contacts, run),
	]);
	return new Join(license, state, month.rows, contacts.rows).run();
}

/** One column of the month's rows followed by the contacts'. */
function mergeBoth(
	column: ColumnName,
	month: ParsedMonth,
	contacts: ParsedMonth,
	run: RunCompileTask,
): Promise<MergedColumn> {
	const first = month.dictionaries.length;
	const parts = [...month.parts, ...contacts.parts.map((part) => ({ ...part, worker: part.worker + first }))];
	return run("merge-column", {
		column: columnNamed(column).name,
		rows: month.rows + contacts.rows,
		dictionaries: [...month.dictionaries, ...contacts.dictionaries].map((d) => d.get(column) ?? null),
		parts: parts.map(({ worker, rows, codes }) => ({ worker, rows, codes: codes.get(column) ?? null })),
	});
}

class Join {
	/** By code of a state: its name if it is in the US, else null. */
	private readonly usStates: readonly (string | null)[];
	/** The first contacts by license number and state: contact `list[i]` for i in [starts[code], ends[code]). */
	private readonly starts: Uint32Array;
	private readonly ends: Uint32Array;
	private readonly list: Uint32Array;
	private ignored = 0;
	private repeated = 0;

	constructor(
		private readonly license: MergedColumn,
		private readonly state: MergedColumn,
		private readonly rows: number,
		private readonly contacts: number,
	) {
		this.usStates = Array.from({ length: state.distinct }, (_, code) => {
			const name = Buffer.from(state.heap.subarray(state.offsets[code], state.offsets[code + 1])).toString();
			return findJurisdiction(name)?.country === "US" ? name : null;
		});
		this.starts = new Uint32Array(license.distinct + 2);
		this.list = new Uint32Array(contacts);
		this.countContacts();
		this.ends = this.starts.slice();
		this.listContacts();
	}

	run(): LicenseJoin {
		const contactOf = new Uint32Array(this.rows).fill(NO_CONTACT);
		const used = new Uint8Array(this.contacts);
		const counts = this.usStates.map(() => ({ rows: 0, matched: 0 }));
		for (let row = 0; row < this.rows; row++) {
			const state = this.state.codes[row];
			if (this.usStates[state] === null) continue;
			counts[state].rows++;
			const contact = this.find(this.license.codes[row], state);
			if (contact === NO_CONTACT) continue;
			counts[state].matched++;
			contactOf[row] = contact;
			used[contact] = 1;
		}
		return {
			contactOf,
			used: used.reduce((sum, one) => sum + one, 0),
			repeated: this.repeated,
			ignored: this.ignored,
			states: this.usStates.flatMap((state, code) =>
				state === null || counts[code].rows === 0 ? [] : [{ state, ...counts[code] }],
			),
		};
	}

	/** Makes room for every US contact by its license number. */
	private countContacts(): void {
		const { license, starts } = this;
		for (let contact = 0; contact < this.contacts; contact++) {
			if (this.isEligible(contact)) starts[license.codes[this.rows + contact] + 1]++;
			else this.ignored++;
		}
		for (let code = 0; code <= license.distinct; code++) starts[code + 1] += starts[code];
	}

	/** Lists the first US contact of each license. */
	private listContacts(): void {
		const { license, state, rows, ends } = this;
		for (let contact = 0; contact < this.contacts; contact++) {
			if (!this.isEligible(contact)) continue;
			const code = license.codes[rows + contact];
			if (this.find(code, state.codes[rows + contact]) === NO_CONTACT) this.list[ends[code]++] = contact;
			else this.repeated++;
		}
	}

	/** Whether a contact has a license number and is of the US. */
	private isEligible(contact: number): boolean {
		const { license, state, rows } = this;
		return (
			license.codes[rows + contact] !== license.distinct &&
			this.usStates[state.codes[rows + contact]] !== null
		);
	}

	/** The contact listed for a license; {@link NO_CONTACT} if there is none. */
	private find(license: number, state: number): number {
		if (license === this.license.distinct) return NO_CONTACT;
		for (let i = this.starts[license]; i < this.ends[license]; i++) {
			if (this.state.codes[this.rows + this.list[i]] === state) return this.list[i];
		}
		return NO_CONTACT;
	}
}
