/**
 * Receives the body of a message, within the bounds of bodies that are incomplete (bodies-in-flight.ts). A body beyond
 * them is answered 429, one that is too large 413.
 */

import type { Admission } from "../api/admission.js";
import { ApiError } from "../api/errors.js";
import type { Response } from "../api/responses/response.js";
import type { BodiesInFlight, BodySlot } from "../http/bodies-in-flight.js";
import type { RequestHead } from "../http/request-head.js";
import type { Exchange } from "../http/transport.js";
import type { Key } from "../keys/key.js";

/** Largest message: a call with 500 inputs takes 50 KiB, any other some hundred bytes. */
export const BODY_BYTES_MAX = 64 * 1024;

const RETRY_S = 1;

/** Answers a request by its body: a view, valid until it returns. */
type Take = (body: Buffer) => void | Promise<void>;

export class BodyReceiver {
	constructor(
		private readonly bounds: { readonly admission: Admission; readonly bodies: BodiesInFlight },
		private readonly request: RequestHead,
		private readonly exchange: Exchange,
		private readonly response: Response,
		/** Answers the request with an error. */
		private readonly refuse: (error: unknown) => void,
	) {}

	/** Has `take` answer the request once its body has come, which is counted by the key `keyId`. */
	receive(keyId: string, take: Take): void | Promise<void> {
		const place = this.placeOf(keyId);
		return place === null ? undefined : this.receiveAt(() => place, take);
	}

	/**
	 * As {@link receive}, of a request whose key `admitted` resolves to: until then its body is counted by `owner`. Once it
	 * rejects, the request is refused, and its body given up.
	 */
	receiveFor(owner: string, admitted: Promise<{ readonly key: Key }>, take: Take): void | Promise<void> {
		const { bodies } = this.bounds;
		let place = this.placeOf(owner);
		if (place === null) return;
		const first = place;
		const settled = admitted.then(
			({ key }) => {
				if (bodies.release(first)) place = this.placeOf(key.id);
			},
			(error) => {
				bodies.release(first);
				if (!this.response.isGone) this.refuse(error);
			},
		);
		settled.catch((error) => this.response.failed(error));
		return this.receiveAt(() => place, take);
	}

	/** A place for the body; null where there is none, which is answered. */
	private placeOf(owner: string): BodySlot | null {
		const { admission, bodies } = this.bounds;
		// No more is received than a message may have: a longer one is refused as such, and not for what others send.
		const declared = this.request.chunked
			? BODY_BYTES_MAX
			: Math.min(this.request.contentLength, BODY_BYTES_MAX);
		const place = bodies.take(owner, declared, () => admission.clientAddress(this.request, this.response));
		if (typeof place !== "string") return place;
		this.refuse(new ApiError("rate_limited", place, null, RETRY_S));
		return null;
	}

	/** `place`: null where the request was refused while its body came. */
	private receiveAt(place: () => BodySlot | null, take: Take): void | Promise<void> {
		return this.exchange.receiveBody(BODY_BYTES_MAX, (body) => {
			const current = place();
			if (current === null) return;
			this.bounds.bodies.release(current);
			if (body === "aborted") return;
			if (body !== "too_large") return take(body);
			this.refuse(new ApiError("payload_too_large", `a message may have ${BODY_BYTES_MAX} bytes at most`));
		});
	}
}
