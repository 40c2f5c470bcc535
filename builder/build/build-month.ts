/**
 * Builds a month from CSV files to a published snapshot: parse ▸ judge ▸ compile ▸ judge, while rows are stored ▸
 * publish. A failure at any step leaves the published months unchanged.
 */

import {
	BUILT_IN_GROUPS,
	type GroupTable,
	hex,
	isMonth,
	type Manifest,
	type MonthChanges,
	openChanges,
	publishRetainingRows,
	requirePinnedFold,
	SnapshotFiles,
} from "../../formats/index.js";
import { type Carried, carriedSources, requireCarried } from "../carry/carry-states.js";
import { makeChanges, makeChangesAround, removeStaleChanges } from "../changes/keep-changes.js";
import { compileMonth } from "../compile/compile-month.js";
import { parseMonth, releaseCodes } from "../csv/index.js";
import { enrichMonth } from "../enrich/enrich-month.js";
import { asBuildError, BuildError } from "../errors.js";
import { removeStaleExports } from "../export/export-month.js";
import { DEFAULT_LIMITS, GATES, type GateFailure, type GateLimits } from "../gates/gate.js";
import { judgeChanges, judgeChurn, judgeGroups } from "../gates/judge-churn.js";
import { judgeMonth, rewordedStates } from "../gates/judge-month.js";
import { judgeParsed } from "../gates/judge-parsed.js";
import { readGroupFile } from "../input/group-file.js";
import { plainBytes } from "../input/source-files.js";
import { holdMonth } from "../months/held-months.js";
import { Staging } from "../months/publish.js";
import { monthOfFiles, otherMonths } from "../months/source-month.js";
import { openPool, ROW_BYTES } from "../open-pool.js";
import { churnOf } from "../profile/churn.js";
import { profileMonth } from "../profile/month-profile.js";
import { findOddValues } from "../profile/odd-values.js";
import { openPublished, publishedMonths } from "../published-months.js";
import type { BuildReport } from "../report/build-report.js";
import {
	clearRejects,
	keepFiles,
	type RejectFiles,
	type ReportFiles,
	rejectFiles,
	writeReport,
} from "../report/report-files.js";
import type { BuilderTasks } from "../tasks.js";
import { compareSample, drawSample } from "../verify/read-back.js";
import type { TaskPool } from "../workers/task-pool.js";
import { BackgroundSync } from "./background-sync.js";
import { type BuildOutcome, type Findings, manifestOf, noRows, refusal, reportOf } from "./build-findings.js";
import { type BuildOptions, replacesMonth, storesRows } from "./build-options.js";
import { BuildWatch } from "./build-progress.js";
import { EarlyRows } from "./early-rows.js";

/** A build's report and its files. */
export type BuiltMonth = BuildReport &
	ReportFiles & {
		/** Month whose stored rows were dropped, since this one is newer; null if none were. */
		readonly rowsDroppedOf: string | null;
	};

/**
 * Builds and publishes a month. Throws {@link BuildError} for errors that the operator can fix; if a gate fails
 * (`gate_failed`), the report is still written.
 */
export async function buildMonth(options: BuildOptions): Promise<BuiltMonth> {
	requirePinnedFold();
	// Before the names are read for a month: a misspelled name has none.
	const sourceBytes = plainBytes(options.files) + plainBytes(options.enrich ?? []);
	const month = options.month ?? monthOfFiles(options.files, options.maps ?? []);
	if (!isMonth(month))
		throw new BuildError("bad_month", `month is ${month}, expected YYYY-MM from 2000-01 on`);
	const purpose = replacesMonth(options) ? "replace" : "publish";
	const staging = Staging.open(options.dataFolder, month, purpose, options.names);
	let pool: TaskPool<BuilderTasks> | null = null;
	const sync = new BackgroundSync(staging.folder);
	try {
		const { carry, dataFolder, threads } = options;
		const carried = carry === undefined ? null : carriedSources(dataFolder, month, carry, options.names);
		pool = openPool(threads, sourceBytes + ROW_BYTES * (carried?.rows ?? 0));
		return await new MonthBuild(options, month, staging, pool, sync, carried).run();
	} catch (error) {
		throw asBuildError(error, staging.folder);
	} finally {
		await pool?.close();
		await sync.stop();
		staging.close();
	}
}

class MonthBuild {
	private readonly watch: BuildWatch;
	private readonly limits: GateLimits;
	private readonly groups: GroupTable;
	/** Digests of the published months that rows are taken from and compared with. */
	private readonly builtOn = new Map<string, string>();

	constructor(
		private readonly options: BuildOptions,
		private readonly month: string,
		private readonly staging: Staging,
		private readonly pool: TaskPool<BuilderTasks>,
		private readonly sync: BackgroundSync,
		private readonly carried: Carried | null,
	) {
		this.watch = new BuildWatch(options.onProgress);
		this.limits = options.limits ?? DEFAULT_LIMITS;
		for (const { catalog, crc } of carried?.months ?? []) this.builtOn.set(catalog.month, hex(crc));
		this.groups = options.groups == null ? BUILT_IN_GROUPS : readGroupFile(options.groups);
	}

