/**
 * Rendered bodies of requests that repeat. A snapshot is immutable, so a body stays valid for as long as
 * the same open snapshot serves the same request.
 *
 * Invariants:
 * - The key is the identity of the parsed request, which one grant and one query text share, and of the
 *   open snapshot. Neither a forged fingerprint nor a republished month can hit another's entry.
 * - The cache is bounded in bytes, and holds its snapshots weakly.
 * - Eviction is random: lookups need no bookkeeping, and a cyclic scan over more bytes than fit still
 *   hits in proportion to the capacity, where LRU would never hit.
 */

import type { Snapshot } from "../../../engine/index.js";
import type { Body } from "../operation.js";
import { RandomEviction } from "./random-eviction.js";

/** Larger bodies are not cached: one would displace many. */
const BODY_BYTES_MAX = 256 * 1024;
/** Bytes of an entry besides its body, as measured: the parsed request, objects, headers, the map slot. */
const ENTRY_BYTES = 1_024;

interface Entry {
	readonly request: object;
	readonly snapshot: WeakRef<Snapshot>;
	readonly body: Body;
	readonly bytes: number;
}

export class BodyCache {
	private readonly byRequest = new Map<object, number>();
	private readonly entries: Entry[] = [];
	private readonly bytesMax: number;
	private bytes = 0;
	private readonly eviction = new RandomEviction();

	/** `bytesMax`: capacity in bytes; 0 disables the cache. */
	constructor(bytesMax: number) {
		this.bytesMax = bytesMax;
	}

	/** Bytes cached now. */
	get cachedBytes(): number {
		return this.bytes;
	}

	/** The cached body of `request` over `snapshot`; undefined on a miss. Cost O(1). */
	find(request: object, snapshot: Snapshot): Body | undefined {
		const slot = this.byRequest.get(request);
		if (slot === undefined) return undefined;
		const { body, snapshot: of } = this.entries[slot];
		return of.deref() === snapshot ? body : undefined;
	}

	/** Caches a copy of `body`, which may be a view that is overwritten later. A full cache may decline. Cost O(bytes). */
	put(request: object, snapshot: Snapshot, { bytes, headers, rows, pageNumber }: Body): void {
		const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
		const size = length + ENTRY_BYTES;
		if (length > BODY_BYTES_MAX || size > this.bytesMax) return;
		const before = this.byRequest.get(request);
		if (before !== undefined) this.drop(before);
		if (this.bytes + size > this.bytesMax && !this.eviction.admits()) return;
		while (this.bytes + size > this.bytesMax) this.drop(this.eviction.victim(this.entries.length));
		// Not from Buffer's shared pool, which the entry would keep alive.
		const copy = Buffer.allocUnsafeSlow(length);
		if (typeof bytes === "string") copy.write(bytes);
		else copy.set(bytes);
		this.byRequest.set(request, this.entries.length);
		this.entries.push({
			request,
			snapshot: new WeakRef(snapshot),
			body: {
				bytes: copy,
				headers,
				...(rows === undefined ? {} : { rows }),
				...(pageNumber === undefined ? {} : { pageNumber }),
			},
			bytes: size,
		});
		this.bytes += size;
	}

	/** Removes every entry. */
	clear(): void {
		this.byRequest.clear();
		this.entries.length = 0;
		this.bytes = 0;
	}

	/** Removes an entry by moving the last one into its slot. */
	private drop(slot: number): void {
		const gone = this.entries[slot];
		const last = this.entries.pop() as Entry;
		this.byRequest.delete(gone.request);
		this.bytes -= gone.bytes;
		if (last === gone) return;
		this.entries[slot] = last;
		this.byRequest.set(last.request, slot);
	}
}
