/** A build's progress as one live line on a terminal: stage, share done, bytes, rows and time left. */

import { Presets, SingleBar } from "cli-progress";
import type { BuildProgress, BuildStage } from "../build/build-progress.js";
import { formatBytes } from "../command-line.js";
import type { ProgressView } from "./progress-view.js";

/** Share of a build's time per stage, measured on a drop of 2.5 million rows; for the estimated time left. */
const STAGE_WEIGHTS: Readonly<Record<BuildStage, number>> = {
	parse: 22,
	enrich: 4,
	merge: 20,
	order: 3,
	write: 14,
	check: 1,
	judge: 1,
	rows: 39,
	publish: 1,
};

const STAGES = Object.keys(STAGE_WEIGHTS) as BuildStage[];
const BAR_STEPS = 1000;

/** A live line on `stream`, a terminal. */
export function liveView(stream: NodeJS.WriteStream): ProgressView {
	const bar = new SingleBar(
		{
			format: "{stage} {bar} {percentage}% | {detail} | ETA {eta_formatted}",
			stream,
			hideCursor: true,
			clearOnComplete: true,
			etaBuffer: 40,
		},
		Presets.shades_classic,
	);
	let startedMs = 0;
	return {
		show: (progress) => {
			if (startedMs === 0) {
				startedMs = performance.now();
				bar.start(BAR_STEPS, 0, { stage: progress.stage.padEnd(7), detail: "" });
			}
			const seconds = (performance.now() - startedMs) / 1000;
			const done = Math.round(BAR_STEPS * shareDone(progress));
			bar.update(done, { stage: progress.stage.padEnd(7), detail: detailOf(progress, seconds) });
		},
		stop: () => bar.stop(),
	};
}

/** Share of the whole build that is done, 0 to 1. */
export function shareDone(progress: BuildProgress): number {
	let before = 0;
	for (const stage of STAGES) {
		if (stage === progress.stage) break;
		before += STAGE_WEIGHTS[stage];
	}
	const total = STAGES.reduce((sum, stage) => sum + STAGE_WEIGHTS[stage], 0);
	return (before + STAGE_WEIGHTS[progress.stage] * shareOfStage(progress)) / total;
}

function shareOfStage({ tasks, done, bytes, totalBytes }: BuildProgress): number {
	if (bytes !== undefined && totalBytes != null && totalBytes > 0) return Math.min(1, bytes / totalBytes);
	return tasks === 0 ? 0 : done / tasks;
}

function detailOf({ tasks, done, bytes, totalBytes, rows }: BuildProgress, seconds: number): string {
	if (bytes === undefined || rows === undefined) return tasks === 0 ? "" : `${done} of ${tasks} tasks`;
	const of = totalBytes == null ? "" : ` of ${formatBytes(totalBytes)}`;
	const rate = Math.round(rows / Math.max(0.001, seconds));
	return `${formatBytes(bytes)}${of} | ${rows.toLocaleString("en-US")} rows, ${rate.toLocaleString("en-US")}/s`;
}
