/** GET /v1/states: states and provinces with their rows (docs/API.md §7.5). */

import type { Snapshot } from "../../../engine/index.js";
import { type CountryCode, findJurisdiction, type StateRun } from "../../../formats/index.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { cachedJsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag } from "../responses/entity-tag.js";
import { statesParameters } from "../schemas/endpoint-parameters.js";
import { statesResponse } from "../schemas/endpoint-responses.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface StatesRequest {
	readonly month: string | undefined;
	readonly country: CountryCode | undefined;
}

export const statesOperation: Operation<StatesRequest> = {
	endpoint: "/v1/states",
	operationId: "listStates",
	tag: "Snapshots",
	revalidated: true,
	summary: "List states and provinces with their row counts",
	description: "States without rows in the snapshot are left out. In canonical order: country, then state.",
	parameters: statesParameters,
	pathParameter: null,
	response: statesResponse,
	read(given, grant) {
		const { country, snapshot } = validateParameters(statesParameters, given);
		grant.requireShown(["state"], "states");
		if (country !== undefined) {
			grant.requireColumn("country", "country");
			grant.requireCountry(country, "country");
		}
		return { month: snapshot, country };
	},
	answer({ month, country }, { grant, services }) {
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const tag = entityTag(snapshot.digest, grant.fingerprint, `states-${country ?? ""}`);
		return cachedJsonAnswer(services.jsonCache, tag, tag, () => {
			const states = grantedStates(snapshot, grant).filter(
				(state) => country === undefined || state.country === country,
			);
			const source = { snapshot, geography: grant.geography, stats: services.stats };
			return {
				data: states.map((run) => ({
					state: run.state,
					name: findJurisdiction(run.state)?.name ?? run.state,
					...(grant.reads("country") ? { country: run.country } : {}),
					rows: run.rows,
				})),
				meta: {
					snapshot: snapshot.month,
					total: states.reduce((sum, run) => sum + run.rows, 0),
					as_of: asOf(snapshot.month),
					...grantBounds(grant),
					...(states.length > 0 ? {} : { hints: hintsFor({ country }, source) }),
				},
			};
		});
	},
};

/** The states of `snapshot` within the grant's geography. */
export function grantedStates(snapshot: Snapshot, grant: Grant): StateRun[] {
	return snapshot.states.filter(({ state, country }) => grant.includesState(state, country));
}
