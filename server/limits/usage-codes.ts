/**
 * Endpoints that usage is counted by.
 *
 * Invariant: a code is persisted in usage records; it is never reused or renumbered (pinned by a test).
 */

/** Path templates by code. `other` counts requests of a known key to a path that does not exist. */
export const ENDPOINTS = [
	"/v1/me",
	"/v1/usage",
	"/v1/snapshots",
	"/v1/states",
	"/v1/stats",
	"/v1/suggest",
	"/v1/licenses",
	"/v1/licenses/{id}",
	"/v1/licenses/history",
	"/mcp",
	"other",
	"/v1/changes",
	"/v1/aggregate",
	"/v1/verify",
	"/v1/offices",
	"/v1/exports",
	"/v1/exports/{snapshot}/{file}",
] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** Code of each endpoint: its position in {@link ENDPOINTS}. */
export const ENDPOINT_CODES: Readonly<Record<Endpoint, number>> = Object.fromEntries(
	ENDPOINTS.map((endpoint, code) => [endpoint, code]),
) as Record<Endpoint, number>;
