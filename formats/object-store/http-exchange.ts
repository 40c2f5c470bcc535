/**
 * Requests to a store over HTTP: retried on transient failures, bounded in time, ended by the caller's signal at any
 * point, and failing with an {@link ObjectStoreError} that names the object and quotes the store's reply.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { ObjectStoreError, RESEND } from "./errors.js";
import type { StoredDocument } from "./object-store.js";

/** Attempts per request. */
const ATTEMPTS = 4;
/** Delay before the second attempt, doubled before each further one. */
const RETRY_DELAY_MS = 200;
/** A request fails after this time without a byte. */
const IDLE_MS = 20_000;
/** Bytes of an error response's body that are read for the message. */
const ERROR_BYTES_MAX = 4_096;

class TimeoutError extends Error {
	constructor(ms: number) {
		super(`no answer within ${ms / 1000} s`);
	}
}

/** A store's response; those of fetch have this shape. */
export interface StoreResponse {
	readonly status: number;
	/** Whether the status is one of success. */
	readonly ok: boolean;
	readonly headers: Headers;
	/** Read once; null: there is none. */
	readonly body: { getReader(): ChunkReader } | null;
	/** Ends the reading of the body. */
	readonly signal?: AbortSignal | undefined;
}

interface ChunkReader {
	/** A chunk stays unchanged until the next one is asked for. */
	read(): Promise<{ done?: boolean; value?: Uint8Array | undefined }>;
	/** Gives the rest up. */
	cancel(): Promise<void>;
}

/** Puts the end of an attempt off until `ms` from now, as long as there is progress. */
export type Extend = (ms: number) => void;

/** Sends one attempt; `signal` ends it, after {@link IDLE_MS} unless that is extended. */
export type Attempt = (signal: AbortSignal, extend: Extend) => Promise<StoreResponse>;

/**
 * The response to a request, retried on connection failures and on statuses that are temporary. `what` names
 * the object in messages. `signal` ends the attempts, the pauses between them, and the reading of the response.
 */
export async function exchange(what: string, attempt: Attempt, signal?: AbortSignal): Promise<StoreResponse> {
	let reason = "";
	for (let i = 0; i < ATTEMPTS; i++) {
		if (i > 0) await pause(RETRY_DELAY_MS * 2 ** (i - 1) * (0.5 + Math.random()), signal);
		if (signal?.aborted === true) throw ended(what);
		try {
			const response = Object.assign(await timed(attempt, signal), { signal });
			if (!isTemporary(response.status)) return response;
			reason = await describeFailure(response);
		} catch (error) {
			if (error instanceof ObjectStoreError) throw error;
			reason = describeError(error);
		}
	}
	if (signal?.aborted === true) throw ended(what);
	throw new ObjectStoreError("store_unreachable", `${what}: ${reason}, after ${ATTEMPTS} attempts`);
}

/** One attempt. Bounds the time to the response's head; {@link bodyOf} bounds the body. */
async function timed(attempt: Attempt, signal: AbortSignal | undefined): Promise<StoreResponse> {
	const ending = new AbortController();
	let timer: NodeJS.Timeout | undefined;
	let isOver = false;
	// A response may come before all of the request is sent, which then still makes progress.
	const extend: Extend = (ms) => {
		if (isOver) return;
		clearTimeout(timer);
		timer = setTimeout(() => ending.abort(new TimeoutError(ms)), ms);
	};
	extend(IDLE_MS);
	// Not AbortSignal.any: a signal that lives as long as the process would keep a reference for each request.
	const end = () => ending.abort(signal?.reason);
	signal?.addEventListener("abort", end, { once: true });
	try {
		return await attempt(ending.signal, extend);
	} finally {
		isOver = true;
		clearTimeout(timer);
		signal?.removeEventListener("abort", end);
	}
}

/** Waits; a signal that is aborted ends it. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	await sleep(ms, undefined, { signal }).catch((error: unknown) => {
		if (signal?.aborted !== true) throw error;
	});
}

/** The error for what the caller's signal has ended. */
export function ended(what: string): ObjectStoreError {
	return new ObjectStoreError("store_unreachable", `${what}: ended`);
}

