/** GET /v1/snapshots: every loaded snapshot (docs/API.md §7.4). */

import { type Call, jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { noParameters } from "../schemas/endpoint-parameters.js";
import { snapshotsResponse } from "../schemas/endpoint-responses.js";
import { grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { readsMonth } from "../scope/history-entitlement.js";
import { grantedStates } from "./states.js";

export const snapshotsOperation: Operation<Grant> = {
	endpoint: "/v1/snapshots",
	operationId: "listSnapshots",
	tag: "Snapshots",
	revalidated: true,
	summary: "List the loaded snapshots",
	description: "Newest first. `accessible` tells whether the key may read the snapshot.",
	parameters: noParameters,
	pathParameter: null,
	response: snapshotsResponse,
	read(given, grant) {
		validateParameters(noParameters, given);
		return grant;
	},
	answer(grant, call) {
		const list = listOf(call);
		const tag = entityTag(fingerprint(JSON.stringify(list)), grant.fingerprint, "snapshots");
		return jsonAnswer(tag, () => ({ data: list, meta: { history: grant.history, ...grantBounds(grant) } }));
	},
};

function listOf({ grant, services }: Call) {
	const { snapshots, latest } = services.loaded;
	if (latest === null) return [];
	return snapshots.map((snapshot) => ({
		snapshot: snapshot.month,
		rows: grantedStates(snapshot, grant).reduce((sum, run) => sum + run.rows, 0),
		latest: snapshot === latest,
		accessible: readsMonth(grant.history, snapshot.month, latest.month),
		built_at: services.builtAt(snapshot),
	}));
}
