/**
 * The headers that tell a key's limits, as one block: all but the numbers of what is used stays the
 * same for a second, and is put together once in it.
 */

import type { HeaderBlock } from "../http/transport.js";
import type { Policy } from "./policy.js";
import { MONTH } from "./windows.js";

/** The block without its numbers. */
interface Form {
	/** The second that its resets were told in; NaN: they hold for one answer. */
	readonly second: number;
	/** Up to what remains in the window with the fewest requests left. */
	readonly start: string;
	/** What comes before the rest of each limited window, the shortest first. */
	readonly members: readonly string[];
	/** Up to the used quota, or to the end where there is none. */
	readonly end: string;
}

export class LimitHeaders {
	/** By the window with the fewest requests left. */
	private readonly forms: (Form | undefined)[] = [];

	constructor(private readonly policy: Policy) {}

	/**
	 * `used`: requests counted in each window; `resets`: seconds to each window's end, which hold for
	 * all of `second`; NaN: for this answer. Empty for a key without limits.
	 */
	block(used: readonly number[], resets: readonly string[], second: number): HeaderBlock {
		const { limits, limited } = this.policy;
		if (limited.length === 0) return "";
		let binding = limited[0];
		let fewest = Number.POSITIVE_INFINITY;
		for (const kind of limited) {
			const remaining = Math.max(0, limits[kind] - used[kind]);
			if (remaining > fewest) continue;
			binding = kind;
			fewest = remaining;
		}
		const { start, members, end } = this.form(binding, resets, second);
		let block = start + fewest;
		for (let i = 0; i < members.length; i++) {
			const kind = limited[i];
			block += members[i] + Math.max(0, limits[kind] - used[kind]);
		}
		block += end;
		return limits[MONTH] === Number.POSITIVE_INFINITY ? block : block + used[MONTH];
	}

	private form(binding: number, resets: readonly string[], second: number): Form {
		const known = this.forms[binding];
		if (known !== undefined && known.second === second) return known;
		const { limits, limited, limitTexts, memberStarts, policyText } = this.policy;
		const before = `\r\nRateLimit-Reset: ${resets[binding]}\r\nRateLimit-Policy: ${policyText}\r\nRateLimit: `;
		const quota =
			limits[MONTH] === Number.POSITIVE_INFINITY
				? ""
				: `\r\nX-Quota-Limit: ${limitTexts[MONTH]}\r\nX-Quota-Used: `;
		const made: Form = {
			second,
			start: `\r\nRateLimit-Limit: ${limitTexts[binding]}\r\nRateLimit-Remaining: `,
			members: memberStarts.map((start, i) => (i === 0 ? before : `;t=${resets[limited[i - 1]]}`) + start),
			end: `;t=${resets[limited[limited.length - 1]]}${quota}`,
		};
		this.forms[binding] = made;
		return made;
	}
}
