/** Parameters as given, in the order given: from a query string (text) or from JSON arguments. */

export class GivenParameters {
	readonly names: string[] = [];
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
		this.values.push(value);
	}

	has(name: string): boolean {
		return this.names.includes(name);
	}

	/** The same as an object, whose prototype no name can reach. */
	record(): Record<string, unknown> {
		const record: Record<string, unknown> = Object.create(null);
		for (let i = 0; i < this.names.length; i++) record[this.names[i]] = this.values[i];
		return record;
	}
}
