/**
 * The history entitlement (docs/API.md §6): which months a key reads.
 *
 * Every key reads the latest snapshot. `months:N` adds the N calendar months before the latest; a month
 * that was never published is not replaced by an older one. `all` adds every loaded snapshot.
 *
 * The entitlement is decided from the months alone, before existence: a month outside it is
 * `history_denied` whether it is loaded or not. `not_found` is for months inside it that are not
 * loaded, and for months after the latest.
 */

import type {
	ChangeSet,
	ComparedGroups,
	ComparedRequest,
	Filters,
	Geography,
	PendingWork,
	Snapshot,
} from "../../../engine/index.js";
import { monthNumber } from "../../../formats/index.js";
import type { HistoryScope } from "../../keys/key.js";
import { ApiError } from "../errors.js";

/** The loaded snapshots, as one request sees them; an engine's Library is one. */
export interface Snapshots {
	/** Newest first. */
	readonly snapshots: readonly Snapshot[];
	readonly latest: Snapshot | null;
	find(month: string): Snapshot | undefined;
	/**
	 * The changes from one of {@link snapshots} to a later one, or the work of making them. Throws what
	 * `isMissingChanges` knows; so does the work.
	 */
	changesInSlices(from: Snapshot, to: Snapshot): ChangeSet | PendingWork<ChangeSet>;
	/** The groups of one of {@link snapshots} compared with those of an older one, or the work that comes before. */
	comparedGroupsInSlices(
		older: Snapshot,
		newer: Snapshot,
		request: ComparedRequest,
		filters: Filters,
		geography: Geography | null,
	): ComparedGroups | PendingWork;
}

/** Whether `history` includes `month`, where `latest` is the latest loaded month. */
export function readsMonth(history: HistoryScope, month: string, latest: string): boolean {
	if (month === latest || history.mode === "all") return true;
	if (history.mode === "latest") return false;
	return monthNumber(latest) - monthNumber(month) <= history.months;
}

/** The latest snapshot. Throws `unavailable` if none is loaded. */
export function latestSnapshot(loaded: Snapshots): Snapshot {
	if (loaded.latest === null) throw new ApiError("unavailable", "no snapshot is loaded");
	return loaded.latest;
}

/** The snapshot of `month`, default the latest. Throws `history_denied`, `not_found` or `unavailable`. */
export function resolveSnapshot(
	loaded: Snapshots,
	history: HistoryScope,
	month: string | undefined,
	param = "snapshot",
): Snapshot {
	const latest = latestSnapshot(loaded);
	if (month === undefined) return latest;
	if (month <= latest.month && !readsMonth(history, month, latest.month))
		throw historyDenied(loaded, history, month, param);
	const found = loaded.find(month);
	if (found !== undefined) return found;
	const readable = readableMonths(loaded, history);
	throw new ApiError("not_found", `no snapshot ${month} is loaded; this key reads ${readable}`, param);
}

/** The loaded snapshots that `history` includes, newest first. */
export function readableSnapshots(loaded: Snapshots, history: HistoryScope): Snapshot[] {
	const { latest, snapshots } = loaded;
	if (latest === null) return [];
	return snapshots.filter((snapshot) => readsMonth(history, snapshot.month, latest.month));
}

function readableMonths(loaded: Snapshots, history: HistoryScope): string {
	return readableSnapshots(loaded, history)
		.map((snapshot) => snapshot.month)
		.join(", ");
}

/** The 403 for `month`, which `param` asks for. */
export function historyDenied(
	loaded: Snapshots,
	history: HistoryScope,
	month: string,
	param: string | null,
): ApiError {
	return new ApiError(
		"history_denied",
		`snapshot ${month} is outside this key's history (${describe(history)}); it reads ${readableMonths(loaded, history)}`,
		param,
	);
}

/** Throws `history_denied` for a latest-only key, for endpoints over several months. */
export function requireHistory(loaded: Snapshots, history: HistoryScope): void {
	if (history.mode !== "latest") return;
	const latest = loaded.latest === null ? "" : ` (${loaded.latest.month})`;
	throw new ApiError(
		"history_denied",
		`months beside the latest need the history entitlement; this key reads the latest snapshot only${latest}`,
	);
}

function describe(history: HistoryScope): string {
	if (history.mode === "latest") return "the latest snapshot only";
	if (history.mode === "all") return "all snapshots";
	return `the latest and the ${history.months} ${history.months === 1 ? "month" : "months"} before it`;
}
