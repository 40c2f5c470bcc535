/** GET /v1/aggregate: how many licenses each group has (docs/API.md §11.3). */

import type { AggregateRequest, DimensionName, Filters } from "../../../engine/index.js";
import { dimensionColumn } from "../../../engine/index.js";
import { REPEATABLE_FILTERS } from "../../../formats/index.js";
import { cachedJsonAnswer, type Operation } from "../operation.js";
import {
	addFilters,
	addTexts,
	checkFilters,
	filtersOf,
	requireFilters,
} from "../parameters/filter-values.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, Fingerprint } from "../responses/entity-tag.js";
import { hintsFor } from "../responses/hints.js";
import { aggregateParameters } from "../schemas/aggregate-parameters.js";
import { aggregateResponse } from "../schemas/aggregate-response.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface AggregateCall {
	readonly month: string | undefined;
	readonly request: AggregateRequest;
	readonly filters: Filters;
	/** Fingerprint of the normalised request. */
	readonly identity: string;
}

export const aggregateOperation: Operation<AggregateCall> = {
	endpoint: "/v1/aggregate",
	operationId: "aggregateLicenses",
	tag: "Extensions",
	revalidated: true,
	summary: "Count licenses by group",
	description:
		"Counts the licenses that match the filters by one or two dimensions: most rows first, then by value. " +
		"Counts are exact; a key with a geography scope counts its own rows only.",
	parameters: aggregateParameters,
	repeatable: REPEATABLE_FILTERS,
	pathParameter: null,
	response: aggregateResponse,
	read(given, grant) {
		const parameters = validateParameters(aggregateParameters, given);
		checkFilters(parameters);
		const filters = filtersOf(parameters, given);
		const { by, top, min_count: minCount } = parameters;
		for (const name of by) grant.requireColumn(dimensionColumn(name), "by");
		requireFilters(filters, grant);
		const request = { by, top, minCount };
		return { month: parameters.snapshot, request, filters, identity: identityOf(request, filters) };
	},
	answer({ month, request, filters, identity }, { grant, services }) {
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const tag = entityTag(snapshot.digest, grant.fingerprint, `aggregate-${identity}`);
		return cachedJsonAnswer(services.responseCache, tag, () => {
			const { groups, rows, groupCount, otherRows } = snapshot.aggregate(request, filters, grant.geography);
			const hints =
				rows === 0
					? hintsFor(filters, { snapshot, geography: grant.geography, stats: services.stats })
					: undefined;
			return {
				data: groups,
				meta: {
					snapshot: snapshot.month,
					by: request.by,
					filters_applied: Object.keys(filters),
					rows,
					groups: groupCount,
					other_rows: otherRows,
					as_of: asOf(snapshot.month),
					...grantBounds(grant),
					...(groupCount > groups.length ? { truncated: true } : {}),
					...(hints === undefined ? {} : { hints }),
				},
			};
		});
	},
};

/** Differs wherever two requests do, the grant aside. Cost O(length). */
function identityOf({ by, top, minCount }: AggregateRequest, filters: Filters): string {
	const identity = new Fingerprint().number(top).number(minCount);
	addTexts(identity, by as readonly DimensionName[]);
	addFilters(identity, filters);
	return identity.toString();
}
