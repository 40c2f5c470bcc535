/**
 * GET /v1/stats: precomputed aggregates (docs/API.md §7.6), without those of columns outside the key's grant;
 * with `state`, of that state alone.
 */

import type { Geography, Snapshot, Stats, VocabularyEntry } from "../../../engine/index.js";
import { COVERAGE_COLUMNS, type ColumnName } from "../../../formats/index.js";
import { type Hint, hintsMember, unreadColumns } from "../hints/hint.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { unpublishedHints } from "../hints/unpublished-hints.js";
import { type Call, cachedJsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag } from "../responses/entity-tag.js";
import { statsParameters } from "../schemas/endpoint-parameters.js";
import { statsResponse } from "../schemas/endpoint-responses.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

export interface StatsRequest {
	readonly month: string | undefined;
	/** The rows aggregated: the key's geography, or one state of it. */
	readonly geography: Geography | null;
}

/** The column that each aggregate reads; `contact_coverage` reads the columns it is keyed by. */
const AGGREGATED_COLUMNS = {
	countries: "country",
	license_status: "member_license_status",
	member_type: "member_type",
	expiration: "member_license_expires",
} as const satisfies Partial<Record<keyof Stats, ColumnName>>;

/** The aggregates that count values alone, and no rows without one. */
const VOCABULARIES = ["license_status", "member_type"] as const;

/** A vocabulary's counts by state read this column too. */
const BY_STATE: ColumnName = "state";

export const statsOperation: Operation<StatsRequest> = {
	endpoint: "/v1/stats",
	operationId: "getStats",
	tag: "Snapshots",
	revalidated: true,
	summary: "Get the aggregates of a snapshot",
	description:
		"The vocabularies of license status and member type, contact coverage and expiration, over the rows the key may read. " +
		"Aggregates of columns outside the key's grant are left out.",
	parameters: statsParameters,
	pathParameter: null,
	response: statsResponse,
	read(given, grant) {
		const { snapshot, state } = validateParameters(statsParameters, given);
		if (state === undefined) return { month: snapshot, geography: grant.geography };
		grant.requireColumn(BY_STATE, "state");
		grant.requireState(state, "state");
		return { month: snapshot, geography: { countries: [], states: [state] } };
	},
	answer({ month, geography }, call) {
		const { grant, services } = call;
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const tag = entityTag(
			snapshot.digest,
			grant.fingerprint,
			geography === grant.geography ? "stats" : `stats-${geography?.states.join()}`,
		);
		const isWhole = readsAll(grant);
		const meta = () => ({
			snapshot: snapshot.month,
			as_of: asOf(snapshot.month),
			...grantBounds(grant, { narrowed: !isWhole, columns: [] }),
			...hintsMember(hintsOf(geography, snapshot, call)),
		});
		const value = () => ({
			data: grantedStats(services.stats.of(snapshot, geography), grant),
			meta: meta(),
		});
		const write = () => {
			const { sink } = services;
			sink.reset();
			sink.text('{"data":');
			snapshot.renderStats(geography, sink);
			sink.text(`,"meta":${JSON.stringify(meta())}}`);
			return Buffer.from(sink.view());
		};
		return cachedJsonAnswer(services.jsonCache, tag, tag, value, isWhole ? write : null);
	},
};

/** For a state without rows, or for each vocabulary the states whose rows have no word of it. */
function hintsOf(asked: Geography | null, snapshot: Snapshot, { grant, services }: Call): Hint[] {
	const { geography } = grant;
	const place = asked === geography ? {} : { state: asked?.states };
	const source = { snapshot, geography, stats: services.stats, unread: unreadColumns(grant) };
	if (snapshot.count(place, geography) === 0) return hintsFor(place, source);
	return VOCABULARIES.filter((name) => grant.reads(AGGREGATED_COLUMNS[name])).flatMap((name) =>
		unpublishedHints(AGGREGATED_COLUMNS[name], place, source, {
			param: "state",
			value: place.state?.join() ?? "",
			effect: (rows) => `${name} leaves out ${rows}`,
		}),
	);
}

/** Whether no aggregate is left out for want of its column. */
function readsAll(grant: Grant): boolean {
	const columns = [...Object.values(AGGREGATED_COLUMNS), ...COVERAGE_COLUMNS, BY_STATE];
	return columns.every((column) => grant.reads(column));
}

function grantedStats(stats: Stats, grant: Grant) {
	const granted = <T>(name: keyof typeof AGGREGATED_COLUMNS, value: T) =>
		grant.reads(AGGREGATED_COLUMNS[name]) ? { [name]: value } : {};
	const coverage = Object.entries(stats.contact_coverage).filter(([column]) =>
		grant.reads(column as ColumnName),
	);
	return {
		rows: stats.rows,
		...granted("countries", stats.countries),
		...granted("license_status", grantedVocabulary(stats.license_status, grant)),
		...granted("member_type", grantedVocabulary(stats.member_type, grant)),
		...(coverage.length === 0 ? {} : { contact_coverage: Object.fromEntries(coverage) }),
		...granted("expiration", stats.expiration),
	};
}

function grantedVocabulary(entries: readonly VocabularyEntry[], grant: Grant) {
	if (grant.reads(BY_STATE)) return entries;
	return entries.map(({ value, rows }) => ({ value, rows }));
}
