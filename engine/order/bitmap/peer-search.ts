/**
 * Finds the peer groups that a page begins and ends in, by scanning the index of a column that others
 * follow. Rows without a value are a span of their own, since they are last in both orders.
 *
 * Cost one step for each position up to the page's end, and O(log peers) for each end of a group.
 */

import type { Range } from "../../../formats/index.js";
import type { SkipCursor } from "../../kernels/bitmap.js";
import { countMatches, seekDown, seekUp } from "../../kernels/bitmap-probe.js";
import type { RowBitmap } from "../../select/selection.js";
import type { IndexScan } from "../index-scan.js";
import type { BitmapPage } from "./bitmap-page.js";

/** Consecutive peer groups that hold a part of the page. */
export interface PeerSpan {
	/** The group that is scanned first. */
	readonly first: Range;
	/** The group that is scanned last; may be the first. */
	readonly last: Range;
	/** Matches of the first group that precede the part. */
	readonly skip: number;
	/** Rows of the part. */
	readonly rows: number;
}

/** The peer groups that the rows of a page, which exist, lie in; null where it is farther than `budget` positions. */
export function findPeers({ bits, scan, offset, limit }: BitmapPage, budget: number): PeerSpan[] | null {
	const cursor = { skip: offset };
	const spans: PeerSpan[] = [];
	let left = limit;
	let stepsLeft = budget;
	for (const slice of scan.slices()) {
		if (left === 0) break;
		if (slice.from === scan.nullsFrom && slice.from < slice.to) {
			// Rows without a value are the last group, so the rest of the page lies in it.
			spans.push({ first: slice, last: slice, skip: cursor.skip, rows: left });
			break;
		}
		const head = scan.head(slice, stepsLeft);
		stepsLeft -= head.to - head.from;
		const isCut = head.to - head.from < slice.to - slice.from;
		const toSkip = cursor.skip;
		const first = seek(bits, scan, head, cursor);
		if (!isWithin(first, head)) {
			if (isCut) return null;
			continue;
		}
		cursor.skip = left - 1;
		const last = seek(bits, scan, scan.beyond(first, head), cursor);
		const ended = !isWithin(last, head);
		if (ended && isCut) return null;
		// If the slice ends before the page does, `skip` holds how many matches were still to pass.
		const rows = ended ? left - 1 - cursor.skip : left;
		const peers = scan.peersAt(first, slice);
		const lastPeers = scan.peersAt(ended ? scan.end(slice) : last, slice);
		const skip = matchesBefore(bits, scan, { position: first, peers, head, passed: toSkip });
		spans.push({ first: peers, last: lastPeers, skip, rows });
		left -= rows;
		cursor.skip = 0;
	}
	return spans;
}

function seek(bits: RowBitmap, scan: IndexScan, { from, to }: Range, cursor: SkipCursor): number {
	const step = scan.descending ? seekDown : seekUp;
	return step(scan.rows, bits.words, from, to, cursor);
}

/** A match that was found by scanning. */
interface FoundMatch {
	readonly position: number;
	/** Its peer group. */
	readonly peers: Range;
	/** The positions that were scanned for it. */
	readonly head: Range;
	/** Matches of `head` that are scanned before it. */
	readonly passed: number;
}

/**
 * Matches of the peer group of a match that are scanned before it. Counts the positions between the match and the
 * beginning of the group, or between the beginnings of the group and of `head`, whichever is nearer.
 */
function matchesBefore(
	bits: RowBitmap,
	scan: IndexScan,
	{ position, peers, head, passed }: FoundMatch,
): number {
	const { rows, descending } = scan;
	const peersBegin = descending ? peers.to : peers.from;
	const headBegin = descending ? head.to : head.from;
	const at = descending ? position + 1 : position;
	if (Math.abs(peersBegin - at) <= Math.abs(peersBegin - headBegin)) {
		return countMatches(rows, bits.words, Math.min(peersBegin, at), Math.max(peersBegin, at));
	}
	const low = Math.min(peersBegin, headBegin);
	const between = countMatches(rows, bits.words, low, Math.max(peersBegin, headBegin));
	const isBehind = descending ? peersBegin > headBegin : peersBegin < headBegin;
	return isBehind ? passed + between : passed - between;
}

function isWithin(position: number, { from, to }: Range): boolean {
	return position >= from && position < to;
}
