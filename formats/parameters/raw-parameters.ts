/** Parameters before validation, in the order given: text from a query string, or JSON arguments. */

/** Up to this many names a linear search is faster than hashing; only abusive requests have more. */
const LINEAR_SEARCH_MAX = 32;

export class RawParameters {
	readonly names: string[] = [];
	/** By position in `names`; undefined counts as absent. */
	readonly values: unknown[] = [];
	/** Whether `fields` was not asked for, but is a default of which some columns were left out. */
	isNarrowed = false;
	/** The names as a set, built when they exceed {@link LINEAR_SEARCH_MAX}. */
	private nameSet: Set<string> | null = null;

	/** The members of `record`. */
	static of(record: Readonly<Record<string, unknown>>): RawParameters {
		const raw = new RawParameters();
		for (const name of Object.keys(record)) raw.add(name, record[name]);
		return raw;
	}

	/** Adds a parameter. REQUIRES: `name` was not added before. */
	add(name: string, value: unknown): void {
		this.names.push(name);
		this.nameSet?.add(name);
		this.values.push(value);
	}

	/** Adds another value of an added parameter, whose values become an array in the order given. */
	append(name: string, value: unknown): void {
		const place = this.names.indexOf(name);
		const known = this.values[place];
		if (Array.isArray(known)) known.push(value);
		else this.values[place] = [known, value];
	}

	/** Whether `name` is given. Cost O(1), so that parsing a query stays linear in its length. */
	has(name: string): boolean {
		if (this.names.length <= LINEAR_SEARCH_MAX) return this.names.includes(name);
		this.nameSet ??= new Set(this.names);
		return this.nameSet.has(name);
	}

	/** The parameters as an object without a prototype, so that no name reaches an inherited member. */
	record(): Record<string, unknown> {
		const record: Record<string, unknown> = Object.create(null);
		for (let i = 0; i < this.names.length; i++) record[this.names[i]] = this.values[i];
		return record;
	}
}
