/** The calls that a thread answered last: what is asked about a month before it becomes the newest (warm-up.ts). */

/** Calls that are kept: each has a parsed request, of 16 KB of query or 64 KB of arguments at most. */
const KEPT_MAX = 64;

export class RecentCalls<Call> {
	private readonly calls: Call[] = [];
	private next = 0;

	/** Keeps a call in the place of the oldest one. */
	note(call: Call): void {
		this.calls[this.next] = call;
		this.next = (this.next + 1) % KEPT_MAX;
	}

	/** The calls that are kept, in any order. */
	list(): readonly Call[] {
		return [...this.calls];
	}
}
