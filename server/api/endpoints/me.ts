/** GET /v1/me: the calling key (docs/API.md §7.2). */

import { jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { noParameters } from "../schemas/endpoint-parameters.js";
import { meResponse } from "../schemas/endpoint-responses.js";

export const meOperation: Operation<null> = {
	endpoint: "/v1/me",
	operationId: "getMe",
	tag: "Key",
	revalidated: false,
	summary: "Describe the calling key",
	description: "Tier, status, limits, quota and scope. A null member of scope is unrestricted.",
	parameters: noParameters,
	pathParameter: null,
	response: meResponse,
	read(given) {
		validateParameters(noParameters, given);
		return null;
	},
	answer(_request, { key, nowMs, services }) {
		return jsonAnswer(null, () => ({
			data: {
				id: key.id,
				name: key.name,
				tier: key.tier,
				status: key.status,
				created_at: key.created_at,
				expires_at: key.expires_at,
				rate_limits: { per_minute: key.rate_limits.per_minute, per_day: key.rate_limits.per_day },
				quota: services.limits.quota(key, nowMs),
				scope: key.scope,
			},
		}));
	},
};
