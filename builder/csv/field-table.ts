/** Where the fields of records are, as scanners find them. */

/** The positions of records' fields: field f of record r is at index f × records + r. */
export interface FieldTable {
	/** Capacity in records. */
	readonly records: number;
	/** A field's bytes are [starts, ends), without the surrounding quotes. */
	readonly starts: Int32Array;
	readonly ends: Int32Array;
	/** Bits of FIELD, of byte-classes.ts. */
	readonly flags: Uint8Array;
}

/** A table for `records` records of `fields` fields. */
export function fieldTable(records: number, fields: number): FieldTable {
	const cells = records * fields;
	return {
		records,
		starts: new Int32Array(cells),
		ends: new Int32Array(cells),
		flags: new Uint8Array(cells),
	};
}
