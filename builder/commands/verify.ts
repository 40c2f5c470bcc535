/** `builder verify`: checks every byte of published months against checksums, and derived sections against the columns. */

import { Command } from "commander";
import { FormatError, readManifest, type SnapshotFiles } from "../../formats/index.js";
import { printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { openPool, ROW_BYTES } from "../open-pool.js";
import { openPublished, publishedMonths } from "../published-months.js";
import type { BuilderTasks } from "../tasks.js";
import { derivedParts } from "../verify/verify-derived.js";
import { type VerifyReport, verifyChecksums, verifyParts } from "../verify/verify-snapshot.js";
import type { TaskPool } from "../workers/task-pool.js";
import { MonthFindings } from "./damaged-months.js";
import { monthNames } from "./month-arguments.js";
import { THREADS_HELP, threadCount } from "./threads.js";

export function verifyCommand(): Command {
	return new Command("verify")
		.description(
			"read every byte of published months, compare checksums, and check indexes, statistics, stored rows, changes and exports",
		)
		.argument("[months...]", "months to verify; by default all", monthNames)
		.requiredOption("--data <dir>", "data folder")
		.option("--threads <n>", THREADS_HELP, threadCount)
		.option("--json", "print one JSON document", false)
		.action(verify);
}

interface Flags {
	readonly data: string;
	readonly threads?: number;
	readonly json: boolean;
}

async function verify(months: string[], flags: Flags): Promise<void> {
	const published = publishedMonths(flags.data);
	const chosen = months.length > 0 ? months : published;
	if (chosen.length === 0)
		throw new BuildError("not_published", `no month is published in ${flags.data}; nothing was verified`);
	// A month that is not there is a mistake in the command, not damage.
	const unknown = chosen.find((month) => !published.includes(month));
	if (unknown !== undefined)
		throw new BuildError("not_published", `${unknown} is not published in ${flags.data}`);
	const rows = chosen.reduce((sum, month) => sum + (openOrNull(flags.data, month)?.catalog.rows ?? 0), 0);
	const pool = openPool(flags.threads ?? null, ROW_BYTES * rows);
	const findings = new MonthFindings<VerifyReport & { month: string }>();
	try {
		for (const month of chosen) {
			await findings.add(month, async () => {
				const report = await verifyMonth(flags.data, month, pool);
				if (!flags.json) process.stdout.write(reportText(month, report));
				return { month, ...report };
			});
		}
	} finally {
		await pool.close();
	}
	findings.throwFaults("verified");
	if (flags.json) printJson(findings.found);
}

function reportText(month: string, report: VerifyReport): string {
	const sound = `${month}: ${report.sections} sections of ${report.rows} rows are sound\n`;
	return report.row_store_outdated ? sound + outdated(month) : sound;
}

function outdated(month: string): string {
	return `${month}: rows stored by an earlier version are not used; \`builder rows add ${month}\` stores them anew\n`;
}

async function verifyMonth(data: string, month: string, pool: TaskPool<BuilderTasks>): Promise<VerifyReport> {
	const files = openPublished(data, month);
	// A month may lack one, which `list` tells, but not have one that cannot be read.
	readManifest(data, month);
	const report = verifyChecksums(files);
	const before = publishedMonths(data).find((other) => other < month);
	const derived = derivedParts(data, files, before === undefined ? null : openOrNull(data, before));
	await Promise.all([
		...verifyParts(files).map((part) => pool.run("verify-part", { folder: files.folder, part })),
		...derived.map((part) => pool.run("verify-derived", part)),
	]);
	return report;
}

/** A month that does not open is found when it is verified itself. */
function openOrNull(data: string, month: string): SnapshotFiles | null {
	try {
		return openPublished(data, month);
	} catch (error) {
		if (error instanceof FormatError || error instanceof BuildError) return null;
		throw error;
	}
}
