/** GET /v1/licenses/history: one license over the snapshots a key reads (docs/API.md §7.10). */

import type { Geography, Projection, Snapshot } from "../../../engine/index.js";
import { ApiError, invalidParameter } from "../errors.js";
import { type Hint, ofMonth } from "../hints/hint.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { type Call, jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { historyParameters } from "../schemas/endpoint-parameters.js";
import { historyResponse } from "../schemas/endpoint-responses.js";
import { asOf, type GrantBounds, grantBounds, shownBy } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { latestSnapshot, readableSnapshots, requireHistory } from "../scope/history-entitlement.js";
import { findRow } from "./license.js";

/** How the request names the license: by its number, or by the id of any of its rows. */
type Seed =
	| { readonly by: "number"; readonly state: string; readonly licenseNumber: string }
	| { readonly by: "id"; readonly id: number };

export interface HistoryRequest {
	readonly seed: Seed;
	readonly projection: Projection;
	readonly bounds: GrantBounds;
}

/** One month's rows of the license, ascending; never empty. */
interface Occurrence {
	readonly snapshot: Snapshot;
	readonly rows: Uint32Array;
}

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
	authorize(grant, loaded) {
		requireHistory(loaded, grant.history);
	},
	read(given, grant) {
		const { state, license_number, id, fields } = validateParameters(historyParameters, given);
		const seed = seedOf(state, license_number, id);
		// By id too: the license is followed by these two columns, so presence by month would reveal them.
		grant.requireColumn("state", seed.by === "id" ? "id" : "state");
		grant.requireColumn("member_state_license_number", seed.by === "id" ? "id" : "license_number");
		if (seed.by === "number") grant.requireState(seed.state, "state");
		const projection = grant.projectionOf(fields);
		// The changes reported depend on the columns granted, whichever columns rows show.
		const isNarrowed = given.isNarrowed || !grant.hasAllTracked;
		return { seed, projection, bounds: grantBounds(grant, shownBy(projection, fields, isNarrowed)) };
	},
	answer(request, call) {
		const { grant, services } = call;
		const latest = latestSnapshot(services.loaded);
		const months = readableSnapshots(services.loaded, grant.history);
		const find = finderOf(request.seed, call);
		const digests = fingerprint(months.map((snapshot) => snapshot.digest).join());
		const tag = entityTag(digests, grant.fingerprint, fingerprint(JSON.stringify(request)));
		return jsonAnswer(tag, () => {
			const { data, meta } = historyOf(months, find, request.projection, grant);
			const { snapshots, matches } = meta;
			const hints = data.rows.length === 0 ? { hints: hintsOf(request.seed, months, call) } : {};
			return { data, meta: { snapshots, matches, as_of: asOf(latest.month), ...request.bounds, ...hints } };
		});
	},
};

function seedOf(state: string | undefined, licenseNumber: string | undefined, id: number | undefined): Seed {
	if (id !== undefined) {
		if (state === undefined && licenseNumber === undefined) return { by: "id", id };
		throw invalidParameter("id", "give either id or state and license_number, not both");
	}
	if (state === undefined && licenseNumber === undefined)
		throw invalidParameter("license_number", "give state and license_number, or id");
	if (state === undefined) throw invalidParameter("state", "license_number requires state");
	if (licenseNumber === undefined) throw invalidParameter("license_number", "state requires license_number");
	return { by: "number", state, licenseNumber };
}

/** Why no month of `months`, newest first, has the license: hints by one of them, which they name unless it is the newest. */
function hintsOf(seed: Seed, months: readonly Snapshot[], { grant, services }: Call): Hint[] {
	if (seed.by === "id") return [];
	const { geography } = grant;
	const filters = { state: [seed.state], license_number: [seed.licenseNumber] };
	const snapshot = hintedMonth(seed.state, seed.licenseNumber, months, geography);
	const hints = hintsFor(filters, { snapshot, geography, stats: services.stats });
	return snapshot === months[0] ? hints : ofMonth(hints, snapshot.month);
}

/**
 * The newest month that has the number in another spelling or state, since the license may be gone from the latest; else
 * the newest that has the state, else the latest. Cost O(months), by the indexes of numbers.
 */
function hintedMonth(
	state: string,
	licenseNumber: string,
	months: readonly Snapshot[],
	geography: Geography | null,
): Snapshot {
	const place = { state: [state] };
	const ofState = months.filter((snapshot) => snapshot.count(place, geography) > 0);
	const near = ofState.find(
		(snapshot) =>
			snapshot.count({ license_number: [licenseNumber] }, geography) > 0 ||
			snapshot.similarNumbers(licenseNumber, place, geography).length > 0,
	);
	return near ?? ofState[0] ?? months[0];
}

/** Finds the license's rows in a month. For an id, throws as {@link findRow} does. */
function finderOf(seed: Seed, call: Call): (snapshot: Snapshot) => Uint32Array {
	const { geography } = call.grant;
	if (seed.by === "number")
		return (snapshot) => snapshot.findLicense(seed.state, seed.licenseNumber, geography);
	const { snapshot: seeded, row } = findRow(seed.id, call);
	const state = seeded.value(row, "state");
	const licenseNumber = seeded.value(row, "member_state_license_number");
	if (typeof state !== "string")
		throw new ApiError("not_found", `no license row has the id ${seed.id}`, "id");
	// A license without a number cannot be identified in another month.
	if (licenseNumber === null)
		return (snapshot) => (snapshot === seeded ? Uint32Array.of(row) : new Uint32Array(0));
	return (snapshot) => snapshot.findLicense(state, String(licenseNumber), geography);
}

function historyOf(
	months: readonly Snapshot[],
	find: (snapshot: Snapshot) => Uint32Array,
	projection: Projection,
	grant: Grant,
) {
	const found = months.map((snapshot): Occurrence => {
		const rows = find(snapshot).filter((row) => snapshot.allows(row, grant.geography));
		return { snapshot, rows };
	});
	const occurrences = found.filter((occurrence) => occurrence.rows.length > 0);
	const present = occurrences.map((occurrence) => occurrence.snapshot.month);
	return {
		data: {
			rows: occurrences.map(({ snapshot, rows }) => snapshot.record(rows[0], projection)),
			present_in: present,
			missing_in: months.map((snapshot) => snapshot.month).filter((month) => !present.includes(month)),
			changes: found.slice(0, -1).flatMap((to, i) => changesBetween(found[i + 1], to, grant)),
		},
		meta: {
			snapshots: months.map((snapshot) => snapshot.month),
			matches: occurrences.map(({ snapshot, rows }) => ({ snapshot: snapshot.month, rows: rows.length })),
		},
	};
}

/**
 * Granted tracked columns whose values differ between two consecutive months. Nothing is reported
 * across a month without the license, which `missing_in` lists.
 */
function changesBetween(from: Occurrence, to: Occurrence, grant: Grant) {
	if (from.rows.length === 0 || to.rows.length === 0) return [];
	return grant.tracked.flatMap((field) => {
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
