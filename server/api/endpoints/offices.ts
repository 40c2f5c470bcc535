/** GET /v1/offices: offices with their licenses, cities and brokers (docs/API.md §11.8). */

import type { Filters, Office, OfficesPage, OfficesRequest } from "../../../engine/index.js";
import { DEPTH_MAX, depthFault } from "../../../formats/index.js";
import { invalidParameter } from "../errors.js";
import { cachedJsonAnswer, type Operation } from "../operation.js";
import { addFilters, filtersOf, requireFilters } from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, Fingerprint } from "../responses/entity-tag.js";
import { OFFICE_FILTERS, officesParameters } from "../schemas/offices-parameters.js";
import { officesResponse } from "../schemas/offices-response.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface OfficesCall {
	readonly month: string | undefined;
	readonly request: OfficesRequest;
	readonly page: number;
	readonly filters: Filters;
	/** Fingerprint of the normalised request. */
	readonly identity: string;
}

export const officesOperation: Operation<OfficesCall> = {
	endpoint: "/v1/offices",
	operationId: "listOffices",
	tag: "Extensions",
	revalidated: true,
	summary: "List offices",
	description:
		"Offices of the licenses that match, by name and state: how many licenses each has, how many of them are " +
		"active, in which cities, under which brokers. A key with a geography scope sees its own rows only.",
	parameters: officesParameters,
	repeatable: new Set(OFFICE_FILTERS),
	pathParameter: null,
	response: officesResponse,
	read(given, grant) {
		const parameters = validateParameters(officesParameters, given);
		const { sort, page, limit } = parameters;
		const tooDeep = depthFault(page, limit);
		if (tooDeep !== null) throw invalidParameter("page", tooDeep);
		const filters = filtersOf(parameters, given);
		requireFilters(filters, grant);
		grant.requireColumn("office_name", "office_name");
		grant.requireColumn("state", "state");
		const request = { sort, offset: (page - 1) * limit, limit };
		const identity = new Fingerprint().text(sort).number(page).number(limit);
		addFilters(identity, filters);
		return { month: parameters.snapshot, request, page, filters, identity: identity.toString() };
	},
	answer({ month, request, page, filters, identity }, { grant, services }) {
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const tag = entityTag(snapshot.digest, grant.fingerprint, `offices-${identity}`);
		return cachedJsonAnswer(services.responseCache, tag, () => {
			const found = snapshot.offices(request, filters, grant.geography);
			return {
				data: found.offices.map((office) => entryOf(office, grant)),
				pagination: paginationOf(page, request.limit, found),
				meta: {
					snapshot: snapshot.month,
					sort: request.sort,
					filters_applied: Object.keys(filters),
					rows: found.rows,
					as_of: asOf(snapshot.month),
					...grantBounds(grant),
					...(found.total > DEPTH_MAX ? { truncated: true } : {}),
				},
			};
		});
	},
};

/** An office as `grant` reads it. */
function entryOf({ officeName, state, cities, licenses, active, brokers }: Office, grant: Grant) {
	return {
		office_name: officeName,
		state,
		...(grant.reads("member_city") ? { cities } : {}),
		licenses,
		...(grant.reads("license_status_group") ? { active } : {}),
		...(grant.reads("office_broker_name") ? { brokers } : {}),
	};
}

function paginationOf(page: number, limit: number, { total }: OfficesPage) {
	return {
		page,
		limit,
		total,
		total_pages: Math.ceil(total / limit),
		has_next: page * limit < total,
		has_prev: page > 1,
	};
}
