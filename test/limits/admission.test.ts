/**
 * Long answers that a limit refuses hold no place and count toward nothing (server/api/counted-body.ts): their
 * work is not begun.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission, type AdmissionOptions } from "../../server/api/admission.js";
import { countedBody } from "../../server/api/counted-body.js";
import { LimitReached } from "../../server/api/errors.js";
import type { Answer, Body } from "../../server/api/operation.js";
import type { Response } from "../../server/api/responses/response.js";
import { StreamLimit } from "../../server/api/stream-limit.js";
import type { Key } from "../../server/keys/key.js";
import { ROWS_COUNTED } from "../../server/limits/counted-units.js";
import { SharedCounters } from "../../server/limits/counters.js";
import { SharedStatePending } from "../../server/limits/lease-line.js";
import type { Decision } from "../../server/limits/limits.js";
import { SharedLimits } from "../../server/limits/shared-limits.js";
import { MINUTE_MS } from "../../server/limits/windows.js";
import { RequestPending } from "../../server/request-pending.js";
import { looseKey, NOON_MS } from "../keys/scratch.js";

const KEY = { id: "key" } as Key;
const RESPONSE = { limits: "" } as Response;

/** An admission whose limits decide on each request as `decision` says, with the places and the counts it leaves. */
function rigOf(decision: Decision) {
	const streams = new StreamLimit({ noun: "long answers", perKeyMax: 1, totalMax: 1 });
	let counted = 1;
	const limits = {
		take: () => decision,
		peek: () => decision,
		giveBack: (_key: Key, _endpoint: string, _nowMs: number, requests = 1) => {
			counted -= requests;
		},
	};
	const admission = new Admission({ streams, limits } as unknown as AdmissionOptions);
	const admitted = { key: KEY, endpoint: "/v1/licenses", response: RESPONSE, nowMs: 0 } as const;
	const begin = (requests = 5, body = (): Body => assert.fail("the work was begun"), isHead = false) => {
		const answer: Answer = {
			tag: null,
			contentType: "",
			snapshot: null,
			requests: () => requests,
			unit: ROWS_COUNTED,
			body,
		};
		return countedBody(answer, admission, admitted, isHead, body);
	};
	return { begin, streams, counted: () => counted };
}

test("a long answer that a limit refuses gives its place back", () => {
	const refused = {
		allowed: false,
		code: "rate_limited",
		message: "",
		headers: "",
		retryAfterS: 1,
		most: null,
	} as const;
	const { begin, streams, counted } = rigOf(refused);
	for (let i = 0; i < 3; i++) assert.throws(() => begin(), LimitReached);
	assert.equal(streams.inProgress, 0);
	assert.equal(counted(), 1 - 3, "what each had counted was given back once");
});

test("a long answer that finds no place counts toward nothing, and says when to try again", () => {
	const { begin, streams, counted } = rigOf({ allowed: true, code: null, headers: "" });
	const end = streams.begin("key");
	assert.throws(() => begin(), LimitReached);
	assert.equal(counted(), 0);
	assert.match(RESPONSE.limits, /^\r\nRetry-After: 1$/);
	end();
	assert.equal(streams.inProgress, 0);
});

test("a long answer that waits for a lease gives its place back, and is started over as one that counts toward nothing", async () => {
	const settled = Promise.resolve();
	const { begin, streams } = rigOf({ allowed: false, code: "pending", settled, headers: "" });
	assert.throws(
		() => begin(),
		(error) => error instanceof SharedStatePending && !error.counted,
	);
	assert.equal(streams.inProgress, 1, "it is in progress until then");
	await settled;
	assert.equal(streams.inProgress, 0);
});

test("a request whose client leaves while it waits is counted then, in the window that has begun meanwhile", () => {
	const limits = new SharedLimits(SharedCounters.allocate(1));
	const admission = new Admission({ limits } as unknown as AdmissionOptions);
	const key = looseKey({ rate_limits: { per_minute: 10, per_day: null, monthly_quota: null } });
	const requestAt = (nowMs: number) =>
		({ key, endpoint: "/v1/aggregate", response: { limits: "" } as Response, nowMs }) as const;
	const waiting = requestAt(NOON_MS);
	admission.count(waiting);
	const pending = new RequestPending(Promise.resolve(), "");
	admission.postpone(waiting, pending);
	const [before, after] = [NOON_MS, NOON_MS + MINUTE_MS].map(
		(nowMs) => () => limits.windows(key, nowMs)[0].used,
	);
	assert.equal(before(), 0);
	for (let i = 0; i < 3; i++) admission.count(requestAt(NOON_MS + MINUTE_MS));
	pending.countAbandoned(NOON_MS + MINUTE_MS);
	assert.equal(after(), 4);
});

test("an answer of few rows takes no place, and its work is done while all places are taken", () => {
	const { begin, streams } = rigOf({ allowed: true, code: null, headers: "" });
	const last = { bytes: new Uint8Array(1), headers: "" };
	const long = begin(5, () => ({ ...last, requests: 5, next: () => null }));
	assert.equal(streams.inProgress, 1);
	assert.deepEqual(
		begin(1, () => last),
		{ body: last, end: null },
	);
	long.end?.();
	assert.equal(streams.inProgress, 0);
});

test("the key of an access token may have been revoked on another host too, until keys are current", () => {
	const key = looseKey({ slot: 3 });
	const settled = Promise.resolve();
	let behind: Promise<void> | null = settled;
	const authenticator = { authenticateId: () => ({ ok: true, key }) };
	const keysBehind = () => behind;
	const admission = new Admission({ authenticator, keysBehind } as unknown as AdmissionOptions);
	const response = { limits: "", keySlot: null } as unknown as Response;
	assert.throws(
		() => admission.identifyById(key.id, response, NOON_MS),
		(error) => error instanceof SharedStatePending && error.settled === settled,
	);
	assert.equal(admission.identifyByIdEarly(key.id, response, NOON_MS), key);
	behind = null;
	assert.equal(admission.identifyById(key.id, response, NOON_MS), key);
	assert.equal(response.keySlot, key.slot, "its errors are counted as the key's");
});

test("HEAD of a long answer takes a place while its rows are found, and counts as one", async () => {
	const { begin, streams, counted } = rigOf({ allowed: true, code: null, headers: "" });
	const settled = Promise.resolve();
	const waits = (): Body => {
		throw new RequestPending(settled, "");
	};
	assert.throws(() => begin(5, waits, true), RequestPending);
	assert.throws(() => begin(5, undefined, true), LimitReached, "another one of the key is not begun");
	await settled;
	assert.equal(streams.inProgress, 0);
	const before = counted();
	const body = { bytes: new Uint8Array(1), headers: "", requests: 5, next: () => null };
	assert.deepEqual(
		begin(5, () => body, true),
		{ body, end: null },
	);
	assert.deepEqual([streams.inProgress, counted()], [0, before]);
});
