/** GET /v1/licenses/{id}: one row (SPEC §4.9). A row outside the key's geography is as if it did not exist. */

import type { Projection, Snapshot } from "../../../engine/index.js";
import { type ColumnName, monthOfNumber, splitRowId } from "../../../formats/index.js";
import { ApiError } from "../errors.js";
import { type Call, JSON_TYPE, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag } from "../responses/entity-tag.js";
import { licenseParameters } from "../schemas/endpoint-parameters.js";
import { licenseResponse } from "../schemas/endpoint-responses.js";
import { historyDenied, latestSnapshot, readsMonth } from "../scope/history-entitlement.js";

export interface LicenseRequest {
	readonly id: number;
	readonly projection: Projection;
	readonly fields: readonly ColumnName[] | undefined;
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
		return { id, fields, projection: grant.projectionOf(fields) };
	},
	answer(request, call) {
		const { snapshot, row } = findRow(request.id, call);
		const { sink } = call.services;
		const columns = request.fields === undefined ? "" : `-${request.projection.columns.join(".")}`;
		return {
			tag: entityTag(snapshot.digest, call.grant.fingerprint, `${request.id}${columns}`),
			contentType: JSON_TYPE,
			// One row is rendered about as fast as it is found again.
			snapshot: null,
			body() {
				one[0] = row;
				sink.reset();
				sink.text('{"data":');
				snapshot.renderRows(one, request.projection, "json", sink);
				sink.text(`,"meta":{"snapshot":"${snapshot.month}"}}`);
				return { bytes: sink.view(), headers: "", rows: 1 };
			},
		};
	},
};

/**
 * The row with `id` and its snapshot. Throws `not_found` for an id that names no row the key's
 * geography grants and `history_denied` for one in a loaded snapshot that the key does not read.
 */
export function findRow(id: number, { grant, services }: Call): { snapshot: Snapshot; row: number } {
	const latest = latestSnapshot(services.loaded);
	const { monthNumber } = splitRowId(id);
	const snapshot = services.loaded.find(monthOfNumber(monthNumber));
	if (snapshot === undefined) throw noSuchRow(id);
	if (!readsMonth(grant.history, snapshot.month, latest.month))
		throw historyDenied(services.loaded, grant.history, snapshot.month, "id");
	const row = snapshot.rowOfId(id);
	if (row < 0 || !snapshot.allows(row, grant.geography)) throw noSuchRow(id);
	return { snapshot, row };
}

function noSuchRow(id: number): ApiError {
	return new ApiError("not_found", `no license row has the id ${id}`, "id");
}
