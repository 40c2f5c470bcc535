/**
 * Builds the drops of a watched folder by their rules, once they are complete, and publishes or holds them.
 *
 * Every drop is entered in the journal before and after its build. A drop with a final entry is not built
 * again. If a crash interrupted a build, the published or held month, which contains the time of its build,
 * shows whether it was completed, so nothing is published twice or lost. A drop that changes while it is built
 * is not published: it is built again once it is complete.
 */

import { existsSync } from "node:fs";
import { readManifest, snapshotFolder } from "../../formats/index.js";
import type { BuiltMonth } from "../build/build-month.js";
import type { BuildOptions } from "../build/build-options.js";
import { type Failure, failureOf } from "../command-line.js";
import { BuildError } from "../errors.js";
import { readHeld } from "../months/held-months.js";
import { whileLocked } from "../months/publish.js";
import { monthOfFiles } from "../months/source-month.js";
import { RULE_NAMES } from "../setting-names.js";
import { type Arrival, arrivalAt, arrivalsIn } from "./arrivals.js";
import type { Journal, JournalEvent } from "./journal.js";
import { ruleFor, type WatchRule, type WatchRules } from "./rules.js";

/** Temporary failures: the drop is retried. */
const PASSING: ReadonlySet<string> = new Set(["another_builder", "unwritable_file", "ENOSPC", "EDQUOT"]);
/** Subject of remarks about no drop in particular; no drop has this name. */
const ALL_DROPS = "";
const RETRY_MS = 30_000;

export interface WatcherOptions {
	readonly folder: string;
	readonly dataFolder: string;
	readonly rules: WatchRules;
	readonly journal: Journal;
	readonly build: (options: BuildOptions) => Promise<BuiltMonth>;
	readonly threads: number | null;
	readonly rowStore: BuildOptions["rowStore"];
	readonly now: () => Date;
	readonly onEvent: (event: JournalEvent) => void;
	/** Whether it is an error if the folder cannot be read after the first look. Default: false, it is looked for again. */
	readonly once?: boolean;
	/** Once it is aborted, no further drop is built. */
	readonly signal: AbortSignal;
	/** Sends the notices that are due. */
	readonly sendNotices: () => Promise<void>;
	/** Called once for each drop without a rule, and for each temporary failure until it has passed. */
	readonly onRemark: (remark: string) => void;
}

/** A drop that was seen and is not yet built. */
interface Waiting {
	readonly stamp: string;
	readonly sinceMs: number;
	/** Earliest time of the next attempt. */
	readonly notBeforeMs: number;
}

export class Watcher {
	private recovered = false;
	/** Whether the folder was ever read. */
	private found = false;
	/** Whether the folder could not be read the last time. */
	private away = false;
	private readonly waiting = new Map<string, Waiting>();
	/** The last remark about each drop that is not built, by its name. */
	private readonly remarked = new Map<string, string>();

	constructor(private readonly options: WatcherOptions) {}

	/**
	 * Completes the journal for builds that a crash interrupted after their month was published or held. Throws
	 * {@link BuildError} `another_builder`.
	 */
	private async recover(): Promise<void> {
		const { dataFolder, journal } = this.options;
		const last = new Map<string, JournalEvent>();
		for (const event of journal.read())
			if (event.drop !== null && event.of === null) last.set(event.drop, event);
		const cutShort = [...last.values()].filter(({ event }) => event === "building");
		if (cutShort.length === 0) return;
		// An interrupted replacement is completed first: until then the month has no manifest.
		await whileLocked(dataFolder, () => undefined);
		for (const { at, month, drop, stamp } of cutShort) {
			if (month === null) continue;
			const about = { drop, stamp, month, message: "recovered after an interruption" };
			if (readManifest(dataFolder, month)?.built_at === at) this.enter({ event: "published", ...about });
			else if (readHeld(dataFolder, month)?.manifest.built_at === at) this.enter({ event: "held", ...about });
		}
	}

	/**
	 * Scans the folder once, builds complete drops and sends notices. Resolves to whether drops are waiting, or the
	 * journal cannot be written at the moment. Throws {@link BuildError}.
	 */
	async look(): Promise<boolean> {
		try {
			if (!this.recovered) await this.recover();
			this.recovered = true;
			const waits = await this.scan();
			await this.options.sendNotices();
			this.remarked.delete(ALL_DROPS);
			return waits;
		} catch (error) {
			const failure = failureOf(error);
			if (failure === null || !PASSING.has(failure.error.code)) throw error;
			// The journal may lack what became of a build.
			this.recovered = false;
			this.remark(ALL_DROPS, failure.error.message);
			return true;
		}
	}

	private async scan(): Promise<boolean> {
		const ended = this.endedDrops();
		const arrivals = this.arrivals();
		// The drops that were seen before are still waiting.
		if (arrivals === null) return true;
		const names = new Set(arrivals.map(({ name }) => name));
		for (const name of this.waiting.keys()) if (!names.has(name)) this.waiting.delete(name);
		let waits = false;
		for (const arrival of arrivals) {
			if (this.options.signal.aborted) return true;
			if (ended.get(arrival.name) === arrival.stamp) continue;
			const rule = ruleFor(this.options.rules, arrival.name);
			if (rule === undefined) this.remark(arrival.name, `no rule is for ${arrival.name}`);
			else if (!this.isComplete(arrival, rule)) waits = true;
			else if (!(await this.buildDrop(arrival, rule))) waits = true;
		}
		return waits;
	}

