/** Stores a build's report beside the months, as JSON and as an HTML page. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildReport } from "./build-report.js";
import { reportPage } from "./report-page.js";

export interface ReportFiles {
	/** Path of the report as JSON. */
	readonly reportFile: string;
	/** Path of the report as one self-contained HTML page. */
	readonly reportPage: string;
}

/** Writes `reports/MONTH.json` and `reports/MONTH.html`, over those of an earlier build of the month. */
export function writeReport(dataFolder: string, report: BuildReport): ReportFiles {
	const folder = join(dataFolder, "reports");
	mkdirSync(folder, { recursive: true });
	const files = {
		reportFile: join(folder, `${report.month}.json`),
		reportPage: join(folder, `${report.month}.html`),
	};
	writeFileSync(files.reportFile, `${JSON.stringify(report, null, "\t")}\n`);
	writeFileSync(files.reportPage, reportPage(report));
	return files;
}
