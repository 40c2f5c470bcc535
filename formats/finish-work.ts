/** Runs work that is divided into slices to its end. */

/** What `work` returns, whatever it yields. Throws what it throws. */
export function finishWork<T>(work: Iterator<unknown, T, undefined>): T {
	for (;;) {
		const { done, value } = work.next();
		if (done) return value;
	}
}
