/**
 * Displays a build's progress: one live line on a terminal, written to stderr, so that stdout holds only the result.
 * Elsewhere nothing: stderr then holds the one line of a failure, and the report tells how long each stage took.
 */

import type { ProgressView } from "./progress-view.js";

/** A view suitable for `stream`; null: none. */
export async function progressView(stream: NodeJS.WriteStream): Promise<ProgressView | null> {
	return stream.isTTY ? (await import("./live-progress.js")).liveView(stream) : null;
}
