/**
 * The open snapshots of a data folder. A month is published by renaming its folder into `snapshots/` and
 * withdrawn when the folder goes; `reload` follows.
 *
 * Invariant: a snapshot stays readable as long as it is referenced, even after its folder is deleted,
 * since mappings outlive their files. (Where files cannot be mapped, the parts read so far stay
 * readable.)
 */

import { statSync } from "node:fs";
import {
	FormatError,
	type FormatErrorCode,
	type MappingMode,
	mappingMode,
	publications,
	type Residency,
	requirePinnedFold,
	type SnapshotFiles,
	TRACKED_COLUMNS,
} from "../formats/index.js";
import type { ComparedGroups, ComparedRequest } from "./aggregate/compared-groups.js";
import { MergedGroupsCache } from "./aggregate/merged-groups.js";
import type { ChangeKind, ChangeSet, ChangesQuery } from "./changes/change-set.js";
import { ChangeSets } from "./changes/change-sets.js";
import type { ChangesPlan } from "./changes/explain-changes.js";
import { EngineError } from "./errors.js";
import { type OpenMonth, type Preparation, PreparedMonths } from "./prepared-months.js";
import { DEFAULT_QUERY, type Filters, type Geography } from "./query.js";
import { RowGzip } from "./render/gzip/row-gzip.js";
import { Scratch } from "./scratch.js";
import { finishWork, PendingWork, type SlicedWork } from "./sliced-work.js";
import { Snapshot } from "./snapshot.js";

export interface LibraryOptions {
	/** Folder that contains `snapshots/`. */
	readonly dataFolder: string;
	/** How files are accessed. Default: memory-mapped where supported, else read into shared memory. */
	readonly mapping?: MappingMode;
	/**
	 * Whether files of the newest month are copied into huge pages once they are used, where the system has these and
	 * a quarter of the memory remains available. Default: true.
	 */
	readonly hugePages?: boolean;
}

/** Result of a reload. Months that fail to open are left as they were. */
export interface ReloadReport {
	readonly opened: readonly string[];
	readonly closed: readonly string[];
	readonly failed: readonly {
		readonly month: string;
		readonly error: FormatError;
		/** Whether its files may open, and it is in quarantine. */
		readonly isQuarantined: boolean;
	}[];
}

/** A quarantined month: kept out of service even if its files open. */
export interface QuarantinedMonth {
	readonly month: string;
	/**
	 * The publication concerned, as in {@link publications}; a later publication of the month is not
	 * quarantined.
	 */
	readonly stamp: string;
	readonly code: FormatErrorCode;
	/** The damaged file. */
	readonly path: string;
	/** What is wrong with it. */
	readonly message: string;
}

/**
 * Opens every published month. Cost O(months × columns); nothing past the headers is read until needed.
 * Throws {@link EngineError} if the data folder is none. Months that fail to open are listed in
 * `failed`.
 */
export function openLibrary(options: LibraryOptions): Library {
	requirePinnedFold();
	requireDataFolder(options.dataFolder);
	const library = new Library(options.dataFolder, options.mapping, options.hugePages);
	library.reload();
	return library;
}

/** Throws {@link EngineError} `no_such_folder` unless `path` is a folder. */
export function requireDataFolder(path: string): void {
	const found = statSync(path, { throwIfNoEntry: false });
	if (found?.isDirectory()) return;
	const fault = found === undefined ? "does not exist" : "is not a folder";
	throw new EngineError("no_such_folder", `data folder ${path} ${fault}`);
}

/** The snapshot in one month's open files, with its own scratch memory. Cost O(columns). */
export function openSnapshot(files: SnapshotFiles): Snapshot {
	requirePinnedFold();
	return new Snapshot(files, new Scratch(), new RowGzip());
}

export class Library {
	private readonly scratch = new Scratch();
	private readonly rowGzip = new RowGzip();
	private readonly open = new Map<string, OpenMonth>();
	private newestFirst: readonly Snapshot[] = [];
	private failures: ReloadReport["failed"] = [];
	private quarantined = new Map<string, { readonly stamp: string; readonly error: FormatError }>();
	private readonly prepared: PreparedMonths;
	/** Most questions are of the newest month; of others only the pages that queries read become resident. */
	private readonly ofNewest: Residency;
	/** Publications that did not open at the last reload, by month. */
	private readonly failedStamps = new Map<string, string>();
	private readonly changeSets: ChangeSets;
	private readonly mergedGroups = new MergedGroupsCache();

