/**
 * Reloads the months of one thread between requests: what takes long of it is done ahead, a slice at a time, while other
 * events are handled. Answers change in one step, as they do without.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Library } from "../../engine/index.js";

export class Reloading {
	private isPreparing = false;

	/** `reload` follows each preparation, also one that fails. */
	constructor(
		private readonly library: Pick<Library, "prepareReload">,
		private readonly reload: () => void,
		private readonly onFault: (error: unknown) => void,
		private readonly isOver: () => boolean,
	) {}

	/** Begins, unless it has; if nothing is to be prepared, reloads at once. */
	begin(): void {
		if (this.isPreparing) return;
		this.isPreparing = true;
		const work = this.library.prepareReload();
		if (this.advance(work)) this.end();
		else void this.finish(work);
	}

	private async finish(work: Iterator<undefined>): Promise<void> {
		do await nextTurn();
		while (!this.isOver() && !this.advance(work));
		this.end();
	}

	/** Does one slice. Returns whether it was the last. */
	private advance(work: Iterator<undefined>): boolean {
		try {
			return work.next().done === true;
		} catch (error) {
			this.onFault(error);
			return true;
		}
	}

	private end(): void {
		this.isPreparing = false;
		if (!this.isOver()) this.reload();
	}
}
