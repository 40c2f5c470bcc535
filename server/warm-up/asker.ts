/**
 * Answers the questions of a warm-up as the API does, for a caller without limits: some of them with masked contacts. A
 * month that is not served yet answers what clients have asked last, as if it were the only one.
 *
 * Invariant: nothing is counted toward a key, and no body that is answered ahead is cached.
 */

import type { Snapshot } from "../../engine/index.js";
import { invariant } from "../../formats/index.js";
import { JsonCache } from "../api/caches/json-cache.js";
import { clientError } from "../api/errors.js";
import type { Answer, AnsweredCall, Call, Services } from "../api/operation.js";
import { decodeQuery } from "../api/parameters/request-query.js";
import { Grant } from "../api/scope/grant.js";
import type { Snapshots } from "../api/scope/history-entitlement.js";
import type { Key } from "../keys/key.js";
import { RequestPending } from "../request-pending.js";
import { isOfOneMonth, QUESTION_KINDS, questionOf } from "./questions.js";

export interface Asker {
	/** Answers the question of a number about the newest month. Throws defects. Cost: that of a request, without its socket. */
	about(month: Snapshot, number: number): void;
	/** Answers a client's call once more, about a month that is not the newest yet. Likewise. */
	again(month: Snapshot, answered: AnsweredCall): void;
}

export function askerOf(services: Services, now: () => number): Asker {
	const callers = [callerOf(false), callerOf(true)];
	return {
		about(month, number) {
			const caller = callers[Math.floor(number / QUESTION_KINDS) % callers.length];
			const call: Call = { ...caller, nowMs: now(), services };
			const { operation, query } = questionOf(month, number);
			answer(month, true, () =>
				operation.answer(operation.read(decodeQuery(query, operation.repeatable), call.grant), call),
			);
		},
		again(month, { operation, asked, grant, gzip }) {
			if (!isOfOneMonth(operation)) return;
			// Bodies are cached by what determines them for the months that are served.
			const alone = { ...services, loaded: new OneMonth(month), jsonCache: new JsonCache() };
			const call: Call = { key: callers[0].key, grant, nowMs: now(), services: alone };
			answer(month, gzip, () => operation.answer(asked, call));
		},
	};
}

/** A month as the only one that is loaded. */
class OneMonth implements Snapshots {
	readonly snapshots: readonly Snapshot[];

	constructor(readonly latest: Snapshot) {
		this.snapshots = [latest];
	}

	find(month: string): Snapshot | undefined {
		return month === this.latest.month ? this.latest : undefined;
	}

	changesInSlices(): never {
		invariant(false, "questions are about one month");
	}

	comparedGroupsInSlices(): never {
		invariant(false, "questions are about one month");
	}
}

function answer(snapshot: Snapshot, gzip: boolean, answerOf: () => Answer): void {
	try {
		const found = answerOf();
		const body = found.body();
		const { rowFormat } = found;
		if (gzip && rowFormat !== undefined && body.next === undefined)
			snapshot.gzip(body.bytes as Uint8Array, rowFormat);
		body.ended?.();
	} catch (error) {
		// A value of the month may be none that a client could ask for, or the month too old; what takes several turns is left.
		if (clientError(error) === null && !(error instanceof RequestPending)) throw error;
	}
}

/** A caller without limits. */
function callerOf(masked: boolean): Pick<Call, "key" | "grant"> {
	const key: Key = {
		id: "",
		name: "warm-up",
		tier: "enterprise",
		status: "active",
		created_at: "",
		expires_at: null,
		rate_limits: { per_minute: null, per_day: null, monthly_quota: null },
		scope: { geography: null, columns: null, history: { mode: "latest" } },
		masked,
		scopeTag: `warm-up ${masked}`,
		slot: -1,
	};
	return { key, grant: new Grant(key) };
}
