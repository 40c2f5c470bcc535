/**
 * The changes between open snapshots, found at first use and kept: stored ones are mapped and verified, those over
 * several months are composed of the stored ones in between, and those of small months are computed if none are
 * stored. All of these are done in slices, so that no other request waits for all of it.
 *
 * The cost of a query is bounded: of the months that are open each is composed once, months of more than {@link
 * COMPARED_ROWS_MAX} rows are compared only by the builder, and {@link COMPOSED_KEPT_MAX} composed sets are
 * kept, of six bytes per row each.
 */

import {
	areChangesStored,
	changesFolder,
	FormatError,
	type MappingMode,
	type MonthChanges,
	openChangesInSlices,
} from "../../formats/index.js";
import { EngineError } from "../errors.js";
import { PendingWork, type SlicedWork } from "../sliced-work.js";
import type { Snapshot } from "../snapshot.js";
import { ChangeSet } from "./change-set.js";
import { compareInSlices } from "./compare-months.js";
import { composeMonths } from "./compose-months.js";
import type { ChangesSource } from "./explain-changes.js";
import { OlderRows } from "./older-rows.js";

/** Maximum rows of both months together that are compared on demand. */
export const COMPARED_ROWS_MAX = 250_000;
const COMPOSED_KEPT_MAX = 3;

interface Entry {
	readonly set: ChangeSet;
	readonly isComposed: boolean;
}

export class ChangeSets {
	/** By both digests, the least recently used first. */
	private readonly entries = new Map<string, Entry>();

	constructor(
		private readonly dataFolder: string,
		private readonly mapping: MappingMode,
	) {}

	/**
	 * The changes from `from` to `to`, a later month, or the work of making and keeping them; `between` are the open months from one
	 * to the other, inclusive, oldest first. The work throws {@link EngineError} `no_changes` if none are stored
	 * and the bounds forbid computing them, FormatError for damaged ones.
	 */
	find(from: Snapshot, to: Snapshot, between: readonly Snapshot[]): ChangeSet | PendingWork<ChangeSet> {
		const name = nameOf(from, to);
		const known = this.entries.get(name);
		if (known !== undefined && known.set.from === from && known.set.to === to) {
			this.entries.delete(name);
			this.entries.set(name, known);
			return known.set;
		}
		return this.isStored(from, to)
			? new PendingWork(name, this.open(from, to), false)
			: new PendingWork(name, this.make(from, to, between), true);
	}

	/** The origin of the changes that {@link find} returns. */
	sourceOf(from: Snapshot, to: Snapshot, between: readonly Snapshot[]): ChangesSource {
		if (this.isStored(from, to)) return "stored";
		const pairs = between.slice(1).map((newer, i) => [between[i], newer] as const);
		if (pairs.every(([older, newer]) => this.isStored(older, newer))) return "composed";
		return from.rows + to.rows > COMPARED_ROWS_MAX ? "missing" : "compared";
	}

	/** Releases the changes of snapshots that are not among these. */
	keepOnly(open: readonly Snapshot[]): void {
		for (const [name, { set }] of this.entries) {
			if (!open.includes(set.from) || !open.includes(set.to)) this.entries.delete(name);
		}
	}

	private isStored(from: Snapshot, to: Snapshot): boolean {
		return areChangesStored(changesFolder(this.dataFolder, from, to));
	}

	/** Opens stored changes and keeps them. */
	private *open(from: Snapshot, to: Snapshot): SlicedWork<ChangeSet> {
		const folder = changesFolder(this.dataFolder, from, to);
		const changes = yield* openChangesInSlices(folder, described(from), described(to), this.mapping);
		const { olderRows } = changes;
		const rows = olderRows === null ? null : new OlderRows(olderRows, changes);
		const set = new ChangeSet(from, to, changes, rows);
		this.entries.set(nameOf(from, to), { set, isComposed: false });
		return set;
	}

	private *make(from: Snapshot, to: Snapshot, between: readonly Snapshot[]): SlicedWork<ChangeSet> {
		const changes = (between.length > 2 ? yield* this.compose(between) : null) ?? (yield* compare(from, to));
		const set = new ChangeSet(from, to, changes);
		this.entries.set(nameOf(from, to), { set, isComposed: true });
		this.evictComposed();
		return set;
	}

	/** Null if the changes between two adjacent months are not stored. */
	private *compose(between: readonly Snapshot[]): SlicedWork<MonthChanges | null> {
		const steps = [];
		for (let i = 1; i < between.length; i++) {
			const [older, newer] = [between[i - 1], between[i]];
			const known = this.entries.get(nameOf(older, newer))?.set;
			const isKnown = known?.from === older && known.to === newer;
			if (!isKnown && !this.isStored(older, newer)) return null;
			const step = isKnown ? known : yield* this.open(older, newer);
			steps.push(step.changes);
		}
		return yield* composeMonths(
			between.map((snapshot) => snapshot.comparable),
			steps,
		);
	}

	private evictComposed(): void {
		const composed = [...this.entries].filter(([, entry]) => entry.isComposed);
		for (const [name] of composed.slice(0, -COMPOSED_KEPT_MAX)) this.entries.delete(name);
	}
}

/** Compares months without stored changes. */
function compare(from: Snapshot, to: Snapshot): SlicedWork<MonthChanges> {
	if (from.rows + to.rows <= COMPARED_ROWS_MAX)
		return compareInSlices(from.comparable.files, to.comparable.files);
	const way = `builder changes ${from.month} ${to.month} makes them`;
	throw new EngineError("no_changes", `no changes from ${from.month} to ${to.month} are stored; ${way}`);
}

function nameOf(from: Snapshot, to: Snapshot): string {
	return `${from.month}.${from.digest}.${to.month}.${to.digest}`;
}

function described({ month, rows, digest }: Snapshot) {
	return { month, rows, crc: Number.parseInt(digest, 16) };
}

/** Whether `error` means that the requested changes are not available here. */
export function isMissingChanges(error: unknown): error is EngineError | FormatError {
	return error instanceof FormatError || (error instanceof EngineError && error.code === "no_changes");
}
