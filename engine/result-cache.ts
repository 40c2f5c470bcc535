/**
 * A cache of results by owner, such as a snapshot, and key. Entries are released with their owner; inserting into a full
 * cache evicts all of them.
 */
export class ResultCache<Owner extends object, Result> {
	private byOwner = new WeakMap<Owner, Map<string, Result>>();
	private count = 0;

	constructor(private readonly capacity: number) {}

	/** The cached result, or that of `make`, which is then cached. Cost O(length of `key`) on a hit. */
	get(owner: Owner, key: string, make: () => Result): Result {
		const known = this.byOwner.get(owner)?.get(key);
		if (known !== undefined) return known;
		const result = make();
		if (this.count === this.capacity) {
			this.byOwner = new WeakMap();
			this.count = 0;
		}
		this.count++;
		const ofOwner = this.byOwner.get(owner) ?? new Map<string, Result>();
		this.byOwner.set(owner, ofOwner.set(key, result));
		return result;
	}
}
