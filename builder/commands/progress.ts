/**
 * Displays a build's progress: one live line on a terminal, otherwise one line per stage. Written to stderr, so
 * that stdout holds only the result.
 */

import type { ProgressView } from "./progress-view.js";

/** A view suitable for `stream`. */
export async function progressView(stream: NodeJS.WriteStream): Promise<ProgressView> {
	return stream.isTTY ? (await import("./live-progress.js")).liveView(stream) : plainView(stream);
}

/** One line as each stage begins. */
function plainView(stream: NodeJS.WritableStream): ProgressView {
	let stage = "";
	return {
		show: (progress) => {
			if (progress.stage === stage) return;
			stage = progress.stage;
			stream.write(`${stage} …\n`);
		},
		stop: () => undefined,
	};
}
