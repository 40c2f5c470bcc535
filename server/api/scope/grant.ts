/**
 * What a key may read, and the refusals that say so (docs/API.md §3): a request outside the grant is
 * `scope_denied` with a message that lists the grant; a request inside it is narrowed to the grant.
 *
 * Invariant: depends on the key's scope and masking alone, so keys with one `scopeTag` share a grant.
 */

import type { Geography, Projection } from "../../../engine/index.js";
import {
	COLUMNS,
	type ColumnName,
	type CountryCode,
	coversState,
	findJurisdiction,
	overlapsCountry,
	TRACKED_COLUMNS,
} from "../../../formats/index.js";
import type { HistoryScope, Key } from "../../keys/key.js";
import { ApiError } from "../errors.js";
import { fingerprint } from "../responses/entity-tag.js";

export class Grant {
	/** Differs between grants that give different bytes for one request. */
	readonly tag: string;
	/** {@link tag}, shortened. */
	readonly fingerprint: string;
	readonly geography: Geography | null;
	readonly history: HistoryScope;
	/** Whether it reads whole results. */
	readonly bulk: boolean;
	/** Every granted column, in the order of the column table: the default row. */
	readonly projection: Projection;
	/** Whether every column is granted. */
	readonly hasAllColumns: boolean;
	/** Granted columns whose changes are reported, in the order of the column table. */
	readonly tracked: readonly ColumnName[];
	/** Whether the changes of every tracked column are reported. */
	readonly hasAllTracked: boolean;
	private readonly columns: ReadonlySet<ColumnName>;

	constructor(key: Pick<Key, "scope" | "scopeTag" | "masked">) {
		this.tag = key.scopeTag;
		this.fingerprint = fingerprint(key.scopeTag);
		this.geography = key.scope.geography;
		this.history = key.scope.history;
		this.bulk = key.scope.bulk === true;
		this.columns = new Set(key.scope.columns ?? COLUMNS.map((c) => c.name));
		this.hasAllColumns = this.columns.size === COLUMNS.length;
		this.projection = {
			columns: COLUMNS.filter((c) => this.columns.has(c.name)).map((c) => c.name),
			masked: key.masked,
		};
		this.tracked = TRACKED_COLUMNS.map(({ name }) => name).filter((name) => this.columns.has(name));
		this.hasAllTracked = this.tracked.length === TRACKED_COLUMNS.length;
	}

	/** Whether `column` is granted. */
	reads(column: ColumnName): boolean {
		return this.columns.has(column);
	}

	/** Throws `scope_denied` unless `column`, which the parameter `param` reads, is granted. */
	requireColumn(column: ColumnName, param: string): void {
		if (this.columns.has(column)) return;
		throw new ApiError(
			"scope_denied",
			`${param} reads ${column}, which is outside this key's columns: ${this.projection.columns.join(", ")}`,
			param,
		);
	}

	/** Throws `scope_denied` unless every column is granted that each answer of an endpoint shows, whatever was asked for. */
	requireShown(columns: readonly ColumnName[], what: string): void {
		const missing = columns.filter((column) => !this.columns.has(column));
		if (missing.length === 0) return;
		const granted = this.projection.columns.join(", ");
		throw new ApiError(
			"scope_denied",
			`${what} show ${missing.join(" and ")}, outside this key's columns: ${granted}`,
		);
	}

	/** The projection of `fields`, in their order, or the default row. Throws `scope_denied` for a field outside the grant. */
	projectionOf(fields: readonly ColumnName[] | undefined): Projection {
		if (fields === undefined) return this.projection;
		for (const field of fields) this.requireColumn(field, "fields");
		return { columns: fields, masked: this.projection.masked };
	}

	/** Whether the geography includes the rows of a state. */
	includesState(state: string, country: string): boolean {
		return coversState(this.geography, state, country);
	}

	/** Throws `scope_denied` for a state outside the geography. REQUIRES: `state` is a known code. */
	requireState(state: string, param: string): void {
		if (this.includesState(state, findJurisdiction(state)?.country ?? "")) return;
		throw this.outsideGeography(`state ${state}`, param);
	}

	/** Throws `scope_denied` for a country without any state in the geography. */
	requireCountry(country: CountryCode, param: string): void {
		if (overlapsCountry(this.geography, country)) return;
		throw this.outsideGeography(`country ${country}`, param);
	}

	/** The `scope_denied` for `what`, which `param` names. */
	outsideGeography(what: string, param: string): ApiError {
		const { countries, states } = this.geography ?? { countries: [], states: [] };
		const parts: string[] = [];
		if (countries.length > 0) parts.push(`countries ${countries.join(", ")}`);
		if (states.length > 0) parts.push(`states ${states.join(", ")}`);
		return new ApiError(
			"scope_denied",
			`${what} is outside this key's geography: ${parts.join("; ")}`,
			param,
		);
	}
}
