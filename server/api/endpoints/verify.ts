/** GET /v1/verify: whether licenses exist, and whether they are of the people named (docs/API.md §11.4). */

import type { LicenseGrant, Projection, Snapshot } from "../../../engine/index.js";
import type { ColumnName, GivenLicense } from "../../../formats/index.js";
import { LICENSES_COUNTED, requestsFor } from "../../limits/counted-units.js";
import { type Answer, JSON_TYPE, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { verifyResponse } from "../schemas/endpoint-responses.js";
import { verifyParameters } from "../schemas/verify-parameters.js";
import { openMeta, rowBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface VerifyRequest {
	readonly month: string | undefined;
	readonly licenses: readonly GivenLicense[];
	readonly projection: Projection;
	/** JSON text of what bounds the answer; see {@link rowBounds}. */
	readonly bounds: string;
	readonly identity: string;
}

export const verifyOperation: Operation<VerifyRequest> = {
	endpoint: "/v1/verify",
	operationId: "verifyLicenses",
	tag: "Extensions",
	revalidated: true,
	summary: "Verify license numbers",
	description:
		"One outcome for each license, in the order given: whether the state has the number, and whether it is of " +
		"the person named. Every 10 licenses begun count as one request.",
	parameters: verifyParameters,
	repeatable: new Set(["license"]),
	pathParameter: null,
	response: verifyResponse,
	read(given, grant) {
		const { license, snapshot, fields } = validateParameters(verifyParameters, given);
		requireColumns(license, grant);
		const projection = grant.projectionOf(fields);
		return {
			month: snapshot,
			licenses: license,
			projection,
			bounds: rowBounds(grant, projection, fields, given.isNarrowed),
			identity: fingerprint(JSON.stringify([license, fields ?? null])),
		};
	},
	answer(request, { grant, services }): Answer {
		const snapshot = resolveSnapshot(services.loaded, grant.history, request.month);
		return {
			tag: entityTag(snapshot.digest, grant.fingerprint, request.identity),
			contentType: JSON_TYPE,
			snapshot: null,
			requests: () => requestsFor(request.licenses.length, LICENSES_COUNTED),
			unit: LICENSES_COUNTED,
			body() {
				const { sink } = services;
				sink.reset();
				const rows = renderAll(snapshot, request, grant, services.sink);
				return { bytes: sink.view(), headers: "", rows };
			},
		};
	},
};

/** Throws `scope_denied` for a column that verifying reads and the key does not. */
function requireColumns(licenses: readonly GivenLicense[], grant: Grant): void {
	const columns: ColumnName[] = ["state", "member_state_license_number"];
	if (licenses.some(({ lastName }) => lastName !== undefined)) columns.push("member_last_name");
	if (licenses.some(({ firstName }) => firstName !== undefined)) columns.push("member_first_name");
	for (const column of columns) grant.requireColumn(column, "license");
}

/** What verifying reads for a key: names that it does not read tell no rows of one number apart. */
export function licenseGrant(grant: Grant): LicenseGrant {
	return { geography: grant.geography, reads: (column) => grant.reads(column) };
}

/** Writes the document; returns how many rows are in it. */
function renderAll(
	snapshot: Snapshot,
	{ licenses, projection, bounds }: VerifyRequest,
	grant: Grant,
	sink: Parameters<Snapshot["renderRows"]>[3],
): number {
	const granted = licenseGrant(grant);
	let count = 0;
	sink.text('{"data":[');
	licenses.forEach((license, i) => {
		const found = snapshot.verifyLicense(license, granted);
		const input = JSON.stringify(license.input);
		sink.text(`${i === 0 ? "" : ","}{"input":${input},"outcome":"${found.outcome}","rows":[`);
		snapshot.renderRows(Uint32Array.from(found.rows), projection, "json", sink);
		sink.text(`],"differs":${JSON.stringify(found.differs)},"similar":${JSON.stringify(found.similar)}}`);
		count += found.rows.length;
	});
	sink.text(`]${openMeta(snapshot.month)}${bounds}}}`);
	return count;
}
