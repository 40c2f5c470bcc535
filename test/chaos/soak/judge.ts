/** Whether an answer is one that may be given now. */

import { crc32, gunzipSync } from "node:zlib";
import type { Received } from "./connection.js";
import { comparable, type Expected, type Question } from "./oracle.js";

/** What holds while a request is under way; of two moments, all that held in either. */
export interface Allowed {
	/** Bit w: answers of world w. */
	readonly worlds: number;
	/** Connections may break: something is being killed. */
	readonly cuts: boolean;
	/** The server may say it is too busy. */
	readonly sheds: boolean;
	/** What may be said to the key that is suspended for a while. */
	readonly paused: "active" | "either" | "suspended";
}

export function either(a: Allowed, b: Allowed): Allowed {
	return {
		worlds: a.worlds | b.worlds,
		cuts: a.cuts || b.cuts,
		sheds: a.sheds || b.sheds,
		paused: a.paused === b.paused ? a.paused : "either",
	};
}

/** What became of a request: `counted` toward its key's limits, or not. */
export type Verdict =
	| { readonly kind: "right"; readonly counted: boolean }
	| { readonly kind: "shed" }
	| { readonly kind: "wrong"; readonly why: string };

const UNCOUNTED: Verdict = { kind: "right", counted: false };
const COUNTED: Verdict = { kind: "right", counted: true };
const BUSY = 503;

export function judge(question: Question, received: Received, allowed: Allowed): Verdict {
	const { ask, answers } = question;
	const { status, head } = received;
	if (status === BUSY) {
		const announced = /\r\nRetry-After: /i.test(head);
		return announced ? { kind: "shed" } : wrong("503 without Retry-After", received);
	}
	if (ask.key === "paused" && allowed.paused !== "active") {
		if (status === 401 && bodyText(received).includes('"key_suspended"')) return UNCOUNTED;
		if (allowed.paused === "suspended") return wrong("a suspended key was answered", received);
	}
	if (!/\r\nX-Request-Id: /i.test(head)) return wrong("no X-Request-Id", received);
	if (ask.judged === "usage") return status === 200 ? COUNTED : wrong("usage was refused", received);
	const plain = plainBody(received);
	const bytes = comparable(ask.judged, plain);
	const possible = answers.filter((_, world) => (allowed.worlds & (1 << world)) !== 0);
	const differences = possible.map((expected) => difference(expected, status, head, bytes));
	if (differences.includes(null)) return ask.key === null ? UNCOUNTED : COUNTED;
	return wrong(differences.join(", or "), received);
}

/** How an answer differs from the expected one; null: it does not. */
function difference(expected: Expected, status: number, head: string, bytes: Buffer): string | null {
	if (status !== expected.status) return `status ${status}, expected ${expected.status}`;
	if (bytes.length !== expected.bytes) return `${bytes.length} bytes, expected ${expected.bytes}`;
	if (crc32(bytes) !== expected.crc) return "other bytes of the right length";
	if (expected.tag !== null && !head.includes(`\r\nETag: ${expected.tag}\r\n`)) return "another ETag";
	return head.includes(expected.headers) ? null : `without the headers ${expected.headers.trim()}`;
}

/** The body as it was before compression. */
function plainBody({ head, body }: Received): Buffer {
	const bytes = body.length === 1 ? body[0] : Buffer.concat(body);
	return /\r\nContent-Encoding: gzip/i.test(head) ? gunzipSync(bytes) : bytes;
}

/** The body as text, for those that are read. */
export function bodyText(received: Received): string {
	return plainBody(received).toString("utf8");
}

function wrong(why: string, { status, body }: Received): Verdict {
	const begin = Buffer.concat(body).subarray(0, 160).toString("latin1");
	return { kind: "wrong", why: `${why}; got ${status} ${begin}` };
}
