/**
 * Weak entity tags: a tag stands for the snapshot's bytes, the grant and the normalised query, so it
 * is known before any work is done (DESIGN §5). Tags are compared within one URL only, so a
 * fingerprint of 53 bits is plenty.
 */

/** Version of how answers are rendered: raise it where the same query gives other bytes than before. */
const RENDERING = "1";

/** The tag of the answer that the three determine; each is text without quotes. */
export function entityTag(snapshots: string, grant: string, query: string): string {
	return `W/"${RENDERING}-${snapshots}-${grant}-${query}"`;
}

/** 53 bits of `text` in base 36 (two rounds of multiply and xor, after Bryc's cyrb53). Cost O(length). */
export function fingerprint(text: string): string {
	let high = 0xdeadbeef;
	let low = 0x41c6ce57;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		high = Math.imul(high ^ unit, 2654435761);
		low = Math.imul(low ^ unit, 1597334677);
	}
	high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
	low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
	return ((low & 0x1fffff) * 4294967296 + (high >>> 0)).toString(36);
}

/** Whether an `If-None-Match` value names `tag` (weak comparison, RFC 9110 §13.1.2). */
export function matchesTag(ifNoneMatch: string | null, tag: string): boolean {
	if (ifNoneMatch === null) return false;
	if (ifNoneMatch === tag || ifNoneMatch.trim() === "*") return true;
	const opaque = opaqueTag(tag);
	return ifNoneMatch.split(",").some((candidate) => opaqueTag(candidate.trim()) === opaque);
}

function opaqueTag(tag: string): string {
	return tag.startsWith("W/") ? tag.slice(2) : tag;
}
