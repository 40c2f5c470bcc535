/**
 * Building of a month, from CSV files to a published snapshot: parse ▸ judge ▸ compile ▸ judge ▸
 * render rows ▸ publish. Whatever fails on the way leaves the published months as they were.
 */

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Catalog, FormatError, isMonth, requirePinnedFold, SnapshotFiles } from "../formats/index.js";
import { BackgroundSync } from "./background-sync.js";
import { type BuildProgress, BuildWatch } from "./build-watch.js";
import { makeChangesAround, removeStaleChanges } from "./changes/keep-changes.js";
import { compileMonth, writeRowStore } from "./compile/compile-month.js";
import { parseMonth } from "./csv/index.js";
import type { ParsedMonth } from "./csv/parsed-month.js";
import { type Enrichment, enrichMonth } from "./enrich/enrich-month.js";
import { BuildError, systemErrorText } from "./errors.js";
import { DEFAULT_LIMITS, type GateFailure, type GateLimits, type GateName } from "./gates/gate.js";
import { judgeMonth } from "./gates/judge-month.js";
import { judgeParsed } from "./gates/judge-parsed.js";
import { operatorName } from "./operator.js";
import { type MonthProfile, profileMonth } from "./profile/month-profile.js";
import { Staging } from "./publish.js";
import { openPublished, publishedMonths } from "./published.js";
import { type BuildReport, compareProfiles, gateOutcomes } from "./report/build-report.js";
import { type ReportFiles, writeReport } from "./report/report-files.js";
import { monthOfFiles } from "./source-month.js";
import type { BuilderTasks } from "./tasks.js";
import { readBack } from "./verify/read-back.js";
import { WorkerPool } from "./workers/pool.js";

export interface BuildOptions {
	readonly files: readonly string[];
	readonly dataFolder: string;
	/** `YYYY-MM`; null: from the files' names. */
	readonly month: string | null;
	/** Paths of map files. */
	readonly maps: readonly string[];
	readonly dateFormat: string | null;
	/** Contacts files that matched e-mail addresses and phone numbers come from. Default none. */
	readonly enrich?: readonly string[];
	/** Gates that may fail. */
	readonly accept: ReadonlySet<GateName>;
	/** Default: {@link DEFAULT_LIMITS}. */
	readonly limits?: GateLimits;
	/** Do all but publish. */
	readonly dryRun: boolean;
	readonly rowStore: boolean;
	/** Worker threads; null: one a core. */
	readonly threads: number | null;
	/** Bytes that a parsing task is given at a time. Default: what the parser thinks best. */
	readonly chunkBytes?: number;
	readonly now: () => Date;
	readonly onProgress?: (progress: BuildProgress) => void;
}

/** A build's report and where it is kept. */
export type BuiltMonth = BuildReport & ReportFiles;

/** What a build has found so far. */
interface Findings {
	parsed: ParsedMonth;
	enrichment: Enrichment | null;
	readonly rejectFile: string;
	readonly failures: GateFailure[];
	catalog: Catalog | null;
	profile: MonthProfile | null;
	previous: MonthProfile | null;
}

/**
 * Builds and publishes a month. Throws {@link BuildError} for what the operator can mend; a refusal by
 * a gate (`gate_failed`) leaves its report behind.
 */
export async function buildMonth(options: BuildOptions): Promise<BuiltMonth> {
	requirePinnedFold();
	const month = options.month ?? monthOfFiles(options.files);
	if (!isMonth(month))
		throw new BuildError("bad_month", `month is ${month}, expected YYYY-MM from 2000-01 on`);
	const staging = Staging.open(options.dataFolder, month);
	const pool = new WorkerPool<BuilderTasks>(options.threads ?? undefined);
	const sync = new BackgroundSync(staging.folder);
	try {
		return await new MonthBuild(options, month, staging, pool, sync).run();
	} catch (error) {
		throw asBuildError(error, staging.folder);
	} finally {
		await pool.close();
		await sync.stop();
		staging.close();
	}
}

class MonthBuild {
	private readonly watch: BuildWatch;
	private readonly limits: GateLimits;

	constructor(
		private readonly options: BuildOptions,
		private readonly month: string,
		private readonly staging: Staging,
		private readonly pool: WorkerPool<BuilderTasks>,
		private readonly sync: BackgroundSync,
	) {
		this.watch = new BuildWatch(options.onProgress);
		this.limits = options.limits ?? DEFAULT_LIMITS;
	}

	async run(): Promise<BuiltMonth> {
		const { options, watch } = this;
		const findings = await this.parse();
		findings.failures.push(...judgeParsed(findings.parsed, this.limits));
		this.refuse(findings);
		if (findings.parsed.rows === 0) {
			throw new BuildError("empty_file", "no rows to publish", { file: options.files.join(", ") });
		}
		await this.enrich(findings);
		this.refuse(findings);
		await this.compile(findings);
		this.judge(findings);
		this.refuse(findings);
		watch.begin("rows");
		await Promise.all([this.makeChanges(), this.writeRows(findings.parsed.rows)]);
		watch.begin("publish");
		await this.sync.finish();
		// Told before it is done: a report that cannot be written must not follow a publication.
		const built = this.report(findings, !options.dryRun);
		if (!options.dryRun) {
			this.staging.publish(this.manifest(findings));
			removeStaleChanges(options.dataFolder);
		}
		watch.end();
		return { ...built, seconds: watch.seconds };
	}