	async run(): Promise<BuiltMonth> {
		const { options, watch } = this;
		const findings = await this.parse();
		findings.failures.push(
			...judgeParsed(findings.parsed, this.limits),
			...(await this.judgeNames(findings)),
		);
		// Before a gate refuses it: no acceptance publishes a month without rows.
		if (findings.parsed.rows === 0) throw this.emptyMonth(findings);
		// All gates are judged before the build is refused, so that one run reports every failure.
		await this.enrich(findings);
		const { order, sample } = await this.compile(findings);
		const rows = this.beginRows(findings);
		try {
			watch.begin("check");
			compareSample(sample, order, SnapshotFiles.open(this.staging.folder));
			await this.judge(findings, rows);
			this.refuse(findings);
		} catch (error) {
			await rows?.abandon();
			throw error;
		}
		watch.begin("rows");
		await this.writeDerived(rows);
		watch.begin("publish");
		await this.sync.finish();
		// Written before publishing, so that a failure to write the report prevents the publication.
		const built = this.report(findings, this.outcome);
		const rowsDroppedOf = options.dryRun
			? null
			: this.finish(manifestOf(findings, this.month, options.now()));
		watch.end();
		return { ...built, rowsDroppedOf, seconds: watch.seconds };
	}

	/** The reject files until the month is published or held. */
	private get rejects(): RejectFiles {
		return rejectFiles(this.options.dataFolder, this.month, "unpublished");
	}

	/** What becomes of a month that no gate refuses. */
	private get outcome(): BuildOutcome {
		const { dryRun, hold = false } = this.options;
		return dryRun ? "none" : hold ? "held" : "published";
	}

	/** Publishes or holds the finished month; returns the month whose stored rows were dropped, null if none were. */
	private finish(manifest: Manifest): string | null {
		const { dataFolder, confirm, rowStore } = this.options;
		confirm?.();
		this.staging.requireHeld();
		keepFiles(dataFolder, this.month);
		const keepOlderRows = rowStore === true;
		if (this.outcome === "held") {
			holdMonth(dataFolder, this.staging.folder, {
				replace: replacesMonth(this.options),
				built_on: [...this.builtOn].map(([month, digest]) => ({ month, digest })),
				keep_older_rows: keepOlderRows,
				manifest,
			});
			return null;
		}
		const publish = () => this.staging.publish(manifest);
		const dropped = publishRetainingRows(dataFolder, keepOlderRows, publish);
		removeStaleChanges(dataFolder);
		removeStaleExports(dataFolder);
		return dropped;
	}

	/** Judges months in the sources' names that are not the month built. */
	private async judgeNames({ parsed }: Findings): Promise<GateFailure[]> {
		const named = await otherMonths(this.options.files, this.month, parsed.oddities);
		return named === null ? [] : [{ gate: "month", finding: `the month is ${this.month}, but ${named}` }];
	}

	/** Writes stored rows and changes at a time. Ends when both have, so that neither leaves files after a failure. */
	private async writeDerived(rows: EarlyRows | null): Promise<void> {
		const written = rows?.finish((task) => this.watch.count(task));
		const ended = await Promise.allSettled([this.makeNeighbourChanges(), written]);
		for (const each of ended) if (each.status === "rejected") throw each.reason;
	}

	/** Computes the changes to and from the adjacent months. Readers find them by digest once the month is published. */
	private async makeNeighbourChanges(): Promise<void> {
		if (this.options.dryRun) return;
		const { options, month } = this;
		const rows = storesRows(options, month);
		await makeChangesAround(options.dataFolder, month, this.staging.folder, rows, (kind, input) =>
			this.watch.count(this.pool.run(kind, input)),
		);
	}

	private async parse(): Promise<Findings> {
		const { options, watch, carried } = this;
		clearRejects(options.dataFolder, this.month);
		watch.begin("parse");
		const { carry } = options;
		const parsed = await parseMonth({
			files: options.files,
			carried: carried?.sources,
			maps: options.maps,
			profile: options.profile,
			dateFormat: options.dateFormat ?? undefined,
			rejectFile: this.rejects.drop,
			chunkBytes: options.chunkBytes,
			pool: this.pool,
			onProgress: (progress) => watch.tell(progress),
		});
		if (carry !== undefined && carried !== null) requireCarried(parsed, carried, carry, options.names);
		const found = {
			failures: [],
			catalog: null,
			profile: null,
			oddValues: [],
			previous: null,
			churn: null,
			carried,
		};
		return { parsed, enrichment: null, ...found };
	}

