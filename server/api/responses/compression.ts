/**
 * gzip for clients that accept it. Whole bodies are compressed: rows by the engine, which knows their
 * structure; anything else by zlib, small bodies at once, large ones off the event loop; what was compressed once is kept by a name that determines its bytes.
 *
 * Invariant: what is kept is bounded in bytes.
 */

import { constants, gzip, gzipSync } from "node:zlib";
import { GZIP_BODY_BYTES_MAX } from "../../../engine/index.js";

/** Smaller bodies travel in one packet anyway. */
export const COMPRESSED_BYTES_MIN = 1_400;
/** Bodies up to this size take well under a millisecond to compress. */
const AT_ONCE_BYTES_MAX = 64 * 1024;
/** What a kept body costs besides itself and its name: objects, its place in the map. */
const ENTRY_BYTES = 512;
/** Level 1 keeps most of the gain on rows at a fifth of the time of level 6. */
const LEVEL = constants.Z_BEST_SPEED;

/** Whether an `Accept-Encoding` value takes gzip (RFC 9110 §12.5.3). */
export function acceptsGzip(acceptEncoding: string | null): boolean {
	if (acceptEncoding === null || acceptEncoding === "") return false;
	let any = false;
	for (const item of acceptEncoding.toLowerCase().split(",")) {
		const [coding, ...parameters] = item.split(";").map((part) => part.trim());
		const weight = parameters.find((parameter) => parameter.startsWith("q="));
		const accepted = weight === undefined || Number(weight.slice(2)) > 0;
		if (coding === "gzip" || coding === "x-gzip") return accepted;
		if (coding === "*") any = accepted;
	}
	return any;
}

/** Compresses a body to gzip, as a view that may be overwritten by the next call. */
export type Gzip = (body: Uint8Array) => Uint8Array;

export class Compressor {
	/** By name, the least recently used first. */
	private readonly kept = new Map<string, Uint8Array>();
	private keptBytes = 0;
	private readonly keptBytesMax: number;
	/** Counts the times that all was forgotten: what was begun before is not kept. */
	private era = 0;

	/** `keptBytesMax`: most bytes of compressed bodies to keep. */
	constructor(keptBytesMax: number) {
		this.keptBytesMax = keptBytesMax;
	}

	/** The compressed body kept under `name`; null names nothing. */
	find(name: string | null): Uint8Array | undefined {
		if (name === null) return undefined;
		const found = this.kept.get(name);
		if (found !== undefined) {
			this.kept.delete(name);
			this.kept.set(name, found);
		}
		return found;
	}

	/**
	 * Compresses `body`, which may be a view that is overwritten once this returns, and keeps it under `name`.
	 * `rowGzip` compresses bodies of rows, all but the largest at once; null: zlib does.
	 */
	compress(
		body: Uint8Array | string,
		name: string | null,
		rowGzip: Gzip | null = null,
	): Uint8Array | Promise<Uint8Array> {
		if (rowGzip !== null && typeof body !== "string" && body.length <= GZIP_BODY_BYTES_MAX) {
			return this.keep(rowGzip(body), name);
		}
		if (body.length <= AT_ONCE_BYTES_MAX) return this.keep(gzipSync(body, { level: LEVEL }), name);
		const copy = Buffer.from(body as string);
		const { era } = this;
		return new Promise((resolve, reject) => {
			gzip(copy, { level: LEVEL }, (error, compressed) => {
				if (error === null) resolve(this.keep(compressed, era === this.era ? name : null));
				else reject(error);
			});
		});
	}

	/** Forgets all bodies: names stand for a month's checksums, which a damaged month has like a sound one. */
	clear(): void {
		this.era++;
		this.kept.clear();
		this.keptBytes = 0;
	}

	private keep(compressed: Uint8Array, name: string | null): Uint8Array {
		if (name === null || sizeOf(name, compressed) > this.keptBytesMax) return compressed;
		const before = this.kept.get(name);
		if (before !== undefined) this.keptBytes -= sizeOf(name, before);
		// Of its own memory: zlib gives a piece of a buffer, which may be many times its size.
		const copy = Buffer.allocUnsafeSlow(compressed.length);
		copy.set(compressed);
		this.kept.set(name, copy);
		this.keptBytes += sizeOf(name, copy);
		for (const [oldest, body] of this.kept) {
			if (this.keptBytes <= this.keptBytesMax) break;
			this.kept.delete(oldest);
			this.keptBytes -= sizeOf(oldest, body);
		}
		return copy;
	}
}

/** Bytes that keeping `body` under `name` takes; names are as long as queries are. */
function sizeOf(name: string, body: Uint8Array): number {
	return body.length + name.length + ENTRY_BYTES;
}
