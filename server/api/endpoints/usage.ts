/** GET /v1/usage: requests of the calling key by day and by endpoint (docs/API.md §7.3). */

import { SharedStatePending } from "../../limits/lease-line.js";
import { jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { usageParameters } from "../schemas/endpoint-parameters.js";
import { usageResponse } from "../schemas/endpoint-responses.js";

export interface UsageRequest {
	readonly days: number;
}

export const usageOperation: Operation<UsageRequest> = {
	endpoint: "/v1/usage",
	operationId: "getUsage",
	tag: "Key",
	revalidated: false,
	summary: "Count the calling key's requests",
	description:
		"By UTC day, days without requests as 0, and by endpoint. Refused requests (429) are not counted.",
	parameters: usageParameters,
	pathParameter: null,
	response: usageResponse,
	read(given) {
		return validateParameters(usageParameters, given);
	},
	answer({ days }, { key, nowMs, services }) {
		const behind = services.usage.behind?.(key.id) ?? null;
		if (behind !== null) throw new SharedStatePending(behind);
		return jsonAnswer(null, () => ({ data: services.usage.usage(key.id, days, nowMs) }));
	},
};
