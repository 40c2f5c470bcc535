/**
 * What a key may read, and the refusals that say so (SPEC §5.5, DESIGN §5 "Scope"): requests outside
 * the grant end in `scope_denied` with a message that lists the grant; requests inside are narrowed.
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
} from "../../../formats/index.js";
import type { HistoryScope, Key } from "../../keys/key.js";
import { ApiError } from "../errors.js";
import { fingerprint } from "../responses/entity-tag.js";

export class Grant {
	/** Text that differs wherever the bytes of an answer may. */
	readonly tag: string;
	/** The same, short. */
	readonly fingerprint: string;
	readonly geography: Geography | null;
	readonly history: HistoryScope;
	/** Every column of the grant, in output order: what a row holds where `fields` is not given. */
	readonly projection: Projection;
	/** Whether it reads every column. */
	readonly isOfAllColumns: boolean;
	private readonly columns: ReadonlySet<ColumnName>;

	constructor(key: Pick<Key, "scope" | "scopeTag" | "masked">) {
		this.tag = key.scopeTag;
		this.fingerprint = fingerprint(key.scopeTag);
		this.geography = key.scope.geography;
		this.history = key.scope.history;
		this.columns = new Set(key.scope.columns ?? COLUMNS.map((c) => c.name));
		this.isOfAllColumns = this.columns.size === COLUMNS.length;
		this.projection = {
			columns: COLUMNS.filter((c) => this.columns.has(c.name)).map((c) => c.name),
			masked: key.masked,
		};
	}

	/** Whether the key reads `column`. */
	reads(column: ColumnName): boolean {
		return this.columns.has(column);
	}

	/** Throws `scope_denied` unless the key reads `column`, which `param` asks for. */
	requireColumn(column: ColumnName, param: string): void {
		if (this.columns.has(column)) return;
		throw new ApiError(
			"scope_denied",
			`${param} reads ${column}, which is outside this key's columns: ${this.projection.columns.join(", ")}`,
			param,
		);
	}

	/** The projection of `fields`, or of the whole grant. Throws `scope_denied` for a field outside it. */
	projectionOf(fields: readonly ColumnName[] | undefined): Projection {
		if (fields === undefined) return this.projection;
		for (const field of fields) this.requireColumn(field, "fields");
		const wanted = new Set(fields);
		return {
			columns: this.projection.columns.filter((column) => wanted.has(column)),
			masked: this.projection.masked,
		};
	}

	/** Throws `scope_denied` for a state outside the geography; `state` is a known code. */
	requireState(state: string, param: string): void {
		const country = findJurisdiction(state)?.country ?? "";
		if (coversState(this.geography, state, country)) return;
		throw this.outside(`state ${state}`, param);
	}

	/** Throws `scope_denied` for a country that shares no state with the geography. */
	requireCountry(country: CountryCode, param: string): void {
		if (overlapsCountry(this.geography, country)) return;
		throw this.outside(`country ${country}`, param);
	}

	/** Whether the geography holds any row of the state. */
	holdsState(state: string, country: string): boolean {
		return coversState(this.geography, state, country);
	}

	private outside(what: string, param: string): ApiError {
		return new ApiError(
			"scope_denied",
			`${what} is outside this key's geography: ${this.describeGeography()}`,
			param,
		);
	}

	private describeGeography(): string {
		const { countries, states } = this.geography ?? { countries: [], states: [] };
		const parts: string[] = [];
		if (countries.length > 0) parts.push(`countries ${countries.join(", ")}`);
		if (states.length > 0) parts.push(`states ${states.join(", ")}`);
		return parts.join("; ");
	}
}
