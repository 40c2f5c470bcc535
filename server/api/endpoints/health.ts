/** GET /v1/health: whether the service can answer (docs/API.md §7.1). Needs no key and ignores its query. */

import type { z } from "zod";
import { ApiError } from "../errors.js";
import { JSON_TYPE } from "../operation.js";
import { OPERATION_METHODS, type Route } from "../router.js";
import type { healthResponse } from "../schemas/endpoint-responses.js";
import type { Snapshots } from "../scope/history-entitlement.js";

export const HEALTH_PATH = "/v1/health";

export interface HealthSources {
	readonly loaded: Snapshots & { readonly failed: readonly unknown[] };
	/** A fault of the key store, in words safe to send; null: none. */
	fault(): string | null;
}

/** The route of /v1/health. */
export function healthRoute(sources: HealthSources): Route {
	return {
		path: HEALTH_PATH,
		access: "open",
		methods: OPERATION_METHODS,
		serve(_request, _exchange, response) {
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