/** The error for an unsuccessful response. */
export async function failure(what: string, response: StoreResponse): Promise<ObjectStoreError> {
	const { status } = response;
	const text = await describeFailure(response);
	const region = response.headers.get("x-amz-bucket-region");
	if ((status === 400 || status === 301) && region !== null)
		return new ObjectStoreError(
			"bad_store_url",
			`${what}: ${text}; the bucket is in region ${region}: set AWS_REGION`,
		);
	// Some stores do not name the region.
	if (/ AuthorizationHeaderMalformed$/.test(text))
		return new ObjectStoreError(
			"bad_store_url",
			`${what}: ${text}; set AWS_REGION to the region of the bucket`,
		);
	if (/ NoSuchBucket$/.test(text))
		return new ObjectStoreError("missing_object", `${what}: ${text}; the bucket does not exist`);
	if (status === 401 || status === 403) {
		const remedy = / RequestTimeTooSkewed$/.test(text)
			? "set this machine's clock"
			: "check the credentials and their rights";
		return new ObjectStoreError("store_denied", `${what}: ${text}; ${remedy}`);
	}
	if (status === 404) return new ObjectStoreError("missing_object", `${what}: ${text}`);
	// Only what follows bytes that are here already is asked for.
	if (status === 416) return new ObjectStoreError("corrupt_object", `${what}: ${text}; ${RESEND}`);
	return new ObjectStoreError("store_unreachable", `${what}: ${text}`);
}

/**
 * The bytes of a response, each chunk unchanged until the next is asked for. Fails after `idleMs` without a byte, and once
 * the response's signal is aborted.
 */
export async function* bodyOf(
	what: string,
	response: StoreResponse,
	idleMs = IDLE_MS,
): AsyncIterable<Uint8Array> {
	if (response.body === null) return;
	const { signal } = response;
	const reader = response.body.getReader();
	let reading = false;
	let idle = false;
	// Cancelling ends the read that waits.
	const cancel = () => void reader.cancel().catch(() => {});
	// One timer for all chunks, which are many.
	const timer = setTimeout(() => {
		if (!reading) return;
		idle = true;
		cancel();
	}, idleMs).unref();
	signal?.addEventListener("abort", cancel, { once: true });
	const requireGoingOn = () => {
		if (idle) throw new ObjectStoreError("store_unreachable", `${what}: no byte for ${idleMs / 1000} s`);
		if (signal?.aborted === true) throw ended(what);
	};
	try {
		for (;;) {
			requireGoingOn();
			timer.refresh();
			reading = true;
			const { done, value } = await reader.read();
			reading = false;
			requireGoingOn();
			if (done === true || value === undefined) return;
			yield value;
		}
	} catch (error) {
		// A body that is cancelled ends, or fails in words of its own.
		requireGoingOn();
		if (error instanceof ObjectStoreError) throw error;
		throw new ObjectStoreError("store_unreachable", `${what}: ${describeError(error)}`);
	} finally {
		clearTimeout(timer);
		signal?.removeEventListener("abort", cancel);
		await reader.cancel().catch(() => {});
	}
}

/** All bytes of a response. Fails with `corrupt_object` beyond `bytesMax`. */
export async function wholeBody(
	what: string,
	response: StoreResponse,
	bytesMax: number,
): Promise<Uint8Array> {
	const parts: Uint8Array[] = [];
	let bytes = 0;
	for await (const part of bodyOf(what, response)) {
		bytes += part.length;
		if (bytes > bytesMax) {
			throw new ObjectStoreError("corrupt_object", `${what}: larger than ${bytesMax} bytes`);
		}
		parts.push(Uint8Array.from(part));
	}
	return Buffer.concat(parts);
}

/** The document in the response to a GET, which may have been conditional. Fails with {@link failure}. */
export async function documentOf(
	what: string,
	response: StoreResponse,
	bytesMax: number,
): Promise<StoredDocument | "unchanged" | null> {
	if (response.status === 304) return "unchanged";
	if (response.status === 404) {
		const error = await failure(what, response);
		if (isNoBucket(error)) throw error;
		return null;
	}
	if (!response.ok) throw await failure(what, response);
	const bytes = await wholeBody(what, response, bytesMax);
	return { bytes, etag: response.headers.get("ETag") ?? "" };
}

/** The size of the object in the response to a HEAD; null if there is none. */
export async function sizeOf(what: string, response: StoreResponse): Promise<number | null> {
	if (response.status === 404) return null;
	if (!response.ok) throw await failure(what, response);
	return Number(response.headers.get("Content-Length"));
}

/** A missing object is an answer; a missing bucket is a mistake in the address. */
export function isNoBucket({ message }: ObjectStoreError): boolean {
	return message.includes(" NoSuchBucket;");
}

function isTemporary(status: number): boolean {
	return status === 429 || (status >= 500 && status !== 501);
}

/** The status and S3's error code from the body. */
async function describeFailure(response: StoreResponse): Promise<string> {
	let code = "";
	try {
		const text = Buffer.from(await wholeBody("", response, ERROR_BYTES_MAX)).toString("utf8");
		code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? "";
	} catch {
		// The status is enough.
	}
	return code === "" ? `HTTP ${response.status}` : `HTTP ${response.status} ${code}`;
}

function describeError(error: unknown): string {
	if (error instanceof TimeoutError) return error.message;
	const { message, cause } = error as Error;
	const { code } = (cause ?? {}) as NodeJS.ErrnoException;
	return code ?? (cause instanceof Error ? cause.message : message);
}
