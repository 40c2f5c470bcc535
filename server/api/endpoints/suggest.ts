/** GET /v1/suggest: type-ahead over cities, offices and last names (docs/API.md §7.7). */

import type { SuggestRequest as Search } from "../../../engine/index.js";
import { jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { SUGGEST_FIELDS, suggestParameters } from "../schemas/endpoint-parameters.js";
import { suggestResponse } from "../schemas/endpoint-responses.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface SuggestRequest {
	readonly month: string | undefined;
	/** As asked: `city`, `office` or `last_name`. */
	readonly field: string;
	readonly search: Search;
}

export const suggestOperation: Operation<SuggestRequest> = {
	endpoint: "/v1/suggest",
	operationId: "suggestValues",
	tag: "Licenses",
	revalidated: true,
	summary: "Complete a prefix",
	description: "Distinct values that start with q, in any letter case, most rows first.",
	parameters: suggestParameters,
	pathParameter: null,
	response: suggestResponse,
	read(given, grant) {
		const { field, q, state, snapshot, limit } = validateParameters(suggestParameters, given);
		const column = SUGGEST_FIELDS.get(field);
		if (column === undefined) throw new TypeError(`no column completes ${field}`);
		grant.requireColumn(column, "field");
		if (state !== undefined) {
			grant.requireColumn("state", "state");
			grant.requireState(state, "state");
		}
		const { geography } = grant;
		return {
			month: snapshot,
			field,
			search: { field: column, prefix: q, state: state ?? null, limit, geography },
		};
	},
	answer({ month, field, search }, { grant, services }) {
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const { prefix, state, limit } = search;
		const identity = fingerprint(JSON.stringify([field, prefix, state, limit]));
		const suggestions = () => {
			// One more than asked for shows whether there are more.
			const found = snapshot.suggest({ ...search, limit: limit + 1 });
			return {
				data: found.slice(0, limit),
				meta: {
					snapshot: snapshot.month,
					field,
					q: prefix,
					as_of: asOf(snapshot.month),
					...grantBounds(grant),
					truncated: found.length > limit,
				},
			};
		};
		return jsonAnswer(entityTag(snapshot.digest, grant.fingerprint, identity), suggestions, snapshot);
	},
};
