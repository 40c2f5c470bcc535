/**
 * Bodies that were asked for before, kept as the bytes they are sent as. A month never changes, so a
 * body is right for as long as the same snapshot serves the same request.
 *
 * Invariants:
 * - A body is found by identity: of the request as read, which one grant and one query text share, and
 *   of the open snapshot. So neither a forged fingerprint nor a month published anew is answered from it.
 * - What is kept is bounded in bytes, and holds no snapshot open.
 * - The victim is chosen at random: finding then costs no upkeep, and requests that come round and round
 *   in more bytes than there is room for still find their share, where the least recently used would
 *   find none.
 */

import type { Snapshot } from "../../../engine/index.js";
import type { Body } from "../operation.js";
import { Displacement } from "./random-eviction.js";

/** Larger bodies are rare, and one of them would stand in place of many. */
const BODY_BYTES_MAX = 256 * 1024;
/** What an entry costs besides its body, as measured: the request as read, objects, headers, its place in the map. */
const ENTRY_BYTES = 1_024;

interface Entry {
	readonly request: object;
	readonly snapshot: WeakRef<Snapshot>;
	readonly body: Body;
	readonly bytes: number;
}

export class AnswerCache {
	private readonly byRequest = new Map<object, number>();
	private readonly entries: Entry[] = [];
	private readonly bytesMax: number;
	private bytes = 0;
	private readonly displacement = new Displacement();

	/** `bytesMax`: most bytes to keep; 0: nothing is. */
	constructor(bytesMax: number) {
		this.bytesMax = bytesMax;
	}

	/** Bytes kept now. */
	get keptBytes(): number {
		return this.bytes;
	}

	/** The body of `request` over `snapshot`; undefined where none is kept. Cost O(1). */
	find(request: object, snapshot: Snapshot): Body | undefined {
		const place = this.byRequest.get(request);
		if (place === undefined) return undefined;
		const { body, snapshot: of } = this.entries[place];
		return of.deref() === snapshot ? body : undefined;
	}

	/** Keeps a copy of `body`, which may be a view that is overwritten; not always where there is no room. Cost O(bytes). */
	keep(request: object, snapshot: Snapshot, { bytes, headers, rows }: Body): void {
		const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
		const size = length + ENTRY_BYTES;
		if (length > BODY_BYTES_MAX || size > this.bytesMax) return;
		const before = this.byRequest.get(request);
		if (before !== undefined) this.drop(before);
		if (this.bytes + size > this.bytesMax && !this.displacement.admits()) return;
		while (this.bytes + size > this.bytesMax) this.drop(this.displacement.victim(this.entries.length));
		// Of its own memory: a piece of a shared one would hold that for as long as it is kept itself.
		const copy = Buffer.allocUnsafeSlow(length);
		if (typeof bytes === "string") copy.write(bytes);
		else copy.set(bytes);
		this.byRequest.set(request, this.entries.length);
		this.entries.push({
			request,
			snapshot: new WeakRef(snapshot),
			body: { bytes: copy, headers, ...(rows === undefined ? {} : { rows }) },
			bytes: size,
		});
		this.bytes += size;
	}

	/** Takes an entry out; the last one takes its place. */
	private drop(place: number): void {
		const gone = this.entries[place];
		const last = this.entries.pop() as Entry;
		this.byRequest.delete(gone.request);
		this.bytes -= gone.bytes;
		if (last === gone) return;
		this.entries[place] = last;
		this.byRequest.set(last.request, place);
	}
}
