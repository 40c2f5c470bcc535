/**
 * Requests to an OAuth issuer, which strangers cause by tokens that were not seen before. Bounded are their rate while the
 * issuer fails, which each such token would ask anew, and the bytes of a response.
 */

import type { Clock } from "../../clock.js";

/** Time after a failure before the issuer is asked again. */
const RETRY_MS = 1_000;
/** Metadata and key sets have some thousand bytes. */
const RESPONSE_BYTES_MAX = 1 << 20;

/** The issuer, not a token, is at fault. */
export class IssuerError extends Error {}

export class IssuerFetch {
	private failedMs = Number.NEGATIVE_INFINITY;

	constructor(private readonly clock: Clock) {}

	/**
	 * As the global fetch; resolves once the whole body has come. Rejects with IssuerError for a body that is too long, and
	 * within {@link RETRY_MS} of a failure, of a status other than success, or of a body that is not JSON, such as a page that
	 * says with status 200 that the issuer is being maintained.
	 */
	readonly fetch = async (address: string, init: RequestInit): Promise<Response> => {
		// A clock that was set back says nothing.
		if (Math.abs(this.clock.now() - this.failedMs) < RETRY_MS)
			throw new IssuerError(`${address} did not answer just now`);
		try {
			const response = await fetch(address, init);
			const body = await boundedBody(address, response);
			if (!response.ok || !isJson(body)) this.failedMs = this.clock.now();
			return new Response(body, { status: response.status });
		} catch (error) {
			this.failedMs = this.clock.now();
			throw error;
		}
	};
}

async function boundedBody(address: string, { body }: Response): Promise<Buffer | null> {
	if (body === null) return null;
	const parts: Uint8Array[] = [];
	let bytes = 0;
	// Leaving the loop cancels the rest.
	for await (const part of body) {
		bytes += part.length;
		if (bytes > RESPONSE_BYTES_MAX)
			throw new IssuerError(`${address} sends more than ${RESPONSE_BYTES_MAX} bytes`);
		parts.push(part);
	}
	return Buffer.concat(parts);
}

function isJson(body: Buffer | null): boolean {
	try {
		JSON.parse(String(body ?? ""));
		return true;
	} catch {
		return false;
	}
}
