/** What shows a build's progress. */

import type { BuildProgress } from "../build/build-progress.js";

export interface ProgressView {
	readonly show: (progress: BuildProgress) => void;
	/** Ends the live line, so that later output starts on a new line. */
	readonly stop: () => void;
}