	constructor(
		private readonly dataFolder: string,
		mapping: MappingMode = mappingMode(),
		hugePages = true,
	) {
		this.ofNewest = hugePages ? "huge-pages" : "cached";
		this.changeSets = new ChangeSets(dataFolder, mapping);
		const snapshotOf = (files: SnapshotFiles) => new Snapshot(files, this.scratch, this.rowGzip);
		this.prepared = new PreparedMonths(dataFolder, mapping, this.open, this.ofNewest, snapshotOf);
	}

	/** Open snapshots, newest month first. */
	get snapshots(): readonly Snapshot[] {
		return this.newestFirst;
	}

	/** The newest snapshot; null where none is open. */
	get latest(): Snapshot | null {
		return this.newestFirst[0] ?? null;
	}

	/** Memory held for compressing rows, in bytes. */
	get gzipBytes(): number {
		return this.rowGzip.memoryBytes;
	}

	/** Months that did not open at the last reload, and why. */
	get failed(): ReloadReport["failed"] {
		return this.failures;
	}

	/** The snapshot of `month`. */
	find(month: string): Snapshot | undefined {
		return this.open.get(month)?.snapshot;
	}

	/**
	 * The changes from `from` to `to`, a later one of {@link snapshots}. Throws {@link EngineError}
	 * `no_changes`, FormatError. For months that are not consecutive, costs composing them, once.
	 */
	changes(from: Snapshot, to: Snapshot): ChangeSet {
		const found = this.changesInSlices(from, to);
		return found instanceof PendingWork ? finishWork(found.work) : found;
	}

	/** {@link changes}, or where they are not open yet the work of it, which ends with them being kept. */
	changesInSlices(from: Snapshot, to: Snapshot): ChangeSet | PendingWork<ChangeSet> {
		return this.changeSets.find(from, to, this.between(from, to));
	}

	/**
	 * The groups of `newer` compared with those of `older`, an older one of {@link snapshots}, or the work after which it
	 * takes milliseconds: merging the values of both, some 100 ns each, once. Cost O(rows + groups) of both.
	 */
	comparedGroupsInSlices(
		older: Snapshot,
		newer: Snapshot,
		request: ComparedRequest,
		filters: Filters,
		geography: Geography | null,
	): ComparedGroups | PendingWork {
		return newer.groups.comparedInSlices(older.groups, this.mergedGroups, request, filters, geography);
	}

	/** How {@link changes} and a query of them are answered, without answering it. */
	explainChanges(from: Snapshot, to: Snapshot, query: ChangesQuery): ChangesPlan {
		const between = this.between(from, to);
		const asked = { ...DEFAULT_QUERY, filters: query.filters, geography: query.geography };
		const isOfOlder = (kind: ChangeKind) => kind === "gone" || query.filtersOn === "older";
		const selections = [
			{ snapshot: to, kinds: query.kinds.filter((kind) => !isOfOlder(kind)) },
			{ snapshot: from, kinds: query.kinds.filter((kind) => kind !== "new" && isOfOlder(kind)) },
		].filter(({ kinds }) => kinds.length > 0);
		return {
			from: from.month,
			to: to.month,
			source: this.changeSets.sourceOf(from, to, between),
			pairs: between.length - 1,
			selections: selections.map(({ snapshot, kinds }) => ({
				month: snapshot.month,
				kinds,
				plan: snapshot.explain(asked),
			})),
			fields: query.fields.length === TRACKED_COLUMNS.length ? null : query.fields,
		};
	}

	/** Open months from one to another, both included, oldest first. */
	private between(from: Snapshot, to: Snapshot): Snapshot[] {
		return this.newestFirst.filter(({ month }) => month >= from.month && month <= to.month).reverse();
	}

	/** Quarantines these months from the next reload on, replacing earlier quarantines. */
	quarantine(quarantined: readonly QuarantinedMonth[]): void {
		this.quarantined = new Map(
			quarantined.map(({ month, stamp, code, path, message }) => [
				month,
				{ stamp, error: new FormatError(code, path, message) },
			]),
		);
	}

