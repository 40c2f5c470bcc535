/** The largest of many groups, offered one by one: a binary heap of bounded size with the least of them at its root. */

export interface LargeGroup {
	/** Number of the group in the first dimension, and in the second, or 0. */
	readonly first: number;
	readonly second: number;
	readonly rows: number;
}

export class LargestGroups {
	private readonly heap: LargeGroup[] = [];

	constructor(private readonly most: number) {}

	/** Cost O(1) for a group that is too small, else O(log most). */
	offer(first: number, second: number, rows: number): void {
		const { heap, most } = this;
		if (heap.length === most) {
			const [least] = heap;
			if (rows < least.rows || (rows === least.rows && !precedes(first, second, least))) return;
			heap[0] = { first, second, rows };
			this.sink(0);
			return;
		}
		heap.push({ first, second, rows });
		this.rise(heap.length - 1);
	}

	/** Most rows first; of as many rows, by their numbers. */
	descending(): readonly LargeGroup[] {
		return [...this.heap].sort((a, b) => b.rows - a.rows || a.first - b.first || a.second - b.second);
	}

	private rise(from: number): void {
		const { heap } = this;
		for (let at = from; at > 0; ) {
			const parent = (at - 1) >>> 1;
			if (!isLess(heap[at], heap[parent])) return;
			[heap[at], heap[parent]] = [heap[parent], heap[at]];
			at = parent;
		}
	}

	private sink(from: number): void {
		const { heap } = this;
		for (let at = from; ; ) {
			let least = at;
			for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) {
				if (isLess(heap[child], heap[least])) least = child;
			}
			if (least === at) return;
			[heap[at], heap[least]] = [heap[least], heap[at]];
			at = least;
		}
	}
}

function precedes(first: number, second: number, other: LargeGroup): boolean {
	return first < other.first || (first === other.first && second < other.second);
}

/** Whether `a` is listed after `b`. */
function isLess(a: LargeGroup, b: LargeGroup): boolean {
	return a.rows < b.rows || (a.rows === b.rows && precedes(b.first, b.second, a));
}
