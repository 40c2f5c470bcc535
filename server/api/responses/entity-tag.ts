/**
 * Weak entity tags: a tag stands for the snapshot's bytes, the grant and the normalised query, so it
 * is known before any work is done (docs/API.md §1.9). Tags are compared within one URL only, so a
 * fingerprint of 60 bits is plenty.
 */

/** Version of the rendering: raise it when the same query renders to other bytes than before. */
const RENDERING = "5";

/** The tag of the answer that the three determine; each is text without quotes. */
export function entityTag(snapshots: string, grant: string, query: string): string {
	return `W/"${RENDERING}-${snapshots}-${grant}-${query}"`;
}

/**
 * A fingerprint of texts and numbers one after the other: two rounds of multiply and xor, after Bryc's
 * cyrb53. Each text goes in with its length, so that no two sequences look alike. Cost O(length).
 */
export class Fingerprint {
	private high = 0xdeadbeef;
	private low = 0x41c6ce57;

	text(text: string): this {
		this.number(text.length);
		let { high, low } = this;
		for (let i = 0; i < text.length; i++) {
			const unit = text.charCodeAt(i);
			high = Math.imul(high ^ unit, 2654435761);
			low = Math.imul(low ^ unit, 1597334677);
		}
		this.high = high;
		this.low = low;
		return this;
	}

	/** Adds a whole number below 2^31. */
	number(value: number): this {
		this.high = Math.imul(this.high ^ value, 2654435761);
		this.low = Math.imul(this.low ^ value, 1597334677);
		return this;
	}

	/** 60 bits in two decimal numbers, which are written faster than one large one in another base. */
	toString(): string {
		let { high, low } = this;
		high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
		low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
		return `${high & 0x3fffffff}.${low & 0x3fffffff}`;
	}
}

/** The fingerprint of one text. */
export function fingerprint(text: string): string {
	return new Fingerprint().text(text).toString();
}

/** Whether an `If-Match` value forbids an answer with the strong `tag` (strong comparison, RFC 9110 §13.1.1). */
export function failsMatch(ifMatch: string | null, tag: string): boolean {
	if (ifMatch === null || ifMatch.trim() === "*") return false;
	return ifMatch.split(",").every((candidate) => candidate.trim() !== tag);
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
