/** Work on many files at once, which ends as soon as some of it fails. */

/** Files that are transferred concurrently. */
export const FILES_PARALLEL = 4;

/**
 * Runs `work` on each item, in their order, `width` at a time. Once some work fails or `signal` is aborted, no further item
 * is begun, and the signal that the work in progress was given is aborted. Resolves or rejects when all of it has ended:
 * rejects with the first failure, or with the reason of `signal` if items are left.
 */
export async function inParallel<T>(
	items: readonly T[],
	width: number,
	work: (item: T, signal: AbortSignal) => Promise<void>,
	signal?: AbortSignal,
): Promise<void> {
	const failed = new AbortController();
	const ending = AbortSignal.any([failed.signal, ...(signal === undefined ? [] : [signal])]);
	// The others then end with errors of their own, which say nothing.
	const faults: unknown[] = [];
	const waiting = items.values();
	const worker = async () => {
		// All workers take from the one iterator.
		for (const item of waiting) {
			ending.throwIfAborted();
			await work(item, ending);
		}
	};
	const guarded = () =>
		worker().catch((error: unknown) => {
			faults.push(error);
			failed.abort();
		});
	await Promise.all(Array.from({ length: Math.min(width, items.length) }, guarded));
	if (faults.length > 0) throw faults[0];
}
