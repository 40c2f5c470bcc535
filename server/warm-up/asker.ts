/**
 * Answers the questions of a warm-up as the API does, for a caller without limits: some of them with masked contacts. A
 * month that is not served yet answers as if it were the only one.
 */

import type { Snapshot } from "../../engine/index.js";
import { invariant } from "../../formats/index.js";
import { clientError } from "../api/errors.js";
import type { Call, Services } from "../api/operation.js";
import { decodeQuery } from "../api/parameters/request-query.js";
import { Grant } from "../api/scope/grant.js";
import type { Snapshots } from "../api/scope/history-entitlement.js";
import type { Key } from "../keys/key.js";
import { RequestPending } from "../request-pending.js";
import { QUESTION_KINDS, type Question, questionOf } from "./questions.js";

/** Rows of a list about a month that is not the newest yet: clients ask for other rows, and reading these takes as long as finding them. */
const ROWS_AHEAD = 5;

/** Answers the question of a number about a month. Throws defects. Cost: that of a request, without its socket. */
export type Ask = (month: Snapshot, number: number) => void;

export function askerOf(services: Services, now: () => number): Ask {
	const callers = [callerOf(false), callerOf(true)];
	return (month, number) => {
		const caller = callers[Math.floor(number / QUESTION_KINDS) % callers.length];
		if (services.loaded.latest === month)
			answer(month, questionOf(month, number), { ...caller, nowMs: now(), services });
		else {
			const alone = { ...services, loaded: new OneMonth(month) };
			answer(month, questionOf(month, number, ROWS_AHEAD), { ...caller, nowMs: now(), services: alone });
		}
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

function answer(snapshot: Snapshot, { operation, query }: Question, call: Call): void {
	try {
		const answer = operation.answer(
			operation.read(decodeQuery(query, operation.repeatable), call.grant),
			call,
		);
		const body = answer.body();
		const { rowFormat } = answer;
		if (rowFormat !== undefined && body.next === undefined)
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
