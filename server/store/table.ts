/**
 * A database of other records in the environment of the keys: checked by its schema when read, and changed only
 * inside `Store.transaction`, so that several tables and keys change together.
 */

import type { ZodType } from "zod";

/** The operations used of lmdb's database. */
interface Records {
	get(key: string): unknown;
	put(key: string, value: unknown): unknown;
	remove(key: string): unknown;
	getRange(range: {
		start?: string;
		end?: string;
		limit?: number;
	}): Iterable<{ key: string; value: unknown }>;
}

interface Reading<T> {
	read<R>(read: () => R): R;
	check(value: unknown, key: string): T;
}

/** A range of keys. */
export interface KeyRange {
	/** Inclusive. */
	readonly start?: string;
	/** Exclusive. */
	readonly end?: string;
	readonly limit?: number;
}

/** The schema of the records of each table, by name. */
export type TableSchemas = Readonly<Record<string, ZodType>>;

export class Table<T> {
	constructor(
		private readonly records: Records,
		private readonly reading: Reading<T>,
	) {}

	/** The record of `key`. Errors: `corrupt_record`, `read_failed`. */
	get(key: string): T | undefined {
		const value = this.reading.read(() => this.records.get(key));
		return value === undefined ? undefined : this.reading.check(value, key);
	}

	/** Records in the order of their keys. Errors: `corrupt_record`, `read_failed`. */
	entries(range: KeyRange = {}): { key: string; value: T }[] {
		const found = this.reading.read(() => [...this.records.getRange({ ...range })]);
		return found.map(({ key, value }) => ({ key, value: this.reading.check(value, key) }));
	}

	/** REQUIRES: inside a transaction. */
	put(key: string, value: T): void {
		this.records.put(key, value);
	}

	/** REQUIRES: inside a transaction. */
	remove(key: string): void {
		this.records.remove(key);
	}
}
