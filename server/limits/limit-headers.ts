/**
 * The limit headers of a key as one block. All but the used counts is constant within a second, and is
 * formatted once in it.
 */

import type { HeaderBlock } from "../http/transport.js";
import type { Policy } from "./policy-header.js";
import { MINUTE, MONTH } from "./windows.js";

/** What headers report for no limit: the largest integer of RFC 9651. */
export const UNLIMITED = 999_999_999_999_999;

/** The three headers that every response has; `seconds` to the end of the window. */
export function limitHeaders(limit: number, remaining: number, seconds: number | string): HeaderBlock {
	return `\r\nRateLimit-Limit: ${limit}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${seconds}`;
}

/** The constant parts of the block. */
interface Form {
	/** The second that its resets are valid in; NaN: for one response. */
	readonly second: number;
	/** Text before the remaining requests of the binding window. */
	readonly start: string;
	/** Text before the remaining requests of each limited window, the shortest first. */
	readonly members: readonly string[];
	/** Text before the used quota, or to the end if there is none. */
	readonly end: string;
}

export class LimitHeaders {
	/** By the binding window: the one with the fewest requests remaining. */
	private readonly forms: (Form | undefined)[] = [];

	constructor(private readonly policy: Policy) {}

	/**
	 * `used`: requests counted in each window; `resets`: seconds to each window's end, valid in `second`,
	 * or, where that is NaN, for this response.
	 */
	block(used: readonly number[], resets: readonly string[], second: number): HeaderBlock {
		const { limits, limited } = this.policy;
		if (limited.length === 0) return limitHeaders(UNLIMITED, UNLIMITED, resets[MINUTE]);
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
