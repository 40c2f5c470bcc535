/**
 * Keeps a build's report beside the months: as JSON, as a page to open in a browser, and as Markdown; and its reject
 * files.
 *
 * A build writes all of them under names of their own, `2026-11.unpublished.html`, and renames them when its month is
 * published or held. So a refused build and a dry run leave those of the published month as they are.
 */

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildReport } from "./build-report.js";
import { reportMarkdown } from "./report-markdown.js";
import { reportPage } from "./report-page.js";

export interface ReportFiles {
	/** Path of the report as JSON. */
	readonly reportFile: string;
	/** Path of the report as one self-contained HTML page. */
	readonly reportPage: string;
	/** Path of the report as Markdown, for a chat or an issue. */
	readonly reportMarkdown: string;
}

export interface RejectFiles {
	/** Rejected rows of the drop. */
	readonly drop: string;
	/** Rejected rows of the contacts files. */
	readonly contacts: string;
}

/** Whether the files are those of a month that is published or held, or of a build that is not, or not yet. */
export type FilesOf = "month" | "unpublished";

/** Paths of the reject files of a build. */
export function rejectFiles(dataFolder: string, month: string, of: FilesOf): RejectFiles {
	const path = (name: string) => join(dataFolder, "rejects", `${name}${suffixOf(of)}.csv`);
	return { drop: path(month), contacts: path(`${month}-contacts`) };
}

function reportFiles(dataFolder: string, month: string, of: FilesOf): ReportFiles {
	const path = (extension: string) => join(dataFolder, "reports", `${month}${suffixOf(of)}.${extension}`);
	return { reportFile: path("json"), reportPage: path("html"), reportMarkdown: path("md") };
}

function suffixOf(of: FilesOf): string {
	return of === "month" ? "" : ".unpublished";
}

/** Makes the folder of the reject files and removes those of an earlier build that was not published. */
export function clearRejects(dataFolder: string, month: string): void {
	mkdirSync(join(dataFolder, "rejects"), { recursive: true });
	for (const file of Object.values(rejectFiles(dataFolder, month, "unpublished")))
		rmSync(file, { force: true });
}

/**
 * Writes the three files of a report under the names of a build that is not published, over those of an earlier one.
 * Returns the paths that they have once the build has ended.
 */
export function writeReport(dataFolder: string, report: BuildReport): ReportFiles {
	mkdirSync(join(dataFolder, "reports"), { recursive: true });
	const files = reportFiles(dataFolder, report.month, "unpublished");
	writeFileSync(files.reportFile, `${JSON.stringify(report, null, "\t")}\n`);
	writeFileSync(files.reportPage, reportPage(report));
	writeFileSync(files.reportMarkdown, reportMarkdown(report));
	return reportFiles(dataFolder, report.month, report.published || report.held ? "month" : "unpublished");
}

/** Renames the report and the reject files of a build to those of its month, in place of an earlier build's. */
export function keepFiles(dataFolder: string, month: string): void {
	const pathsOf = (of: FilesOf): string[] => [
		...Object.values(reportFiles(dataFolder, month, of)),
		...Object.values(rejectFiles(dataFolder, month, of)),
	];
	const kept = pathsOf("month");
	for (const [i, file] of pathsOf("unpublished").entries()) {
		if (existsSync(file)) renameSync(file, kept[i]);
		else rmSync(kept[i], { force: true });
	}
}