	/** Joins the contacts files, if any. */
	private async enrich(findings: Findings): Promise<void> {
		const { enrich = [], maps } = this.options;
		if (enrich.length === 0) return;
		this.watch.begin("enrich");
		const contacts = await parseMonth({
			files: enrich,
			maps,
			rejectFile: this.rejects.contacts,
			pool: this.pool,
		});
		findings.failures.push(...judgeParsed(contacts, this.limits));
		const { month, enrichment } = await enrichMonth(findings.parsed, contacts, (kind, input) =>
			this.watch.count(this.pool.run(kind, input)),
		);
		findings.parsed = month;
		findings.enrichment = enrichment;
	}

	/** Compiles the month, whose parsed columns are released. Returns the CSV row at each position, and a sample of the rows. */
	private async compile(findings: Findings) {
		const { parsed, carried } = findings;
		const compiling = compileMonth(parsed, {
			month: this.month,
			folder: this.staging.folder,
			groups: this.groups,
			carriedStates: carried?.states,
			run: (kind, input) => this.watch.count(this.pool.run(kind, input)),
			onStage: (stage) => this.watch.begin(stage),
			onMerged: () => releaseCodes(parsed),
		});
		// Awaited below, unless no sample can be drawn.
		compiling.catch(() => undefined);
		const sample = drawSample(parsed);
		const { catalog, order } = await compiling;
		findings.catalog = catalog;
		findings.parsed = { ...parsed, parts: [], dictionaries: [] };
		return { order, sample };
	}

	/** Begins to write the stored rows; null if the month has none or is refused already. */
	private beginRows(findings: Findings): EarlyRows | null {
		if (this.refusing(findings).length > 0 || !storesRows(this.options, this.month)) return null;
		return new EarlyRows(this.staging.folder, findings.parsed.rows, this.pool);
	}

	/** Judges the compiled month against the one it replaces or else the newest earlier month, if there is one. */
	private async judge(findings: Findings, rows: EarlyRows | null): Promise<void> {
		const { options, month, limits, watch } = this;
		watch.begin("judge");
		const files = SnapshotFiles.open(this.staging.folder);
		const published = publishedMonths(options.dataFolder);
		const before = published.includes(month) ? month : published.find((other) => other < month);
		const older = before === undefined ? null : openPublished(options.dataFolder, before);
		const changes = older === null ? null : await this.changesSince(older, files);
		watch.begin("rows");
		await rows?.untilLast();
		watch.begin("judge");
		findings.profile = profileMonth(files);
		findings.oddValues = findOddValues(files);
		if (older !== null && changes !== null) {
			this.builtOn.set(older.catalog.month, hex(older.crc));
			findings.previous = profileMonth(older);
			findings.churn = churnOf(changes, older, files);
			findings.failures.push(
				...judgeChurn(findings.churn, limits),
				...judgeChanges(findings.churn, limits, rewordedStates(findings.profile, findings.previous, limits)),
				...judgeGroups(findings.profile, findings.previous, this.groups, limits),
			);
		}
		findings.failures.push(...judgeMonth(findings.profile, findings.previous, limits));
		findings.failures.sort((a, b) => GATES.indexOf(a.gate) - GATES.indexOf(b.gate));
	}

	/** The changes since `older`. Those since the previous month are stored for publication. */
	private async changesSince(older: SnapshotFiles, files: SnapshotFiles): Promise<MonthChanges> {
		const { dataFolder, dryRun } = this.options;
		const { compareMonths } = await import("../../engine/index.js");
		const from = { month: older.catalog.month, rows: older.catalog.rows, crc: older.crc };
		if (dryRun || from.month === this.month) return compareMonths(older, files);
		// Before the stored rows that wait: the month is judged by these changes.
		const folder = await makeChanges(dataFolder, older.folder, files.folder, (kind, input) =>
			this.watch.count(this.pool.run(kind, input, { urgent: true })),
		);
		const to = { month: this.month, rows: files.catalog.rows, crc: files.crc };
		return openChanges(folder, from, to) ?? compareMonths(older, files);
	}

	private refusing({ failures }: Findings): GateFailure[] {
		return failures.filter((failure) => !this.options.accept.has(failure.gate));
	}

	/** Writes the report and throws, if there are failures that were not accepted. */
	private refuse(findings: Findings): void {
		const refused = this.refusing(findings);
		if (refused.length === 0) return;
		this.watch.end();
		removeStaleChanges(this.options.dataFolder);
		throw refusal(refused, this.report(findings, "none"), this.options.names);
	}

	/** Writes the report of a build whose files have no valid row; returns the error to throw. */
	private emptyMonth(findings: Findings): BuildError {
		this.watch.end();
		return noRows(this.options.files, this.report(findings, "none"));
	}

	private report(findings: Findings, outcome: BuildOutcome): BuildReport & ReportFiles {
		const { accept, dataFolder } = this.options;
		const { month, groups, limits, watch } = this;
		const { drop: rejectFile } = rejectFiles(dataFolder, month, outcome === "none" ? "unpublished" : "month");
		const context = { month, outcome, accept, groups, limits, rejectFile, seconds: watch.seconds };
		const report = reportOf(findings, context);
		return { ...report, ...writeReport(dataFolder, report) };
	}
}
