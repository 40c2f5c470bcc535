/** Plain HTTPS origins as read-only stores: mirrors, content delivery networks, web servers. */

import { ObjectStoreError } from "./errors.js";
import { bodyOf, documentOf, exchange, failure, sizeOf } from "./http-exchange.js";
import { getObject } from "./http-get.js";
import type { ListedObject, ObjectStore, ReadOptions, StoredDocument } from "./object-store.js";

/** With a content coding, ranges and lengths would refer to the encoded bytes. */
const PLAIN = { "Accept-Encoding": "identity" };

export class HttpsStore implements ObjectStore {
	readonly url: string;

	/** `url` must have no query and no userinfo. Throws {@link ObjectStoreError} `bad_store_url`. */
	constructor(url: string) {
		if (!/^https?:\/\/[^/@\s?#]+(\/[^\s?#]*)?$/.test(url)) {
			const shown = url.replace(/\/\/[^/]*@/, "//").replace(/[?#].*/, "");
			throw new ObjectStoreError(
				"bad_store_url",
				`${shown} must be an http or https address without user and query`,
			);
		}
		this.url = url.replace(/\/+$/, "");
	}

	async read(
		name: string,
		bytesMax: number,
		{ etag, signal }: ReadOptions = {},
	): Promise<StoredDocument | "unchanged" | null> {
		const headers: Record<string, string> = etag === undefined ? {} : { "If-None-Match": etag };
		const response = await exchange(
			this.what(name),
			(ending) =>
				fetch(this.what(name), { headers: { ...headers, ...PLAIN }, signal: ending, redirect: "error" }),
			signal,
		);
		return documentOf(this.what(name), response, bytesMax);
	}

	async open(name: string, from: number, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
		const range: Record<string, string> = from === 0 ? {} : { Range: `bytes=${from}-` };
		const response = await exchange(
			this.what(name),
			(ending) => getObject(this.what(name), { ...range, ...PLAIN }, ending),
			signal,
		);
		if (response.status === 206 || (response.status === 200 && from === 0)) {
			return bodyOf(this.what(name), response);
		}
		if (response.status === 200) return skipping(bodyOf(this.what(name), response), from);
		throw await failure(this.what(name), response);
	}

	async size(name: string, signal?: AbortSignal): Promise<number | null> {
		const response = await exchange(
			this.what(name),
			(ending) => fetch(this.what(name), { method: "HEAD", signal: ending, redirect: "error" }),
			signal,
		);
		return sizeOf(this.what(name), response);
	}

	write(): Promise<never> {
		return this.refuse();
	}

	remove(): Promise<never> {
		return this.refuse();
	}

	// biome-ignore lint/correctness/useYield: an origin cannot be listed; the signature is the interface's.
	async *list(): AsyncIterable<ListedObject> {
		await this.refuse();
	}

	private async refuse(): Promise<never> {
		throw new ObjectStoreError("read_only_store", `${this.url} is read only; write to an s3:// address`);
	}

	private what(name: string): string {
		return `${this.url}/${name}`;
	}
}

/** Skips the bytes before `from`, which an origin that ignores ranges sends too. */
async function* skipping(bytes: AsyncIterable<Uint8Array>, from: number): AsyncIterable<Uint8Array> {
	let left = from;
	for await (const part of bytes) {
		if (part.length > left) yield part.subarray(left);
		left = Math.max(0, left - part.length);
	}
}
