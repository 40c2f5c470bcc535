/** Keeps a build's report beside the months: as JSON, as a page to open in a browser, and as Markdown. */

import { mkdirSync, writeFileSync } from "node:fs";
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

/** Writes the three files under `reports/`, over those of an earlier build of the month. */
export function writeReport(dataFolder: string, report: BuildReport): ReportFiles {
	const folder = join(dataFolder, "reports");
	mkdirSync(folder, { recursive: true });
	const files = {
		reportFile: join(folder, `${report.month}.json`),
		reportPage: join(folder, `${report.month}.html`),
		reportMarkdown: join(folder, `${report.month}.md`),
	};
	writeFileSync(files.reportFile, `${JSON.stringify(report, null, "\t")}\n`);
	writeFileSync(files.reportPage, reportPage(report));
	writeFileSync(files.reportMarkdown, reportMarkdown(report));
	return files;
}
