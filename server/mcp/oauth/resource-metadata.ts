/** Metadata of the tool server as an OAuth resource (RFC 9728): where clients learn which issuer to ask. */

import type { Route } from "../../api/router.js";
import type { IssuerOptions } from "./access-tokens.js";

const PATH = "/.well-known/oauth-protected-resource";

/**
 * The one answer that caches may keep. It names who may read it where the request names an origin, so a page must not
 * get what was kept of a request without one.
 */
const HEADERS = "\r\nContent-Type: application/json\r\nCache-Control: max-age=3600\r\nVary: Origin";

/** Address of the metadata, for challenges: the well-known path before that of the resource (RFC 9728 §3.1). */
export function metadataAddress({ resource }: Pick<IssuerOptions, "resource">): string {
	const { origin, pathname } = new URL(resource);
	return `${origin}${PATH}${pathname === "/" ? "" : pathname}`;
}

/** The routes of the metadata; none without an issuer. */
export function metadataRoutes(options: IssuerOptions | null): Route[] {
	if (options === null) return [];
	const { issuer, resource, grants } = options;
	const body = JSON.stringify({
		resource,
		authorization_servers: [issuer],
		scopes_supported: [...grants.keys()],
		bearer_methods_supported: ["header"],
		resource_name: "Rollcall: real-estate license records",
	});
	const { pathname } = new URL(resource);
	const paths = new Set([PATH, `${PATH}/mcp`, `${PATH}${pathname === "/" ? "" : pathname}`]);
	return [...paths].map((path) => ({
		path,
		access: "keyless",
		methods: ["GET", "HEAD"],
		serve(_request, _exchange, response) {
			response.send(200, HEADERS, body);
		},
	}));
}
