/**
 * Three months of some hundred rows, written out by rule so that tests can tell beforehand what the
 * API answers: 2026-09, 2026-10 and 2026-11, five states of two countries.
 *
 * Rows of a state are numbered from 0; row i is "Given Name<i>", its license number `<STATE>-<i>`.
 * The history of some licenses, told at {@link monthRows}, is what the history tests ask for.
 */

import type { ColumnName } from "../../formats/index.js";

export type DropRow = Partial<Record<ColumnName, string>>;

export const MONTHS = ["2026-09", "2026-10", "2026-11"] as const;

/** Rows of each state in the latest month. */
export const STATE_ROWS = { CA: 140, TX: 60, NY: 40, ON: 30, QC: 20 } as const;
export type FixtureState = keyof typeof STATE_ROWS;

const STATUSES: Readonly<Record<FixtureState, readonly string[]>> = {
	CA: ["Licensed", "Expired", "Suspended"],
	TX: ["Active", "Inactive"],
	NY: ["Current", "Expired"],
	ON: ["Registered", "Terminated"],
	QC: ["Actif", "Inactif"],
};
const TYPES: Readonly<Record<FixtureState, readonly string[]>> = {
	CA: ["Salesperson", "Broker"],
	TX: ["Sales Agent", "Broker"],
	NY: ["Salesperson", "Associate Broker"],
	ON: ["Salesperson", "Broker of Record"],
	QC: ["Courtier immobilier"],
};
const LAST_NAMES = ["Smith", "Smithson", "García", "O'Brien", "de la Cruz", "Nguyễn", "Tremblay", "Zhang"];
const CITIES = ["Springfield", "San José", "Austin", "Saint-Jean", "Fairview"];
const OFFICES = ["Smart Homes", "Acme, Realty", '"Best" Brokers', "=SUM Estates", "-Minus Realty", "@Home"];

/** Day `i` of a walk through the years 2020 to 2029. */
function day(i: number): string {
	return new Date(Date.UTC(2020, 0, 1 + (i % 3650))).toISOString().slice(0, 10);
}

function row(state: FixtureState, i: number): DropRow {
	const last = LAST_NAMES[i % LAST_NAMES.length];
	const first = `Given${i % 7}`;
	const us = state === "CA" || state === "TX" || state === "NY";
	return {
		state,
		member_full_name: `${first} ${last}`,
		member_first_name: first,
		member_last_name: last,
		member_type: TYPES[state][i % TYPES[state].length],
		member_address: `${i} Main Street`,
		member_city: CITIES[i % CITIES.length],
		member_state_or_province: state,
		member_postal_code: String(90_000 + (i % 10)),
		office_name: i % 9 === 8 ? "" : OFFICES[i % OFFICES.length],
		office_broker_name: `Broker ${i % 4}`,
		member_state_license_number: `${state}-${i}`,
		member_license_status: STATUSES[state][i % STATUSES[state].length],
		member_license_issued: day(i * 7),
		member_license_expires: i % 11 === 10 ? "" : day(2200 + i * 3),
		member_license_first_issued: day(i),
		member_email: i % 3 === 0 ? "" : `jane.doe${i}@mail.example.com`,
		member_preferred_phone: i % 4 === 0 ? "" : `(555) 010-${1000 + i}`,
		matched_email: us && i % 4 !== 3 ? `match${i}@example.org` : "",
		matched_phone: us && i % 5 !== 4 ? `+1 555 020 ${1000 + i}` : "",
		last_refreshed: "2026-11-05",
	};
}

/**
 * The rows of `month`. TX-1 is `Active` in the latest month and `Inactive`, with another office,
 * before; TX-2 moved from Old Town while it was missing in October; CA-5 is listed twice in the latest month; the last ten rows
 * of every state are new in the latest month.
 */
export function monthRows(month: (typeof MONTHS)[number]): DropRow[] {
	const latest = month === "2026-11";
	const rows = (Object.keys(STATE_ROWS) as FixtureState[]).flatMap((state) =>
		Array.from({ length: STATE_ROWS[state] - (latest ? 0 : 10) }, (_, i) => row(state, i)),
	);
	const changed = rows
		.filter((r) => !(month === "2026-10" && r.member_state_license_number === "TX-2"))
		.map((r) => (r.member_state_license_number === "TX-1" ? { ...r, ...txOne(latest) } : r))
		.map((r) =>
			month === "2026-09" && r.member_state_license_number === "TX-2" ? { ...r, member_city: "Old Town" } : r,
		);
	return latest
		? [...changed, { ...row("CA", 5), member_first_name: "Zed", member_full_name: "Zed Twin" }]
		: changed;
}

function txOne(latest: boolean): DropRow {
	return latest
		? { member_license_status: "Active", office_name: "Acme, Realty" }
		: { member_license_status: "Inactive", office_name: "Smart Homes" };
}
