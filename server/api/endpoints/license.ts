/** GET /v1/licenses/{id}: one row (docs/API.md §7.9). */

import type { Projection, Snapshot } from "../../../engine/index.js";
import { type ColumnName, monthOfNumber, splitRowId } from "../../../formats/index.js";
import { ApiError } from "../errors.js";
import { type Call, JSON_TYPE, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag } from "../responses/entity-tag.js";
import { licenseParameters } from "../schemas/endpoint-parameters.js";
import { licenseResponse } from "../schemas/endpoint-responses.js";
import { openMeta, rowBounds } from "../scope/answer-bounds.js";
import { historyDenied, latestSnapshot, readsMonth, type Snapshots } from "../scope/history-entitlement.js";

export interface LicenseRequest {
	readonly id: number;
	readonly projection: Projection;
	readonly fields: readonly ColumnName[] | undefined;
	/** JSON text of what bounds the answer; see {@link rowBounds}. */
	readonly bounds: string;
}

const one = new Uint32Array(1);

export const licenseOperation: Operation<LicenseRequest> = {
	endpoint: "/v1/licenses/{id}",
	operationId: "getLicense",
	tag: "Licenses",
	revalidated: true,
	summary: "Get one license row by id",
	description: "Ids are unique over all snapshots; the same license has another id in another month.",
	parameters: licenseParameters,
	pathParameter: "id",
	response: licenseResponse,
	read(given, grant) {
		const { id, fields } = validateParameters(licenseParameters, given);
		const projection = grant.projectionOf(fields);
		return { id, fields, projection, bounds: rowBounds(grant, projection, fields, given.isNarrowed) };
	},
	answer(request, call) {
		const { snapshot, row } = findRow(request.id, call);
		const { sink } = call.services;
		const columns = request.fields === undefined ? "" : `-${request.projection.columns.join(".")}`;
		return {
			tag: entityTag(snapshot.digest, call.grant.fingerprint, `${request.id}${columns}`),
			contentType: JSON_TYPE,
			// Rendering one row costs about as much as a cache lookup.
			snapshot: null,
			body() {
				writeRow(snapshot, row, request, call);
				return { bytes: sink.view(), headers: "", rows: 1 };
			},
		};
	},
};

/** Writes the answer into the sink, but for what closes `meta` and the answer: `}}`. Throws as {@link findRow}. */
export function writeLicense(request: LicenseRequest, call: Call): void {
	const { snapshot, row } = findRow(request.id, call);
	writeOpenRow(snapshot, row, request, call);
}

function writeRow(snapshot: Snapshot, row: number, request: LicenseRequest, call: Call): void {
	writeOpenRow(snapshot, row, request, call);
	call.services.sink.text("}}");
}

function writeOpenRow(snapshot: Snapshot, row: number, request: LicenseRequest, { services }: Call): void {
	const { sink } = services;
	one[0] = row;
	sink.reset();
	sink.text('{"data":');
	snapshot.renderRows(one, request.projection, "json", sink);
	sink.text(openMeta(snapshot.month));
	if (request.bounds !== "") sink.text(request.bounds);
}

/**
 * The row with `id` and its snapshot. Throws `history_denied` for an id in a loaded snapshot outside the
 * entitlement, `not_found` for an id without a row, and `scope_denied` for a row outside the geography.
 */
export function findRow(id: number, { grant, services }: Call): { snapshot: Snapshot; row: number } {
	const latest = latestSnapshot(services.loaded);
	const snapshot = snapshotOfId(id, services.loaded);
	if (snapshot === undefined) throw noSuchRow(id);
	if (!readsMonth(grant.history, snapshot.month, latest.month))
		throw historyDenied(services.loaded, grant.history, snapshot.month, "id");
	const row = snapshot.rowOfId(id);
	if (row < 0) throw noSuchRow(id);
	if (!snapshot.allows(row, grant.geography)) throw grant.outsideGeography(`row ${id}`, "id");
	return { snapshot, row };
}

function snapshotOfId(id: number, loaded: Snapshots): Snapshot | undefined {
	if (!Number.isSafeInteger(id) || id < 1) return undefined;
	return loaded.find(monthOfNumber(splitRowId(id).monthNumber));
}

function noSuchRow(id: number): ApiError {
	const name = Number.isSafeInteger(id) ? `the id ${id}` : "that id";
	return new ApiError("not_found", `no license row has ${name}`, "id");
}
