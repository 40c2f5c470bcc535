/** GET /v1/licenses/history: one license over the snapshots a key reads (SPEC §4.10, §2.4). */

import type { Projection, Snapshot } from "../../../engine/index.js";
import { COLUMNS, type ColumnName } from "../../../formats/index.js";
import { ApiError, invalidParameter } from "../errors.js";
import { type Call, jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { historyParameters } from "../schemas/endpoint-parameters.js";
import { historyResponse } from "../schemas/endpoint-responses.js";
import type { Grant } from "../scope/grant.js";
import { historyRequired, latestSnapshot, readable } from "../scope/history-entitlement.js";
import { findRow } from "./license.js";

/** How the license is named: by itself, or by any of its rows. */
type Seed =
	| { readonly by: "number"; readonly state: string; readonly licenseNumber: string }
	| { readonly by: "id"; readonly id: number };

export interface HistoryRequest {
	readonly seed: Seed;
	readonly projection: Projection;
}

/** One month's rows of the license, ascending; never empty. */
interface Occurrence {
	readonly snapshot: Snapshot;
	readonly rows: Uint32Array;
}

/** Columns whose changes are told, in output order. */
const TRACKED: readonly ColumnName[] = COLUMNS.filter((c) => c.tracked).map((c) => c.name);

export const historyOperation: Operation<HistoryRequest> = {
	endpoint: "/v1/licenses/history",
	operationId: "getLicenseHistory",
	tag: "Licenses",
	revalidated: true,
	summary: "Follow one license over the snapshots",
	description:
		"Name the license by state and license_number, or by the id of any of its rows. Needs the history entitlement. " +
		"Where a month lists the license more than once, its row with the lowest id is taken.",
	parameters: historyParameters,
	pathParameter: null,
	response: historyResponse,
	read(given, grant) {
		const { state, license_number, id, fields } = validateParameters(historyParameters, given);
		const seed = seedOf(state, license_number, id);
		if (seed.by === "number") {
			grant.requireColumn("state", "state");
			grant.requireColumn("member_state_license_number", "license_number");
			grant.requireState(seed.state, "state");
		}
		return { seed, projection: grant.projectionOf(fields) };
	},
	answer(request, call) {
		const { grant, services } = call;
		if (grant.history.mode === "latest") throw historyRequired(services.loaded);
		latestSnapshot(services.loaded);
		const months = readable(services.loaded, grant.history);
		const find = finderOf(request.seed, call);
		const digests = fingerprint(months.map((snapshot) => snapshot.digest).join());
		const tag = entityTag(digests, grant.fingerprint, fingerprint(JSON.stringify(request)));
		return jsonAnswer(tag, () => historyOf(months, find, request.projection, grant));
	},
};

function seedOf(state: string | undefined, licenseNumber: string | undefined, id: number | undefined): Seed {
	if (id !== undefined) {
		if (state === undefined && licenseNumber === undefined) return { by: "id", id };
		throw invalidParameter("id", "give either id or state and license_number, not both");
	}
	if (state === undefined && licenseNumber === undefined)
		throw invalidParameter("license_number", "give state and license_number, or id");
	if (state === undefined) throw invalidParameter("state", "license_number needs state beside it");
	if (licenseNumber === undefined)
		throw invalidParameter("license_number", "state needs license_number beside it");
	return { by: "number", state, licenseNumber };
}

/** What finds the license's rows in a month. Throws `not_found` and `history_denied` for an id. */
function finderOf(seed: Seed, call: Call): (snapshot: Snapshot) => Uint32Array {
	if (seed.by === "number") return (snapshot) => snapshot.findLicense(seed.state, seed.licenseNumber);
	const { snapshot: seeded, row } = findRow(seed.id, call);
	const state = seeded.value(row, "state");
	const licenseNumber = seeded.value(row, "member_state_license_number");
	if (typeof state !== "string")
		throw new ApiError("not_found", `no license row has the id ${seed.id}`, "id");
	// Without a number there is nothing to know the license by in another month.
	if (licenseNumber === null)
		return (snapshot) => (snapshot === seeded ? Uint32Array.of(row) : new Uint32Array(0));
	return (snapshot) => snapshot.findLicense(state, String(licenseNumber));
}

function historyOf(
	months: readonly Snapshot[],
	find: (snapshot: Snapshot) => Uint32Array,
	projection: Projection,
	grant: Grant,
) {
	const looked = months.map((snapshot): Occurrence => {
		const rows = find(snapshot).filter((row) => snapshot.allows(row, grant.geography));
		return { snapshot, rows };
	});
	const occurrences = looked.filter((occurrence) => occurrence.rows.length > 0);
	const present = occurrences.map((occurrence) => occurrence.snapshot.month);
	return {
		data: {
			rows: occurrences.map(({ snapshot, rows }) => snapshot.record(rows[0], projection)),
			present_in: present,
			missing_in: months.map((snapshot) => snapshot.month).filter((month) => !present.includes(month)),
			changes: looked.slice(0, -1).flatMap((to, i) => changesBetween(looked[i + 1], to, grant)),
		},
		meta: {
			snapshots: months.map((snapshot) => snapshot.month),
			matches: occurrences.map(({ snapshot, rows }) => ({ snapshot: snapshot.month, rows: rows.length })),
		},
	};
}

/**
 * Tracked fields the key reads whose values differ between two consecutive months. A month without the
 * license is a gap that nothing is told across: `missing_in` tells of it, and `rows` what stood before.
 */
function changesBetween(from: Occurrence, to: Occurrence, grant: Grant) {
	if (from.rows.length === 0 || to.rows.length === 0) return [];
	return TRACKED.filter((column) => grant.reads(column)).flatMap((field) => {
		const before = from.snapshot.value(from.rows[0], field);
		const after = to.snapshot.value(to.rows[0], field);
		if (before === after) return [];
		return [
			{
				from_snapshot: from.snapshot.month,
				to_snapshot: to.snapshot.month,
				field,
				from: before,
				to: after,
			},
		];
	});
}
