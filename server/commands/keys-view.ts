/** Keys as commands show them: as JSON documents and as text. Never with a key's text or its hash. */

import { printable } from "../../formats/index.js";
import type { EffectiveStatus, KeyRecord, RateLimits, Scope, Tier } from "../keys/key.js";
import { effectiveStatus, keyOfRecord } from "../keys/key-of-record.js";
import { type RotatedKey, runningGrace } from "../keys/lifecycle.js";
import type { AuditEntry } from "../store/records.js";

/** A key as `--json` prints it. Times are ISO 8601 in UTC. */
export interface KeyView {
	readonly id: string;
	readonly name: string;
	readonly tier: Tier;
	readonly status: EffectiveStatus;
	readonly created_at: string;
	readonly expires_at: string | null;
	readonly rate_limits: RateLimits;
	/** What the key reads, its tier's rules included. */
	readonly scope: Scope;
	/** When the text before the last rotation ends; null where none works. */
	readonly previous_key_until: string | null;
	readonly last_used_at: string | null;
}

/** The view of `record` at `nowMs`; `lastUsed` in seconds since 1970, 0: never. */
export function keyView(record: KeyRecord, lastUsed: number, nowMs: number): KeyView {
	const key = keyOfRecord(record);
	return {
		id: key.id,
		name: key.name,
		tier: key.tier,
		status: effectiveStatus(record, nowMs),
		created_at: key.created_at,
		expires_at: key.expires_at,
		rate_limits: key.rate_limits,
		scope: key.scope,
		previous_key_until: runningGrace(record, nowMs),
		last_used_at: lastUsed === 0 ? null : new Date(lastUsed * 1000).toISOString(),
	};
}

/** One key, a field a line. */
export function keyText(view: KeyView): string {
	const { rate_limits: limits, scope } = view;
	return fields([
		["id", view.id],
		["name", view.name],
		["tier", view.tier],
		["status", view.status],
		["created", view.created_at],
		["expires", view.expires_at ?? "never"],
		["last used", view.last_used_at ?? "never"],
		["per minute", limitText(limits.per_minute)],
		["per day", limitText(limits.per_day)],
		["monthly quota", limitText(limits.monthly_quota)],
		["geography", geographyText(scope)],
		["columns", scope.columns?.join(", ") ?? "all"],
		["history", historyText(scope)],
		["bulk", scope.bulk ? "yes" : "no"],
		...(view.previous_key_until === null ? [] : [["old key until", view.previous_key_until] as const]),
	]);
}

/** A key just made or rotated with its text, as `--json` prints it. */
export function newKeyDocument({ id, ...view }: KeyView, text: string): { id: string; key: string } {
	return { id, key: text, ...view };
}

/** A key just made or rotated, with its text. */
export function newKeyText(view: KeyView, text: string): string {
	return `${fields([["key", text]])}${keyText(view)}Keep the key: it is not shown again.\n`;
}

/** In the document of a rotated key: that the grace of an earlier rotation ended now. */
export function endedGraceDocument({ endedGraceUntil: until }: RotatedKey): { ended_grace_until?: string } {
	return until === null ? {} : { ended_grace_until: until };
}

/** The same as a warning; "" for no grace. */
export function endedGraceText({ endedGraceUntil: until }: RotatedKey): string {
	if (until === null) return "";
	return `warning: the text from before the last rotation, which was to work until ${until}, ended now: one old text works at a time\n`;
}

/** Every key, a line each. */
export function keyTable(views: readonly KeyView[]): string {
	if (views.length === 0) return "no keys\n";
	const rows = views.map((v) => [
		v.id,
		v.tier,
		v.status,
		v.created_at.slice(0, 10),
		v.expires_at?.slice(0, 10) ?? "never",
		v.last_used_at ?? "never",
		v.name,
	]);
	return table([["ID", "TIER", "STATUS", "CREATED", "EXPIRES", "LAST USED", "NAME"], ...rows]);
}

/** The audit log, a line a change. */
export function auditText(entries: readonly AuditEntry[]): string {
	if (entries.length === 0) return "no changes\n";
	const rows = entries.map((e) => [String(e.seq), e.at, e.by, e.action, e.key_id, e.detail]);
	return table([["SEQ", "AT", "BY", "ACTION", "KEY", "DETAIL"], ...rows]);
}

function fields(lines: readonly (readonly [string, string])[]): string {
	return lines.map(([name, value]) => `${name.padEnd(14)} ${printable(value)}\n`).join("");
}

function table(cells: readonly string[][]): string {
	const rows = cells.map((row) => row.map(printable));
	const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
	return rows
		.map(
			(row) =>
				`${row
					.map((cell, column) => cell.padEnd(widths[column]))
					.join("  ")
					.trimEnd()}\n`,
		)
		.join("");
}

function limitText(limit: number | null): string {
	return limit === null ? "none" : String(limit);
}

function geographyText({ geography }: Scope): string {
	if (geography === null) return "all";
	const parts: string[] = [];
	if (geography.countries.length > 0) parts.push(`countries ${geography.countries.join(", ")}`);
	if (geography.states.length > 0) parts.push(`states ${geography.states.join(", ")}`);
	return parts.join("; ");
}

function historyText({ history }: Scope): string {
	return history.mode === "months" ? `latest and ${history.months} prior months` : history.mode;
}
