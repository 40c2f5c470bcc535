/**
 * Reloads the months of one thread between requests: what takes long of it is done ahead, a slice at a time, while other
 * events are handled. Answers change in one step, as they do without, and at the next look after that, so that threads
 * that look at the same moments change at one of them, however long each has prepared.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Library } from "../../engine/index.js";

type Preparation = ReturnType<Library["prepareReload"]>;

export class Reloading {
	private preparing = false;

	/** `reload` follows each preparation, also one that fails. */
	constructor(
		private readonly library: Pick<Library, "prepareReload">,
		private readonly reload: () => void,
		private readonly onFault: (error: unknown) => void,
		private readonly isOver: () => boolean,
	) {}

	/** Whether it prepares what the next look is to reload. */
	get isPreparing(): boolean {
		return this.preparing;
	}

	/** Looks for what was published: prepares it if that is still to be done, otherwise reloads. */
	look(): void {
		if (this.preparing) return;
		const work = this.library.prepareReload();
		try {
			const { done, value } = work.next();
			if (done === true) this.reload();
			else void this.prepare(work, value);
		} catch (error) {
			this.onFault(error);
			this.reload();
		}
	}

	/** Does the rest of the work, which has yielded `wait`. */
	private async prepare(work: Preparation, wait: Promise<void> | undefined): Promise<void> {
		this.preparing = true;
		try {
			await wait;
			for (const next of work) {
				await next;
				await nextTurn();
				if (this.isOver()) break;
			}
		} catch (error) {
			this.onFault(error);
			if (!this.isOver()) this.reload();
		} finally {
			this.preparing = false;
		}
	}
}
