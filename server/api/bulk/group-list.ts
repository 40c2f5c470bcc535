/** Answers lists of groups, a page or by cursor: the month, the entity tag, and where a page begins. */

import type { Snapshot } from "../../../engine/index.js";
import type { RawParameters } from "../../../formats/index.js";
import { type Answer, type Call, cachedJsonAnswer, jsonAnswer } from "../operation.js";
import { entityTag } from "../responses/entity-tag.js";
import type { Grant } from "../scope/grant.js";
import { resolveSnapshot } from "../scope/history-entitlement.js";
import { continueWalk, type GroupPosition, groupPositionOf, monthsOf, type Walk } from "./walk.js";

/** What every request of such a list has. */
export interface GroupListCall {
	readonly month: string | undefined;
	/** Fingerprint of the normalised request. */
	readonly identity: string;
	/** Text of the query for cursors; "" where none is given. */
	readonly text: string;
	readonly walk: Walk | null;
}

export interface GroupList<Request extends GroupListCall> {
	/** Its name in cursors and entity tags. */
	readonly list: "aggregate" | "offices";
	/** Parameters that may be given several times. */
	readonly repeatable: ReadonlySet<string>;
	read(given: RawParameters, grant: Grant): Request;
	/** The page after `position`; null: the first. */
	bodyOf(snapshot: Snapshot, request: Request, position: GroupPosition | null, call: Call): unknown;
}

/** Describes the answer of `asked`; its `body` does the work. Throws ApiError. */
export function groupListAnswer<Request extends GroupListCall>(
	{ list, repeatable, read, bodyOf }: GroupList<Request>,
	asked: Request,
	call: Call,
): Answer {
	const { loaded, jsonCache } = call.services;
	const { walk } = asked;
	if (walk === null) {
		const snapshot = resolveSnapshot(loaded, call.grant.history, asked.month);
		const tag = entityTag(snapshot.digest, call.grant.fingerprint, `${list}-${asked.identity}`);
		// Not the tag alone: its fingerprint can be forged, and spellings that share it have cursors of their own.
		const name = `${tag} ${JSON.stringify(asked)}`;
		return cachedJsonAnswer(jsonCache, tag, name, () => bodyOf(snapshot, asked, null, call));
	}
	const { given, cursor } = continueWalk(list, walk, repeatable, call);
	const request = read(given, call.grant);
	const [month] = cursor === null ? [null] : monthsOf(cursor, call);
	const snapshot = month ?? resolveSnapshot(loaded, call.grant.history, request.month);
	const position = cursor === null ? null : groupPositionOf(cursor);
	const identity = `${list}-${request.identity}-${cursor?.position.join(".") ?? "*"}`;
	const tag = entityTag(snapshot.digest, call.grant.fingerprint, identity);
	return jsonAnswer(tag, () => bodyOf(snapshot, request, position, call));
}
