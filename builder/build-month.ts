/**
 * Building of a month, from CSV files to a published snapshot: parse ▸ judge ▸ compile ▸ publish.
 * Whatever fails on the way leaves the published months as they were.
 */

import { mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Catalog, FormatError, isMonth, type Manifest } from "../formats/index.js";
import { type CompileStage, compileMonth } from "./compile/compile-month.js";
import { parseMonth } from "./csv/index.js";
import type { ParsedMonth } from "./csv/parsed-month.js";
import { BuildError, systemErrorText } from "./errors.js";
import { type GateFailure, type GateName, judgeParsed } from "./gates/gate.js";
import { Staging } from "./publish.js";
import type { BuilderTasks } from "./tasks.js";
import { WorkerPool } from "./workers/pool.js";

export interface BuildOptions {
	readonly files: readonly string[];
	readonly dataFolder: string;
	/** `YYYY-MM`; null: from the files' names. */
	readonly month: string | null;
	/** Paths of map files. */
	readonly maps: readonly string[];
	readonly dateFormat: string | null;
	readonly accept: ReadonlySet<GateName>;
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

export type BuildStage = "parse" | CompileStage | "publish";

export interface BuildProgress {
	readonly stage: BuildStage;
	/** While parsing. */
	readonly bytes?: number;
	readonly totalBytes?: number | null;
	readonly rows?: number;
}

export interface BuildReport {
	readonly month: string;
	readonly rows: number;
	readonly published: boolean;
	readonly sources: ParsedMonth["sources"];
	readonly rejects: ParsedMonth["rejects"];
	/** CSV of the rejected rows: file, line, column, reason, raw. */
	readonly rejectFile: string;
	readonly oddities: ParsedMonth["oddities"];
	/** Gates that failed and were accepted. */
	readonly accepted: readonly GateFailure[];
	readonly states: Catalog["states"];
	/** Bytes of the snapshot without its row store. */
	readonly bytes: number;
	/** Seconds by stage. */
	readonly seconds: Readonly<Record<string, number>>;
}

/** Builds and publishes a month. Throws {@link BuildError} for what the operator can mend. */
export async function buildMonth(options: BuildOptions): Promise<BuildReport> {
	const month = options.month ?? monthOfFiles(options.files);
	if (!isMonth(month))
		throw new BuildError("bad_month", `month is ${month}, expected YYYY-MM from 2000-01 on`);
	const staging = Staging.open(options.dataFolder, month);
	const pool = new WorkerPool<BuilderTasks>(options.threads ?? undefined);
	try {
		return await buildStaged(options, month, staging, pool);
	} catch (error) {
		throw asBuildError(error, staging.folder);
	} finally {
		await pool.close();
		staging.close();
	}
}

async function buildStaged(
	options: BuildOptions,
	month: string,
	staging: Staging,
	pool: WorkerPool<BuilderTasks>,
): Promise<BuildReport> {
	const watch = new StageWatch(options.onProgress);
	const rejectFile = join(options.dataFolder, "rejects", `${month}.csv`);
	mkdirSync(dirname(rejectFile), { recursive: true });
	watch.begin("parse");
	const parsed = await parseMonth({
		files: options.files,
		maps: options.maps,
		dateFormat: options.dateFormat ?? undefined,
		rejectFile,
		chunkBytes: options.chunkBytes,
		pool,
		onProgress: (progress) => options.onProgress?.({ stage: "parse", ...progress }),
	});
	const failures = judgeParsed(parsed);
	refuse(failures, options.accept);
	const catalog = await compileMonth(parsed, {
		month,
		folder: staging.folder,
		rowStore: options.rowStore,
		run: (kind, input) => pool.run(kind, input),
		onStage: (stage) => watch.begin(stage),
	});
	watch.begin("publish");
	if (!options.dryRun) staging.publish(manifestOf(month, parsed, failures, options.now()));
	return {
		month,
		rows: parsed.rows,
		published: !options.dryRun,
		sources: parsed.sources,
		rejects: parsed.rejects,
		rejectFile,
		oddities: parsed.oddities,
		accepted: failures,
		states: catalog.states,
		bytes: catalog.files.reduce((sum, file) => sum + file.bytes, 0),
		seconds: watch.end(),
	};
}

/** Throws for the failures that were not accepted. */
function refuse(failures: readonly GateFailure[], accept: ReadonlySet<GateName>): void {
	const refused = failures.filter((failure) => !accept.has(failure.gate));
	if (refused.length === 0) return;
	const what = refused.map((failure) => `gate ${failure.gate}: ${failure.finding}`).join("; ");
	const names = refused.map((failure) => failure.gate).join(",");
	throw new BuildError("gate_failed", `nothing published: ${what}; --accept ${names} publishes all the same`);
}

function manifestOf(
	month: string,
	parsed: ParsedMonth,
	accepted: readonly GateFailure[],
	now: Date,
): Manifest {
	return {
		month,
		rows: parsed.rows,
		built_at: now.toISOString(),
		built_by: userInfo().username,
		sources: parsed.sources.map((source) => ({ ...source })),
		rejects: parsed.rejects.rows,
		accepted: accepted.map((failure) => ({ ...failure })),
	};
}

/** The month that the files' names agree on. */
function monthOfFiles(files: readonly string[]): string {
	const months = new Set<string>();
	for (const file of files) {
		const match = /\d{4}-(?:0[1-9]|1[0-2])(?!\d)/.exec(basename(file));
		if (match !== null) months.add(match[0]);
	}
	if (months.size === 1) return [...months][0];
	const found =
		months.size === 0 ? "no file's name has one" : `the files' names say ${[...months].join(" and ")}`;
	throw new BuildError("bad_month", `--month YYYY-MM is needed: ${found}`);
}

function asBuildError(error: unknown, folder: string): unknown {
	if (error instanceof BuildError || error instanceof FormatError) return error;
	const { code } = error as NodeJS.ErrnoException;
	if (code === "ENOSPC" || code === "EDQUOT" || code === "EIO" || code === "EROFS") {
		return new BuildError("unwritable_file", systemErrorText(error), { file: folder });
	}
	return error;
}

/** Times the stages as they begin. */
class StageWatch {
	private readonly seconds: Record<string, number> = {};
	private current: BuildStage | null = null;
	private since = 0;

	constructor(private readonly onProgress?: (progress: BuildProgress) => void) {}

	begin(stage: BuildStage): void {
		this.end();
		this.current = stage;
		this.since = performance.now();
		this.onProgress?.({ stage });
	}

	/** Ends the current stage; gives the seconds of all so far. */
	end(): Readonly<Record<string, number>> {
		if (this.current !== null) this.seconds[this.current] = (performance.now() - this.since) / 1000;
		this.current = null;
		return this.seconds;
	}
}
