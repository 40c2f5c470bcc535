/**
 * Results that are kept by an owner, such as a snapshot, and a key: released with the owner, and of all owners together
 * at most as many as the constructor is given. When one more would be too many, all are dropped.
 */
export class ResultCache<Owner extends object, Result> {
	private byOwner = new WeakMap<Owner, Map<string, Result>>();
	private count = 0;

	constructor(private readonly most: number) {}

	/** The kept result, or that of `make`, which is kept. Cost O(length of `key`) where it is kept. */
	get(owner: Owner, key: string, make: () => Result): Result {
		const known = this.byOwner.get(owner)?.get(key);
		if (known !== undefined) return known;
		const result = make();
		if (this.count === this.most) {
			this.byOwner = new WeakMap();
			this.count = 0;
		}
		this.count++;
		const ofOwner = this.byOwner.get(owner) ?? new Map<string, Result>();
		this.byOwner.set(owner, ofOwner.set(key, result));
		return result;
	}
}
