/**
 * The history entitlement (SPEC §5.6): which of the loaded snapshots a key reads.
 *
 * Every key reads the latest. `months:N` adds the N calendar months before the latest, so a month
 * that was never published is not made up for by an older one. `all` adds every loaded snapshot.
 * The list of months is no secret (/v1/snapshots tells it), so a month that is not loaded is
 * `not_found` to every key, and only a loaded one can be `history_denied`.
 */

import type { Snapshot } from "../../../engine/index.js";
import { monthNumber } from "../../../formats/index.js";
import type { HistoryScope } from "../../keys/key.js";
import { ApiError } from "../errors.js";

/** The loaded snapshots, as a request sees them; an engine's Library is one. */
export interface Snapshots {
	/** Newest first. */
	readonly snapshots: readonly Snapshot[];
	readonly latest: Snapshot | null;
	find(month: string): Snapshot | undefined;
}

/** Whether `history` reads `month` where `latest` is the latest loaded month. */
export function readsMonth(history: HistoryScope, month: string, latest: string): boolean {
	if (month === latest || history.mode === "all") return true;
	if (history.mode === "latest") return false;
	return monthNumber(latest) - monthNumber(month) <= history.months;
}

/** The latest snapshot. Throws `unavailable` where none is loaded. */
export function latestSnapshot(loaded: Snapshots): Snapshot {
	if (loaded.latest === null) throw new ApiError("unavailable", "no snapshot is loaded");
	return loaded.latest;
}

/**
 * The snapshot that `month` asks for; the latest where it is undefined. Throws `not_found` for a
 * month that is not loaded and `history_denied` for one the key does not read.
 */
export function resolveSnapshot(
	loaded: Snapshots,
	history: HistoryScope,
	month: string | undefined,
): Snapshot {
	const latest = latestSnapshot(loaded);
	if (month === undefined) return latest;
	const found = loaded.find(month);
	if (found === undefined) {
		const months = readable(loaded, history).map((snapshot) => snapshot.month);
		throw new ApiError("not_found", `no snapshot ${month}; this key reads ${months.join(", ")}`, "snapshot");
	}
	if (!readsMonth(history, found.month, latest.month))
		throw historyDenied(loaded, history, found.month, "snapshot");
	return found;
}

/** Snapshots that `history` reads, newest first. */
export function readable(loaded: Snapshots, history: HistoryScope): Snapshot[] {
	const { latest, snapshots } = loaded;
	if (latest === null) return [];
	return snapshots.filter((snapshot) => readsMonth(history, snapshot.month, latest.month));
}

/** A 403 that says what the key reads. */
export function historyDenied(
	loaded: Snapshots,
	history: HistoryScope,
	month: string,
	param: string | null,
): ApiError {
	const months = readable(loaded, history).map((snapshot) => snapshot.month);
	return new ApiError(
		"history_denied",
		`snapshot ${month} is outside this key's history (${describe(history)}); it reads ${months.join(", ")}`,
		param,
	);
}

/** A 403 for an endpoint that a latest-only key can't use. */
export function historyRequired(loaded: Snapshots): ApiError {
	return new ApiError(
		"history_denied",
		`this endpoint needs the history entitlement; this key reads the latest snapshot only${
			loaded.latest === null ? "" : ` (${loaded.latest.month})`
		}`,
	);
}

function describe(history: HistoryScope): string {
	if (history.mode === "latest") return "the latest snapshot only";
	if (history.mode === "all") return "all snapshots";
	return `the latest and the ${history.months} ${history.months === 1 ? "month" : "months"} before it`;
}
