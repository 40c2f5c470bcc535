/** Makes the key of a request from its stored record: the operator's grant under the rules of its tier. */

import { COLUMNS, type ColumnName } from "../../formats/index.js";
import type { EffectiveStatus, Key, KeyRecord, Scope, Tier } from "./key.js";
import { hashesEqual } from "./key-text.js";
import { TIER_TRAITS } from "./tiers.js";

/** Status at `nowMs`. A revoked key stays revoked; expiry outranks suspension, which it outlasts. */
export function effectiveStatus(
	key: Pick<KeyRecord, "status" | "expires_at">,
	nowMs: number,
): EffectiveStatus {
	if (key.status === "revoked") return "revoked";
	if (key.expires_at !== null && Date.parse(key.expires_at) <= nowMs) return "expired";
	return key.status;
}

/** Whether the text with this hash stands for an active key at `nowMs`: as its text, or as one whose grace lasts. */
export function isGoodText(key: KeyRecord, hash: string, nowMs: number): boolean {
	if (effectiveStatus(key, nowMs) !== "active") return false;
	if (hashesEqual(key.hash, hash)) return true;
	const { previous } = key;
	return previous !== null && hashesEqual(previous.hash, hash) && nowMs < Date.parse(previous.until);
}

/** The key that a request with this record's text carries. */
export function keyOfRecord(record: KeyRecord): Key {
	const { masked } = TIER_TRAITS[record.tier];
	const columns = effectiveColumns(record.scope.columns, record.tier);
	const scope: Scope = { ...record.scope, columns };
	return {
		id: record.id,
		name: record.name,
		tier: record.tier,
		status: record.status,
		created_at: record.created_at,
		expires_at: record.expires_at,
		rate_limits: record.rate_limits,
		scope,
		masked,
		scopeTag: scopeTag(scope, masked),
		slot: record.slot,
	};
}

function effectiveColumns(granted: readonly ColumnName[] | null, tier: Tier): readonly ColumnName[] | null {
	const { withheld } = TIER_TRAITS[tier];
	if (withheld.length === 0) return granted;
	return (granted ?? COLUMNS.map((c) => c.name)).filter((name) => !withheld.includes(name));
}

/** Equal for equal scopes: grants are kept in one order, so their text is canonical. */
function scopeTag(scope: Scope, masked: boolean): string {
	return JSON.stringify([scope.geography, scope.columns, scope.history, masked, scope.bulk === true]);
}
