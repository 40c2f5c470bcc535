/**
 * gzip for clients that accept it. Whole bodies are compressed: rows by the engine, which knows their
 * structure; anything else, and rows that this would enlarge, by zlib, small bodies at once, large ones off the event
 * loop. Compressed bodies are cached by a name that determines their bytes; rows once their request is repeated.
 *
 * Invariants: the cache is bounded in bytes, and so are the bodies being compressed off the event loop;
 * one name is compressed once at a time.
 */

import { constants, gzip, gzipSync } from "node:zlib";
import { GZIP_BODY_BYTES_MAX } from "../../../engine/index.js";
import { weightedItems } from "../../http/weighted-list.js";

/** Smaller bodies fit one packet uncompressed. */
export const COMPRESSED_BYTES_MIN = 1_400;
/** Bodies up to this size take well under a millisecond to compress. */
const AT_ONCE_BYTES_MAX = 64 * 1024;
/** Bodies being compressed off the event loop, in bytes; further ones are sent uncompressed. */
const PENDING_BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of a cache entry besides its body and name: objects, the map slot. */
const ENTRY_BYTES = 512;
/** Level 1 keeps most of the gain on rows at a fifth of the time of level 6. */
const LEVEL = constants.Z_BEST_SPEED;

/** Codings that a body may be sent with. */
export type Coding = "br" | "gzip";

const GZIP = ["gzip"] as const;

/** The last value read and what it says: nearly all clients of a thread send the same few. */
let lastAcceptEncoding: string | null = null;
let lastAcceptsGzip = false;

/** Whether a client that sends this `Accept-Encoding` is to be sent gzip. */
export function acceptsGzip(acceptEncoding: string | null): boolean {
	if (acceptEncoding === lastAcceptEncoding) return lastAcceptsGzip;
	lastAcceptsGzip = preferredCoding(acceptEncoding, GZIP) !== null;
	lastAcceptEncoding = acceptEncoding;
	return lastAcceptsGzip;
}

/**
 * The coding of `offered` with the greatest weight in an `Accept-Encoding` value (RFC 9110 §12.5.3), the first of equal
 * ones. Null: none is accepted, or the body as it is has a greater weight.
 */
export function preferredCoding<C extends Coding>(
	acceptEncoding: string | null,
	offered: readonly C[],
): C | null {
	const weights = new Map<string, number>();
	for (const { value, weight } of weightedItems(acceptEncoding))
		weights.set(value === "x-gzip" ? "gzip" : value, weight);
	const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
	let best: C | null = null;
	let bestWeight = 0;
	for (const coding of offered) {
		const weight = weightOf(coding);
		if (weight <= bestWeight) continue;
		best = coding;
		bestWeight = weight;
	}
	return weightOf("identity") > bestWeight ? null : best;
}

/** Compresses bodies of rows. */
export interface RowCompression {
	/** The body as gzip, as a view that may be overwritten by the next call. */
	readonly compress: (body: Uint8Array) => Uint8Array;
	/** Whether the result is worth a copy in the cache: that of a request that may never be repeated is not. */
	readonly isCached: boolean;
}

export class Compressor {
	/** By name, the least recently used first. */
	private readonly cached = new Map<string, Uint8Array>();
	private cachedBytes = 0;
	private readonly cachedBytesMax: number;
	/** Counts calls of {@link clear}: a body whose compression began before one is not cached. */
	private generation = 0;
	private readonly pending = new Map<string, Promise<Uint8Array>>();
	private pendingBytes = 0;

	/** `cachedBytesMax`: capacity in bytes. */
	constructor(cachedBytesMax: number) {
		this.cachedBytesMax = cachedBytesMax;
	}

	/** The compressed body cached under `name`; null names nothing. */
	find(name: string | null): Uint8Array | undefined {
		if (name === null) return undefined;
		const found = this.cached.get(name);
		if (found !== undefined) {
			this.cached.delete(name);
			this.cached.set(name, found);
		}
		return found;
	}

	/**
	 * Compresses `body`, which may be a view that is overwritten once this returns, and caches it under `name`.
	 * `rowGzip` compresses bodies of rows, all but the largest and what it does not make smaller at once; null: zlib
	 * does, and caches all. Returns null where too much is being compressed: the body is to be sent as it is.
	 */
	compress(
		body: Uint8Array | string,
		name: string | null,
		rowGzip: RowCompression | null = null,
	): Uint8Array | Promise<Uint8Array> | null {
		if (rowGzip !== null && typeof body !== "string" && body.length <= GZIP_BODY_BYTES_MAX) {
			const compressed = rowGzip.compress(body);
			// Its code is made for rows: other text, such as hints that repeat what was asked, would grow.
			if (compressed.length >= body.length) return this.compress(body, rowGzip.isCached ? name : null);
			return rowGzip.isCached ? this.put(compressed, name) : compressed;
		}
		if (body.length <= AT_ONCE_BYTES_MAX) return this.put(gzipSync(body, { level: LEVEL }), name);
		const pending = name === null ? undefined : this.pending.get(name);
		if (pending !== undefined) return pending;
		if (this.pendingBytes + body.length > PENDING_BYTES_MAX) return null;
		const started = this.compressLater(Buffer.from(body as string), name);
		if (name !== null) this.pending.set(name, started);
		return started;
	}

	private compressLater(copy: Buffer, name: string | null): Promise<Uint8Array> {
		const { generation } = this;
		this.pendingBytes += copy.length;
		return new Promise((resolve, reject) => {
			gzip(copy, { level: LEVEL }, (error, compressed) => {
				this.pendingBytes -= copy.length;
				if (name !== null && generation === this.generation) this.pending.delete(name);
				if (error === null) resolve(this.put(compressed, generation === this.generation ? name : null));
				else reject(error);
			});
		});
	}

	/** Removes every body. Names contain a month's checksums, which a damaged month and its repaired copy share. */
	clear(): void {
		this.generation++;
		this.pending.clear();
		this.cached.clear();
		this.cachedBytes = 0;
	}

	private put(compressed: Uint8Array, name: string | null): Uint8Array {
		if (name === null || sizeOf(name, compressed) > this.cachedBytesMax) return compressed;
		const before = this.cached.get(name);
		if (before !== undefined) this.cachedBytes -= sizeOf(name, before);
		// A copy, since zlib returns a view of a buffer that may be many times its size.
		const copy = Buffer.allocUnsafeSlow(compressed.length);
		copy.set(compressed);
		this.cached.set(name, copy);
		this.cachedBytes += sizeOf(name, copy);
		for (const [oldest, body] of this.cached) {
			if (this.cachedBytes <= this.cachedBytesMax) break;
			this.cached.delete(oldest);
			this.cachedBytes -= sizeOf(oldest, body);
		}
		return copy;
	}
}

/** Bytes of a cache entry; names are as long as queries. */
function sizeOf(name: string, body: Uint8Array): number {
	return body.length + name.length + ENTRY_BYTES;
}
