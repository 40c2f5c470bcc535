/** Every kind of question to a month, as one digest of all answers: damaged months are asked them. */

import { createHash } from "node:crypto";
import { ByteSink, DEFAULT_QUERY, type Query, type RowFormat, type Snapshot } from "../../../engine/index.js";
import { COLUMNS, columnNamed, FormatError, SORTABLE_COLUMNS } from "../../../formats/index.js";

const ALL_COLUMNS = COLUMNS.map((column) => column.name);
const FORMATS: readonly RowFormat[] = ["json", "ndjson", "csv"];

const QUERIES: readonly Partial<Query>[] = [
	{},
	{ page: 7, limit: 37 },
	{ filters: { state: ["CA"] }, sort: ["member_last_name"] },
	{ filters: { state: ["TX", "ON"], last_name: "smi" }, order: "desc" },
	{ filters: { license_number: "CA-17" } },
	{ filters: { office_name: "smart" }, sort: ["member_license_expires"] },
	{ filters: { city: "Austin", country: "US" }, sort: ["office_name", "member_last_name"] },
	{ filters: { postal_code: "90001", license_status: "Active" } },
	{ filters: { member_type: "Broker" }, geography: { countries: [], states: ["NY", "QC"] } },
	{ filters: { expires_after: "2026-06-01", issued_before: "2024-01-01" } },
	{ filters: { first_issued_after: "2020-03-01", expires_before: "2027-12-31" }, count: false },
	...SORTABLE_COLUMNS.map((column) => ({ sort: [column.name], page: 3, limit: 50 })),
];

export interface Asked {
	/** SHA-256 of all answers; of what was thrown in their place, its name. */
	readonly digest: string;
	/** Questions that threw a FormatError. */
	readonly typed: number;
	/** Names of other errors thrown. */
	readonly untyped: readonly string[];
	/** Milliseconds of the slowest question. */
	readonly slowestMs: number;
}

function* questions(snapshot: Snapshot): Generator<() => string | Uint8Array> {
	for (const [i, partial] of QUERIES.entries()) {
		yield () => {
			const sink = new ByteSink();
			const page = snapshot.query({ ...DEFAULT_QUERY, ...partial });
			const projection = {
				columns: i % 3 === 0 ? ALL_COLUMNS : ALL_COLUMNS.slice(i % 5),
				masked: i % 2 === 1,
			};
			if (i % 4 === 0) snapshot.renderList(page, projection, sink);
			else snapshot.renderRows(page.rows, projection, FORMATS[i % 3], sink);
			return Buffer.from(sink.view());
		};
	}
	yield () => JSON.stringify(snapshot.stats(null));
	yield () => JSON.stringify(snapshot.stats({ countries: ["CA"], states: ["TX"] }));
	for (const field of ["member_city", "office_name", "member_last_name"] as const)
		yield () =>
			JSON.stringify(
				snapshot.suggestions.of({
					field: columnNamed(field).name,
					prefix: "s",
					state: null,
					limit: 20,
					geography: null,
				}),
			);
	yield () => snapshot.findLicense("CA", "CA-5").join();
	yield () => JSON.stringify(snapshot.record(snapshot.rows - 1, { columns: ALL_COLUMNS, masked: false }));
}

/** Runs every kind of query on `snapshot`. Throws nothing. */
export function askEverything(snapshot: Snapshot): Asked {
	const hash = createHash("sha256");
	const untyped = new Set<string>();
	let typed = 0;
	let slowestMs = 0;
	for (const ask of questions(snapshot)) {
		const begun = performance.now();
		try {
			hash.update(ask());
		} catch (error) {
			hash.update((error as Error).name);
			if (error instanceof FormatError) typed++;
			else untyped.add((error as Error).name);
		}
		slowestMs = Math.max(slowestMs, performance.now() - begun);
	}
	return { digest: hash.digest("hex"), typed, untyped: [...untyped], slowestMs };
}