	/**
	 * Does ahead what makes the next {@link reload} long, in slices of a millisecond and sometimes some: opens the files of
	 * new months, and makes those of the month that will be the newest accessible, for which V8 collects garbage, and
	 * resident. Yields what to wait for, if anything, before the next slice. Returns the snapshot that will be the newest,
	 * null if it is so already or does not open: what is asked of it ahead need not be computed after the reload. Changes no
	 * answer. Months that do not open are left to the reload. Cost O(months) if nothing changed.
	 */
	*prepareReload(): Preparation<Snapshot | null> {
		const published = publications(this.dataFolder);
		// What failed once is not tried twice as often.
		const hasFailed = (month: string) => this.failedStamps.get(month) === published.get(month);
		const remaining = [...published].filter(([month, stamp]) => !this.isQuarantined(month, stamp));
		const opening = remaining.filter(([month]) => !hasFailed(month));
		// A month whose new publication failed to open is left as it was, and may remain the newest.
		const served = remaining
			.map(([month]) => month)
			.filter((month) => !hasFailed(month) || this.open.has(month));
		const newest = served.reduce((latest, month) => (month > latest ? month : latest), "");
		let next: Snapshot | null = null;
		for (const [month, stamp] of opening) {
			if (month === this.latest?.month && this.open.get(month)?.stamp === stamp) continue;
			try {
				const snapshot = yield* this.prepared.prepare(month, stamp, month === newest);
				if (month === newest) next = snapshot;
			} catch (error) {
				if (!(error instanceof FormatError)) throw error;
			}
		}
		return next;
	}

	private isQuarantined(month: string, stamp: string | undefined): boolean {
		const quarantine = this.quarantined.get(month);
		return quarantine !== undefined && quarantine.stamp === stamp;
	}

	/** Opens new months and drops withdrawn ones. Cost O(months) if nothing changed. */
	reload(): ReloadReport {
		const published = publications(this.dataFolder);
		const isQuarantined = (month: string) => this.isQuarantined(month, published.get(month));
		const closed = [...this.open.keys()].filter((month) => !published.has(month) || isQuarantined(month));
		for (const month of closed) this.drop(month);
		const opened: string[] = [];
		const failed: ReloadReport["failed"][number][] = [];
		this.failedStamps.clear();
		for (const [month, stamp] of published) {
			if (this.open.get(month)?.stamp === stamp) continue;
			if (isQuarantined(month)) {
				const { error } = this.quarantined.get(month) as { error: FormatError };
				failed.push({ month, error, isQuarantined: true });
				continue;
			}
			try {
				const { files, snapshot } = this.prepared.take(month, stamp);
				// Only now: a month that fails to open is left as it was.
				if (files !== this.open.get(month)?.files) this.drop(month);
				this.open.set(month, { files, snapshot, stamp });
				opened.push(month);
			} catch (error) {
				if (!(error instanceof FormatError)) throw error;
				failed.push({ month, error, isQuarantined: false });
				this.failedStamps.set(month, stamp);
			}
		}
		this.failures = failed;
		this.prepared.clear();
		const snapshots = [...this.open.values()].map((entry) => entry.snapshot);
		this.newestFirst = snapshots.sort((a, b) => (a.month < b.month ? 1 : -1));
		for (const { files, snapshot } of this.open.values())
			files.memory.keepOnUse(snapshot === this.latest ? this.ofNewest : "as-read");
		this.keepOfOpen();
		return { opened, closed, failed };
	}

	/**
	 * Has the files of the newest month that are in use copied into huge pages, as others are at their first use, where memory
	 * did not suffice before months were dropped; in slices of a fraction of a millisecond. Cost O(files).
	 */
	*keepUsedInSlices(): SlicedWork<void> {
		const { latest } = this;
		if (latest !== null) yield* this.open.get(latest.month)?.files.memory.keepUsedInSlices() ?? [];
	}

	/** Stops answering from a month. Its mappings go with the last reference to it, its huge pages do not wait for that. */
	private drop(month: string): void {
		this.open.get(month)?.files.memory.keepOnUse("as-read");
		this.open.delete(month);
	}

	/** Drops all snapshots. Memory is freed with the last reference to each. */
	close(): void {
		for (const month of [...this.open.keys()]) this.drop(month);
		this.prepared.clear();
		this.newestFirst = [];
		this.keepOfOpen();
	}

	/** Releases what is kept of months that are no longer open. */
	private keepOfOpen(): void {
		this.changeSets.keepOnly(this.newestFirst);
		this.mergedGroups.keepOnly(this.newestFirst.map(({ comparable }) => comparable.columns));
	}
}
