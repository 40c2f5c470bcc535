/** GET /v1/suggest: type-ahead over cities, offices and last names (docs/API.md §7.7). */

import type { SuggestRequest as Search, Snapshot } from "../../../engine/index.js";
import { FILTERS, groupDigits, quoted } from "../../../formats/index.js";
import {
	type Hint,
	type HintSource,
	hintsMember,
	mayMention,
	NEAREST_MAX,
	unreadColumns,
} from "../hints/hint.js";
import { HintCache } from "../hints/hint-cache.js";
import { nearOffices, nearWords } from "../hints/near-values.js";
import { hintsFor } from "../hints/no-row-hints.js";
import { mostRowsFirst } from "../hints/rows-by-value.js";
import { unlistedSpellings } from "../hints/spelling-hints.js";
import { unpublishedHints } from "../hints/unpublished-hints.js";
import { isPartOfName, noteOfNone } from "../hints/value-notes.js";
import { rowsOf, rowsText } from "../hints/wording.js";
import { JSON_TYPE, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import { SUGGEST_FIELDS, suggestParameters } from "../schemas/endpoint-parameters.js";
import { suggestResponse } from "../schemas/endpoint-responses.js";
import { asOf, grantBounds } from "../scope/answer-bounds.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";

/** Prefixes that are typed, each under the state that is asked for with it. */
const hintCache = new HintCache(2048);

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
		const { geography } = grant;
		const source = { snapshot, geography, stats: services.stats, unread: unreadColumns(grant) };
		/** `found`: values that start with q, counted up to one more than `limit`. */
		const metaOf = (found: number) => ({
			snapshot: snapshot.month,
			field,
			q: prefix,
			as_of: asOf(snapshot.month),
			...grantBounds(grant),
			more: found > limit,
			truncated: found > limit,
			...hintsMember(hintsOf(found, field, search, source)),
		});
		return {
			tag: entityTag(snapshot.digest, grant.fingerprint, identity),
			contentType: JSON_TYPE,
			snapshot,
			body() {
				const { sink } = services;
				sink.reset();
				sink.text('{"data":');
				const found = snapshot.suggestions.write(search, sink);
				sink.text(`,"meta":${JSON.stringify(metaOf(found))}}`);
				return { bytes: sink.view(), headers: "" };
			},
			value() {
				const found = snapshot.suggestions.of({ ...search, limit: limit + 1 });
				return { data: found.slice(0, limit), meta: metaOf(found.length) };
			},
		};
	},
};

/** Why there is no value; else what may be expected of the list. */
function hintsOf(found: number, field: string, search: Search, source: HintSource): readonly Hint[] {
	if (found === 0) return noValueHints(field, search, source);
	const ofStates = otherStatesHints(field, search, source);
	// A list that says that it lacks values may lack spellings of those it has.
	return found > search.limit ? ofStates : [...otherSpellingHints(search, source.snapshot), ...ofStates];
}

/** States whose rows have no value that could be suggested. */
function otherStatesHints(
	field: string,
	{ field: column, state }: Search,
	source: HintSource,
): readonly Hint[] {
	const place = state === null ? {} : { state: [state] };
	const names = isPartOfName(column) && mayMention(source, "member_full_name");
	const effect = (rows: string) =>
		`suggestions leave out ${rows}${names ? "; name searches full names" : ""}`;
	return hintCache.get(source, `unpublished ${field}`, [], place, () =>
		unpublishedHints(column, place, source, { param: "field", value: field, effect }),
	);
}

/** Where values are listed: other spellings of them, which do not start with q. Cost: finding the values again, once for a query. */
function otherSpellingHints(search: Search, snapshot: Snapshot): readonly Hint[] {
	const { prefix, state, geography } = search;
	const place = state === null ? {} : { state: [state] };
	const source = { snapshot, geography };
	return hintCache.get(source, `q ${search.field}`, [prefix, String(search.limit)], place, () => {
		const listed = snapshot.suggestions.of(search).map(({ value }) => value);
		const others = unlistedSpellings(search.field, listed, place, source);
		if (others.size === 0) return [];
		const filter = FILTERS.find(({ column }) => column === search.field);
		const names = mostRowsFirst(others);
		const texts = names
			.slice(0, NEAREST_MAX)
			.map((name) => `${quoted(name)} with ${rowsText(others.get(name) ?? 0)}`);
		const more = names.length - texts.length;
		if (more > 0) texts.push(`${groupDigits(more)} more`);
		const message = `other spellings of these in ${rowsOf(place, geography)}: ${texts.join(", ")}; ${filter?.param} takes them together`;
		return [{ param: "q", value: prefix, message, nearest: names.slice(0, NEAREST_MAX) }];
	});
}

/**
 * Why no value starts with q: no row of the state, or of the key, is in the month, or none has a value; else what q may mean,
 * values that match it as names do.
 */
function noValueHints(field: string, search: Search, source: HintSource): Hint[] {
	const { field: column, prefix, state } = search;
	const { snapshot, geography } = source;
	const place = state === null ? {} : { state: [state] };
	if (snapshot.count(place, geography) === 0) return hintsFor(place, source);
	const placed = { snapshot, place, geography };
	const found = nearWords(column, prefix, placed);
	const begun = column === "office_name" ? nearOffices(prefix, found, placed) : null;
	const { nearest, note } = begun ?? { nearest: found, note: "" };
	const isEmpty = nearest.length === 0 && snapshot.count({ present: [column], ...place }, geography) === 0;
	const message =
		`no ${field} in ${rowsOf(place, geography)} starts with ${quoted(prefix)}` +
		(isEmpty ? `: ${noteOfNone(column, source)}` : note === "" ? "" : `; ${note}`);
	const none = { param: "q", value: prefix, message, nearest };
	return isEmpty ? [none] : [none, ...otherStatesHints(field, search, source)];
}