	/**
	 * The drops in the folder; null if it cannot be read, having been read before, as a network share that is not
	 * mounted at the moment.
	 */
	private arrivals(): Arrival[] | null {
		const { folder, once = false, onRemark } = this.options;
		try {
			const arrivals = arrivalsIn(folder, (name, fault) => this.remark(name, `${name} waits: ${fault}`));
			if (this.away) onRemark(`${folder} can be read again`);
			this.found = true;
			this.away = false;
			return arrivals;
		} catch (error) {
			if (!(error instanceof BuildError) || !this.found || once) throw error;
			if (!this.away) onRemark(`${error.message}; it is looked for again`);
			this.away = true;
			return null;
		}
	}

	/** The stamp of a drop; null if it cannot be read. */
	private stampOf(name: string): string | null {
		try {
			return arrivalAt(this.options.folder, name)?.stamp ?? null;
		} catch (error) {
			if (error instanceof Error && "syscall" in error) return null;
			throw error;
		}
	}

	/** The stamp of each drop at the end of its build. */
	private endedDrops(): Map<string, string | null> {
		const ended = new Map<string, string | null>();
		for (const { event, drop, stamp } of this.options.journal.read()) {
			if (drop !== null && (event === "published" || event === "held" || event === "refused"))
				ended.set(drop, stamp);
		}
		return ended;
	}

	private isComplete({ name, stamp, changedMs }: Arrival, { complete }: WatchRule): boolean {
		const nowMs = this.options.now().getTime();
		const seen = this.waiting.get(name);
		// Where the clock was set back, the rest begins again.
		const isFirst = seen?.stamp !== stamp || nowMs < seen.sinceMs;
		if (isFirst) this.waiting.set(name, { stamp, sinceMs: nowMs, notBeforeMs: 0 });
		else if (nowMs < seen.notBeforeMs) return false;
		if (complete === "rename") return true;
		const restMs = 1000 * this.options.rules.restSeconds;
		// A time in the future is of a sender's clock and says nothing.
		const wasChangedNow = changedMs <= nowMs && nowMs - changedMs < restMs;
		return !isFirst && nowMs - seen.sinceMs >= restMs && !wasChangedNow;
	}

	/** Builds a drop; false if it must be retried later. */
	private async buildDrop(arrival: Arrival, rule: WatchRule): Promise<boolean> {
		const { name, stamp } = arrival;
		let month: string;
		try {
			month = monthOfFiles([arrival.path], rule.maps, RULE_NAMES);
		} catch (error) {
			return this.fail(arrival, null, error);
		}
		const at = this.options.now();
		this.enter({ event: "building", drop: name, stamp, month }, at);
		let built: BuiltMonth;
		try {
			built = await this.options.build(this.orderOf(arrival, rule, month, at));
		} catch (error) {
			return this.fail(arrival, month, error);
		}
		this.forget(name);
		const { rows, churn, accepted, reportPage, held } = built;
		const message = `${rows} rows${churn === null ? "" : `, against ${churn.previous}: ${churn.totals.new} new, ${churn.totals.gone} gone, ${churn.totals.changed} changed`}`;
		const detail = {
			rows,
			churn: churn?.totals ?? null,
			accepted,
			rejects: built.rejects.rows,
			report: reportPage,
		};
		this.enter({ event: held ? "held" : "published", drop: name, stamp, month, message, detail });
		return true;
	}

	private orderOf({ name, path, stamp }: Arrival, rule: WatchRule, month: string, at: Date): BuildOptions {
		const { dataFolder, threads, rowStore } = this.options;
		const { maps, dateFormat, enrich, groups, replace, accept, mergeState, carry } = rule;
		const isCarried = mergeState.length > 0 || carry.length > 0;
		return {
			files: [path],
			dataFolder,
			month,
			maps,
			dateFormat,
			enrich,
			groups,
			// A rule is for every month, so the first drop of one has nothing to replace.
			replace: replace && existsSync(snapshotFolder(dataFolder, month)),
			carry: isCarried ? { merge: mergeState, carry, from: null } : undefined,
			accept: new Set(accept),
			names: RULE_NAMES,
			dryRun: false,
			hold: rule.publish === "hold",
			rowStore,
			threads,
			now: () => at,
			confirm: () => {
				if (this.stampOf(name) !== stamp) throw new BuildError("unreadable_file", CHANGED, { file: path });
			},
		};
	}

	/** Enters a refusal; false if the drop is retried instead. */
	private fail(arrival: Arrival, month: string | null, error: unknown): boolean {
		const failure = failureOf(error);
		if (failure === null) throw error;
		const { name, stamp } = arrival;
		const hasChanged = this.stampOf(name) !== stamp;
		if (hasChanged || PASSING.has(failure.error.code)) {
			this.remark(name, `${name} waits: ${failure.error.message}`);
			const nowMs = this.options.now().getTime();
			this.waiting.set(name, { stamp, sinceMs: nowMs, notBeforeMs: nowMs + RETRY_MS });
			return false;
		}
		this.forget(name);
		const { message } = failure.error;
		this.enter({ event: "refused", drop: name, stamp, month, message, detail: detailOf(failure) });
		return true;
	}

	private forget(name: string): void {
		this.waiting.delete(name);
		this.remarked.delete(name);
	}

	private enter(event: Parameters<Journal["append"]>[0], at?: Date): void {
		this.options.onEvent(this.options.journal.append(event, at));
	}

	private remark(subject: string, remark: string): void {
		if (this.remarked.get(subject) === remark) return;
		this.remarked.set(subject, remark);
		this.options.onRemark(remark);
	}
}

const CHANGED = "it changed while it was built";

function detailOf({ error, ...rest }: Failure): Record<string, unknown> {
	const report = "report" in rest ? (rest.report as BuiltMonth) : null;
	return { error, ...(report === null ? {} : { gates: report.gates, report: report.reportPage }) };
}