	/** Makes the changes against the months beside this one, which are found by its digest once it is published. */
	private async makeChanges(): Promise<void> {
		if (this.options.dryRun) return;
		const { dataFolder } = this.options;
		await makeChangesAround(dataFolder, this.month, this.staging.folder, (kind, input) =>
			this.watch.count(this.pool.run(kind, input)),
		);
	}

	private async writeRows(rows: number): Promise<void> {
		if (!this.options.rowStore) return;
		await writeRowStore(this.staging.folder, rows, (kind, input) =>
			this.watch.count(this.pool.run(kind, input)),
		);
	}

	private async parse(): Promise<Findings> {
		const { options, watch } = this;
		const rejectFile = join(options.dataFolder, "rejects", `${this.month}.csv`);
		mkdirSync(dirname(rejectFile), { recursive: true });
		watch.begin("parse");
		const parsed = await parseMonth({
			files: options.files,
			maps: options.maps,
			dateFormat: options.dateFormat ?? undefined,
			rejectFile,
			chunkBytes: options.chunkBytes,
			pool: this.pool,
			onProgress: (progress) => watch.tell(progress),
		});
		const found = { failures: [], catalog: null, profile: null, previous: null };
		return { parsed, enrichment: null, rejectFile, ...found };
	}

	/** Joins the contacts files, where there are any. */
	private async enrich(findings: Findings): Promise<void> {
		const { enrich = [], maps, dataFolder } = this.options;
		if (enrich.length === 0) return;
		this.watch.begin("enrich");
		const contacts = await parseMonth({
			files: enrich,
			maps,
			rejectFile: join(dataFolder, "rejects", `${this.month}-contacts.csv`),
			pool: this.pool,
		});
		findings.failures.push(...judgeParsed(contacts, this.limits));
		const { month, enrichment } = await enrichMonth(findings.parsed, contacts, (kind, input) =>
			this.watch.count(this.pool.run(kind, input)),
		);
		findings.parsed = month;
		findings.enrichment = enrichment;
	}

	private async compile(findings: Findings): Promise<void> {
		const { catalog, order } = await compileMonth(findings.parsed, {
			month: this.month,
			folder: this.staging.folder,
			run: (kind, input) => this.watch.count(this.pool.run(kind, input)),
			onStage: (stage) => this.watch.begin(stage),
		});
		findings.catalog = catalog;
		this.watch.begin("check");
		const files = SnapshotFiles.open(this.staging.folder);
		readBack(findings.parsed, order, files, files.crc);
	}

	/** Judges the compiled month, against the newest published before it where there is one. */
	private judge(findings: Findings): void {
		const { options, month } = this;
		this.watch.begin("judge");
		findings.profile = profileMonth(SnapshotFiles.open(this.staging.folder));
		const before = publishedMonths(options.dataFolder).find((other) => other < month);
		if (before !== undefined) findings.previous = profileMonth(openPublished(options.dataFolder, before));
		findings.failures.push(...judgeMonth(findings.profile, findings.previous, this.limits));
	}

	/** Throws for the failures that were not accepted, and leaves the report behind. */
	private refuse(findings: Findings): void {
		const refused = findings.failures.filter((failure) => !this.options.accept.has(failure.gate));
		if (refused.length === 0) return;
		this.watch.end();
		const { reportPage } = this.report(findings, false);
		const what = refused.map((failure) => `gate ${failure.gate}: ${failure.finding}`).join("; ");
		const names = refused.map((failure) => failure.gate).join(",");
		throw new BuildError(
			"gate_failed",
			`nothing published: ${what}; --accept ${names} publishes all the same; the report is ${reportPage}`,
		);
	}

	private report(findings: Findings, published: boolean): BuiltMonth {
		const { parsed, catalog, profile, previous, failures } = findings;
		const { accept, dataFolder } = this.options;
		const report: BuildReport = {
			month: this.month,
			rows: parsed.rows,
			published,
			sources: parsed.sources,
			rejects: parsed.rejects,
			rejectFile: findings.rejectFile,
			oddities: parsed.oddities,
			enrichment: findings.enrichment,
			gates: gateOutcomes(failures, accept, { compiled: profile !== null, compared: previous !== null }),
			accepted: failures.filter(({ gate }) => accept.has(gate)),
			comparison: profile === null ? null : compareProfiles(profile, previous),
			states: profile?.states.map(({ state, country, rows }) => ({ state, country, rows })) ?? [],
			bytes: catalog?.files.reduce((sum, file) => sum + file.bytes, 0) ?? 0,
			seconds: this.watch.seconds,
		};
		return { ...report, ...writeReport(dataFolder, report) };
	}

	private manifest({ parsed, enrichment, failures }: Findings) {
		return {
			month: this.month,
			rows: parsed.rows,
			built_at: this.options.now().toISOString(),
			built_by: operatorName(),
			sources: [...parsed.sources, ...(enrichment?.sources ?? [])].map((source) => ({ ...source })),
			rejects: parsed.rejects.rows,
			accepted: failures.map((failure) => ({ ...failure })),
		};
	}
}

function asBuildError(error: unknown, folder: string): unknown {
	if (error instanceof BuildError || error instanceof FormatError) return error;
	const { code, path } = error as NodeJS.ErrnoException;
	if (code === "ENOSPC" || code === "EDQUOT" || code === "EIO" || code === "EROFS" || code === "EACCES") {
		return new BuildError("unwritable_file", systemErrorText(error), { file: path ?? folder });
	}
	return error;
}
