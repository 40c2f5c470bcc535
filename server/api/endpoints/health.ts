/** GET /v1/health: whether the service can answer (SPEC §4.1). Needs no key. */

import type { z } from "zod";
import { ApiError } from "../errors.js";
import { JSON_TYPE } from "../operation.js";
import { decodeQuery } from "../parameters/query-string.js";
import { validateParameters } from "../parameters/validation.js";
import { OPERATION_METHODS, type Route } from "../router.js";
import { noParameters } from "../schemas/endpoint-parameters.js";
import type { healthResponse } from "../schemas/endpoint-responses.js";
import type { Snapshots } from "../scope/history-entitlement.js";

export const HEALTH_PATH = "/v1/health";

export interface HealthSources {
	readonly loaded: Snapshots & { readonly failed: readonly unknown[] };
	/** What is wrong with the store of keys; null where nothing is. */
	fault(): string | null;
}

/** The route of /v1/health. */
export function healthRoute(sources: HealthSources): Route {
	return {
		path: HEALTH_PATH,
		methods: OPERATION_METHODS,
		serve(request, _exchange, response) {
			validateParameters(noParameters, decodeQuery(request.query));
			const body = JSON.stringify(health(sources));
			response.send(200, `\r\nContent-Type: ${JSON_TYPE}\r\nCache-Control: no-store`, body);
		},
	};
}

function health({ loaded, fault }: HealthSources): z.infer<typeof healthResponse> {
	const storeFault = fault();
	if (storeFault !== null) throw new ApiError("unavailable", storeFault);
	if (loaded.latest === null && loaded.failed.length > 0)
		throw new ApiError("unavailable", "no published snapshot can be opened");
	return {
		status: "ok",
		version: "v1",
		snapshot: loaded.latest?.month ?? null,
		snapshots: loaded.snapshots.length,
		database: "ok",
	};
}
