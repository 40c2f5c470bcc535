/**
 * Streams of `subscriptions/listen` (revision 2026-07-28): a client names resources and is notified, as
 * server-sent events, when a month is published or retired.
 *
 * Bounds: {@link PER_KEY_MAX} streams a key and {@link TOTAL_MAX} a thread, {@link URIS_MAX} resources a
 * stream, {@link LIFE_MS} of life. What a client has not read is coalesced by resource. A stream whose key or access token is
 * no longer accepted ends at the next heartbeat.
 */

import { StreamLimit } from "../api/stream-limit.js";
import type { BodyStream } from "../http/body-stream.js";
import { RequestPending } from "../request-pending.js";
import { META_SUBSCRIPTION, type RequestId, resultResponse } from "./protocol.js";

const PER_KEY_MAX = 2;
const TOTAL_MAX = 1_000;
/** After this a stream ends, and its client opens another. */
const LIFE_MS = 3_600_000;
/** Shorter than the time after which a transport takes a silent connection for dead. */
export const HEARTBEAT_MS = 4_000;
const HEARTBEAT = ":\n\n";

/** Resources that one stream may name; others are refused. */
export const URIS_MAX = 100;

/** Longest id of a stream: each notification repeats it, and a change of months notifies of every resource at once. */
export const STREAM_ID_LENGTH_MAX = 200;

export interface Listener {
	readonly id: RequestId;
	readonly uris: readonly string[];
	readonly keyId: string;
	readonly nowMs: number;
	/** Throws where the key is no longer accepted, RequestPending while that is not known. */
	readonly check: (nowMs: number) => void;
}

export class Subscriptions {
	private readonly streams = new Set<Subscription>();
	private readonly limit = new StreamLimit({
		noun: "streams of notifications",
		perKeyMax: PER_KEY_MAX,
		totalMax: TOTAL_MAX,
	});

	/** The body of a new stream. Throws ApiError beyond the limits. */
	open(listener: Listener): BodyStream {
		const release = this.limit.begin(listener.keyId);
		const stream = new Subscription(listener, () => {
			release();
			this.streams.delete(stream);
		});
		this.streams.add(stream);
		return stream;
	}

	/** The set of loaded months has changed. Cost: O(streams × resources). */
	monthsChanged(): void {
		for (const stream of this.streams) stream.changed();
	}

	/** Keeps connections alive, and ends streams that are too old or whose key is no longer accepted. */
	beat(nowMs: number): void {
		for (const stream of this.streams) stream.beat(nowMs);
	}

	/** Ends every stream, so that the server can stop. */
	end(): void {
		for (const stream of this.streams) stream.end();
	}
}

class Subscription implements BodyStream {
	readonly bytes = null;
	readonly immediate = true;
	private acknowledged = false;
	private readonly updated = new Set<string>();
	private ending = false;
	private ended = false;
	private beats = false;
	private wake: (() => void) | null = null;

	constructor(
		private readonly listener: Listener,
		private readonly closed: () => void,
	) {}

	async next(): Promise<Uint8Array | null> {
		for (;;) {
			const text = this.due();
			if (text !== "") return Buffer.from(text);
			if (this.ended) return null;
			await new Promise<void>((resolve) => {
				this.wake = resolve;
			});
			this.wake = null;
		}
	}

	/** What is to be sent now; empty: nothing. */
	private due(): string {
		if (this.ended) return "";
		let text = "";
		if (!this.acknowledged)
			text += this.event("subscriptions/acknowledged", { notifications: this.filter() });
		this.acknowledged = true;
		for (const uri of this.updated) text += this.event("resources/updated", { uri });
		this.updated.clear();
		if (this.ending) {
			this.ended = true;
			return text + sse(resultResponse("stateless", this.listener.id, "{}", null, this.meta()));
		}
		if (text === "" && this.beats) text = HEARTBEAT;
		this.beats = false;
		return text;
	}

	private filter() {
		const { uris } = this.listener;
		return uris.length === 0 ? {} : { resourceSubscriptions: uris };
	}

	private meta() {
		return { [META_SUBSCRIPTION]: this.listener.id };
	}

	private event(method: string, params: object): string {
		const message = {
			jsonrpc: "2.0",
			method: `notifications/${method}`,
			params: { _meta: this.meta(), ...params },
		};
		return sse(JSON.stringify(message));
	}

	changed(): void {
		for (const uri of this.listener.uris) this.updated.add(uri);
		this.wake?.();
	}

	beat(nowMs: number): void {
		const { listener } = this;
		if (nowMs - listener.nowMs >= LIFE_MS || !isAccepted(listener, nowMs)) this.ending = true;
		this.beats = true;
		this.wake?.();
	}

	end(): void {
		this.ending = true;
		this.wake?.();
	}

	close(): void {
		this.ended = true;
		this.closed();
		this.wake?.();
	}
}

function isAccepted({ check }: Listener, nowMs: number): boolean {
	try {
		check(nowMs);
		return true;
	} catch (error) {
		// Whether it still is, the next heartbeat finds; why it is not, the next request of the key says.
		return error instanceof RequestPending;
	}
}

function sse(message: string): string {
	return `event: message\ndata: ${message}\n\n`;
}
