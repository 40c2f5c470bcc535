/**
 * Copies stored rows that are anywhere in a row store to one place, one after the other: by the addon that maps files, which
 * reads ahead what it copies, or by JavaScript. Copying some hundred rows of a few hundred bytes one by one, each by a view of
 * its own, takes longer than rendering them.
 *
 * Invariant: both ways copy the same.
 */

import { invariant } from "../errors.js";
import { type Gather, type GatherTarget, openGather } from "../gather.js";
import { ROW_SEGMENT_SHIFT, ROWS_PER_SEGMENT } from "../layout.js";
import type { RowSegment } from "./row-store.js";

/** Fewer rows take less time by JavaScript than a call of the addon. */
const GATHERED_ROWS_MIN = 4;

export class RowCopier {
	/** Null where the addon does not load. */
	private readonly gather: Gather | null;
	/** Where each row that was copied ends in the target. */
	readonly ends: Uint32Array;
	private readonly memory: Buffer;
	private readonly at: number;
	private readonly end: number;

	/** `byAddon`: whether the addon copies, where it loads. Cost O(segments). Throws where places of the target do not ascend. */
	constructor(
		private readonly segments: readonly RowSegment[],
		target: GatherTarget,
		byAddon = true,
	) {
		const { memory, ends, at, end } = target;
		invariant(ends <= at && at <= end && end <= memory.length, "places of the target ascend");
		this.ends = new Uint32Array(memory.buffer, memory.byteOffset + ends, (at - ends) >>> 2);
		this.memory = memory;
		this.at = at;
		this.end = end;
		const offsets = segments.map((segment) => segment.offsets);
		const bytes = segments.map(({ heap }) => heap);
		this.gather = byAddon ? openGather({ shift: ROW_SEGMENT_SHIFT, offsets, bytes }, target) : null;
	}

	/** Whether what is copied is read ahead. */
	get readsAhead(): boolean {
		return this.gather !== null;
	}

	/**
	 * Copies rows[first…) to the target. Returns how many: it ends before one for which there is no room, or that is corrupt.
	 * Cost O(rows + bytes).
	 */
	copy(rows: Uint32Array, first: number): number {
		const { gather } = this;
		return gather === null || rows.length - first < GATHERED_ROWS_MIN
			? this.copyRuns(rows, first)
			: gather(rows, first);
	}

	/** As {@link copy}, by JavaScript: adjacent rows at a time. */
	private copyRuns(rows: Uint32Array, first: number): number {
		const { segments, memory, ends } = this;
		let to = this.at;
		let done = 0;
		while (first + done < rows.length) {
			const row = rows[first + done];
			const run = this.runFrom(rows, first, done, to);
			if (run === 0) break;
			const { offsets, heap } = segments[row >>> ROW_SEGMENT_SHIFT];
			const base = row & (ROWS_PER_SEGMENT - 1);
			// The number copied, not what the offsets imply: with corrupt offsets, the rest of the target is another response.
			if (heap.copy(memory, to, offsets[base], offsets[base + run]) !== ends[done + run - 1] - to) break;
			to = ends[done + run - 1];
			done += run;
		}
		return done;
	}

	/** How many rows from rows[first + done] on are adjacent, sound and have room from `to` on; sets their ends. */
	private runFrom(rows: Uint32Array, first: number, done: number, to: number): number {
		const { ends, end } = this;
		const row = rows[first + done];
		const segment = this.segments[row >>> ROW_SEGMENT_SHIFT];
		// A corrupt permutation contains rows that do not exist.
		if (segment === undefined) return 0;
		const { offsets, heap } = segment;
		const base = row & (ROWS_PER_SEGMENT - 1);
		const most = Math.min(rows.length - first, ends.length) - done;
		const shift = to - offsets[base];
		let run = 0;
		let from = offsets[base];
		while (run < most && rows[first + done + run] === row + run && base + run < ROWS_PER_SEGMENT) {
			const next = offsets[base + run + 1];
			if (!(from <= next && next <= heap.length && next + shift <= end)) break;
			ends[done + run] = next + shift;
			from = next;
			run++;
		}
		return run;
	}
}
