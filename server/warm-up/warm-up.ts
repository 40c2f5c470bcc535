/**
 * Warm-up of a thread before it serves: it answers requests to itself (questions.ts), so that its first clients meet
 * compiled code and mapped files. Over 2.5 million rows a thread's first 200 pages take ten times as long as those after
 * 3,000, and two seconds of warm-up make its first second of requests three times as cheap (docs/OPERATING.md, "Serving").
 *
 * Nothing is counted, and no answer is cached but the statistics of states: the operations run without a key, before the
 * port is open.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Snapshot } from "../../engine/index.js";
import { ApiError } from "../api/errors.js";
import type { Call, Services } from "../api/operation.js";
import { decodeQuery } from "../api/parameters/request-query.js";
import { Grant } from "../api/scope/grant.js";
import type { Key } from "../keys/key.js";
import type { Log } from "../log.js";
import { RequestPending } from "../request-pending.js";
import { QUESTION_KINDS, type Question, questionOf } from "./questions.js";

/** Rows. A smaller month is answered fast without. */
const ROWS_MIN = 65_536;

/** Work between two turns of the event loop, in milliseconds: health and metrics of this thread are answered meanwhile. */
const TURN_MS = 10;

export interface WarmUpOptions {
	/** Most milliseconds; 0: none. */
	readonly ms: number;
	/** Monotonic, in milliseconds. */
	readonly now: () => number;
	/** Whether the thread is to end. */
	readonly isOver: () => boolean;
}

/** Answers questions about the newest month until the time is over, and logs how many, or the defect that ended it. */
export async function warmUp(services: Services, log: Log, options: WarmUpOptions): Promise<void> {
	const { latest } = services.loaded;
	if (options.ms === 0 || latest === null || latest.rows < ROWS_MIN) return;
	const begun = options.now();
	try {
		const questions = await askUntilOver(latest, services, options);
		log.info({ questions, ms: Math.round(options.now() - begun) }, "warmed up");
	} catch (error) {
		// A month that cannot answer one request may answer others; verification finds damage.
		log.error({ err: error }, "warming up failed");
	}
}

/** Resolves to the number of questions asked. Rejects with defects. */
async function askUntilOver(
	latest: Snapshot,
	services: Services,
	{ ms, now, isOver }: WarmUpOptions,
): Promise<number> {
	const callers = [callerOf(false), callerOf(true)];
	const begun = now();
	let asked = 0;
	for (let turn = begun; now() - begun < ms && !isOver(); turn = now()) {
		while (now() - turn < TURN_MS && now() - begun < ms) {
			const { key, grant } = callers[Math.floor(asked / QUESTION_KINDS) % callers.length];
			answer(latest, questionOf(latest, asked), { key, grant, nowMs: now(), services });
			asked++;
		}
		await nextTurn();
	}
	return asked;
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
		// A value of the month may be none that a client could ask for; what takes several turns is left.
		if (!(error instanceof ApiError) && !(error instanceof RequestPending)) throw error;
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
