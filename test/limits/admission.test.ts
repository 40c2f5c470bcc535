/**
 * Long answers that a limit refuses hold no place and count toward nothing (server/api/counted-body.ts): their
 * work is not begun.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Admission, type AdmissionOptions } from "../../server/api/admission.js";
import { countedBody } from "../../server/api/counted-body.js";
import { LimitReached } from "../../server/api/errors.js";
import type { Answer } from "../../server/api/operation.js";
import type { Response } from "../../server/api/responses/response.js";
import { StreamLimit } from "../../server/api/stream-limit.js";
import type { Key } from "../../server/keys/key.js";
import { SharedStatePending } from "../../server/limits/lease-line.js";
import type { Decision } from "../../server/limits/limits.js";

const KEY = { id: "key" } as Key;
const RESPONSE = { limits: "" } as Response;

/** An admission whose limits decide on each request as `decision` says, with the places and the counts it leaves. */
function rigOf(decision: Decision) {
	const streams = new StreamLimit({ noun: "long answers", perKeyMax: 1, totalMax: 1 });
	let counted = 1;
	const limits = {
		take: () => decision,
		giveBack: (_key: Key, _endpoint: string, _nowMs: number, requests = 1) => {
			counted -= requests;
		},
	};
	const admission = new Admission({ streams, limits } as unknown as AdmissionOptions);
	const admitted = { key: KEY, endpoint: "/v1/licenses", response: RESPONSE, nowMs: 0 } as const;
	const answer: Answer = {
		tag: null,
		contentType: "",
		snapshot: null,
		isLong: true,
		requests: () => 5,
		body: () => assert.fail("the work was begun"),
	};
	const begin = () => countedBody(answer, admission, admitted, false, () => answer.body());
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
	for (let i = 0; i < 3; i++) assert.throws(begin, LimitReached);
	assert.equal(streams.inProgress, 0);
	assert.equal(counted(), 1 - 3, "what each had counted was given back once");
});

test("a long answer that waits for a lease gives its place back, and is started over as one that counts toward nothing", () => {
	const settled = Promise.resolve();
	const { begin, streams } = rigOf({ allowed: false, code: "pending", settled, headers: "" });
	assert.throws(begin, (error) => error instanceof SharedStatePending && !error.counted);
	assert.equal(streams.inProgress, 0);
});
