/** Parameters as given, in the order given: from a query string (text) or from JSON arguments. */

/** So many names are compared one by one sooner than hashed; more are nobody's honest question. */
const FEW_NAMES = 32;

export class GivenParameters {
	readonly names: string[] = [];
	/** The names, once they are many. */
	private many: Set<string> | null = null;
	/** By position in `names`; undefined is as good as not given. */
	readonly values: unknown[] = [];

	/** The members of `record`. */
	static of(record: Readonly<Record<string, unknown>>): GivenParameters {
		const given = new GivenParameters();
		for (const name of Object.keys(record)) given.add(name, record[name]);
		return given;
	}

	/** Adds one. REQUIRES: the name is not given yet. */
	add(name: string, value: unknown): void {
		this.names.push(name);
		this.many?.add(name);
		this.values.push(value);
	}

	/** Whether `name` is given. Cost O(1), so that a query of thousands of names is read in the time of its length. */
	has(name: string): boolean {
		if (this.names.length <= FEW_NAMES) return this.names.includes(name);
		this.many ??= new Set(this.names);
		return this.many.has(name);
	}

	/** The same as an object, whose prototype no name can reach. */
	record(): Record<string, unknown> {
		const record: Record<string, unknown> = Object.create(null);
		for (let i = 0; i < this.names.length; i++) record[this.names[i]] = this.values[i];
		return record;
	}
}
