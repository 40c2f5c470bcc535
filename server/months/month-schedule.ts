/**
 * Which months of the object store's index a host should have, when each goes live, and whether the host is ready: the
 * decisions of month-puller.ts. It does no input or output; the time is passed in.
 *
 * Invariants:
 * - The index followed never has a lower revision than one followed before.
 * - Only a month that was downloaded goes live, and not before its time.
 * - Until the replacement of a month is live, the revision that it replaces must be served.
 * - A host that does not serve a month of its index in every thread when it must (deadlines.ts) is not ready.
 */

import type { MonthIndex } from "../../formats/object-store/index.js";
import { type Wanted, wantedMonths } from "../../formats/object-store/wanted-months.js";
import { Deadlines } from "./deadlines.js";
import { newestRevision } from "./newest-index.js";

/** A process whose live checks are this late was stopped, in milliseconds. */
const STOPPED_MS = 2_000;

/** How long a process that was started or stopped waits for the index before it is ready, in milliseconds. */
export const READ_MS_MAX = 10_000;

/** The same while the store returns an older index than before, which is read again after a pause. */
export const OLDER_MS_MAX = 30_000;

/** What this host has of a month with the given digest of its manifest. */
export interface MonthsHere {
	isDownloaded(month: string, manifest: string): boolean;
	isPublished(month: string, manifest: string): boolean;
	/** Whether all threads have opened a month that is published. */
	isServed(month: string): boolean;
}

export class MonthSchedule {
	readonly #here: MonthsHere;
	readonly #keepMonths: number;
	readonly #deadlines = new Deadlines();
	#index: MonthIndex | null;
	/** Time of the newest live check; null: none has run. */
	#checkedMs: number | null = null;
	/** Readings of the index that must end, or take too long, before this host is ready. */
	#awaited = 0;

	/** `index`: the one followed before this process was started; null: none. `keepMonths`: 0 for all. */
	constructor(here: MonthsHere, keepMonths: number, index: MonthIndex | null, nowMs: number) {
		this.#here = here;
		this.#keepMonths = keepMonths;
		this.#index = index;
		this.#deadlines.follow(this.wanted(nowMs), nowMs, false, () => false);
	}

	/** Revision of the index that is followed; 0: none was ever read. */
	get revision(): number {
		return this.#index?.revision ?? 0;
	}

	/** Follows an index that was read. Returns false, and changes nothing, if it is older than the one followed. */
	follow(index: MonthIndex, nowMs: number): boolean {
		if (this.#index !== null && newestRevision(this.#index.revision, index.revision) !== index.revision)
			return false;
		const isInService = this.#index !== null && this.#awaited === 0 && !this.isOverdue(nowMs);
		const listed = this.#index?.months ?? {};
		const kept = new Set(this.wanted(nowMs).map(({ month }) => month));
		this.#index = index;
		this.#deadlines.follow(this.wanted(nowMs), nowMs, isInService, ({ month, manifest }) => {
			return listed[month]?.manifest === manifest && !kept.has(month);
		});
		return true;
	}

	/** The months of the index that this host should have, newest first. */
	wanted(nowMs: number): Wanted[] {
		return this.#index === null ? [] : this.#wantedOf(this.#index, this.#keepMonths, nowMs);
	}

	/**
	 * Published months other than these are to be retired. One that the index lists, but that is not among the newest
	 * that are kept, is served until all of those are.
	 */
	retained(nowMs: number): Wanted[] {
		if (this.#index === null || this.lacking(nowMs).length === 0) return this.wanted(nowMs);
		return this.#wantedOf(this.#index, 0, nowMs);
	}

	/** Digest of the manifest that the index has of a month, kept or not; null: it has none. */
	manifestOf(month: string): string | null {
		return this.#index?.months[month]?.manifest ?? null;
	}

	/** Those of {@link wanted} that are not published. */
	lacking(nowMs: number): Wanted[] {
		return this.wanted(nowMs).filter(({ month, manifest }) => !this.#here.isPublished(month, manifest));
	}

	/** Downloaded months that are to be published now. */
	dueToGoLive(nowMs: number): Wanted[] {
		return this.wanted(nowMs).filter(
			({ month, manifest, liveAtMs }) => liveAtMs <= nowMs && this.#here.isDownloaded(month, manifest),
		);
	}

	/** Whether the process was stopped since the newest live check. */
	isOverdue(nowMs: number): boolean {
		return this.#checkedMs !== null && nowMs - this.#checkedMs > STOPPED_MS;
	}

	/** A live check ran. */
	checked(nowMs: number): void {
		this.#checkedMs = nowMs;
	}

	/** The month is complete, and waits to go live. */
	downloaded(wanted: Wanted, nowMs: number): void {
		if (wanted.liveAtMs > nowMs) this.#deadlines.inTime(wanted);
	}

	/** This host is not ready until {@link readingEnded} was called as often. */
	awaitReading(): void {
		this.#awaited++;
	}

	/** The reading of the index ended, or took too long. */
	readingEnded(): void {
		this.#awaited--;
	}

	/** Why this host must not answer; null: it may. */
	notReady(nowMs: number): string | null {
		if (this.#index === null) return "the object store's index has not been read yet";
		if (this.#awaited > 0 || this.isOverdue(nowMs))
			return "the object store's index has not been read since this process was started or stopped";
		const late = this.wanted(nowMs).find(
			(wanted) => this.#deadlines.of(wanted) < nowMs && !this.#isServed(wanted),
		);
		if (late === undefined) return null;
		const since =
			late.liveAtMs <= nowMs ? "is live" : `goes live at ${new Date(late.liveAtMs).toISOString()}`;
		const isPublished = this.#here.isPublished(late.month, late.manifest);
		return `${late.month} ${since} and is not ${isPublished ? "open in every thread" : "here"} yet`;
	}

	/** A clock that is set back brings no revision back whose replacement is published. */
	#wantedOf(index: MonthIndex, keepMonths: number, nowMs: number): Wanted[] {
		return wantedMonths(index, keepMonths, nowMs).filter(
			({ month, replacedBy }) => replacedBy === null || !this.#here.isPublished(month, replacedBy),
		);
	}

	#isServed({ month, manifest }: Wanted): boolean {
		return this.#here.isPublished(month, manifest) && this.#here.isServed(month);
	}
}
