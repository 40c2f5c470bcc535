/**
 * Reloads the months of one thread between requests: what takes long of it is done ahead, a slice at a time, while other
 * events are handled. Answers change in one step, as they do without, and at the next look after that, so that threads
 * that look at the same moments change at one of them, however long each has prepared.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Library } from "../../engine/index.js";

/** Looks that a preparation may take: under a load whose turns are long, the reload does the rest at once. */
const PREPARED_LOOKS_MAX = 3;

type Preparation = ReturnType<Library["prepareReload"]>;

export class Reloading {
	private preparing = false;
	/** Looks since the preparation began. */
	private looks = 0;

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
		if (this.preparing) {
			this.looks++;
			if (this.looks === PREPARED_LOOKS_MAX) this.reload();
			return;
		}
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
		this.looks = 0;
		try {
			await wait;
			for (const next of work) {
				await next;
				await nextTurn();
				if (this.isOver() || this.looks >= PREPARED_LOOKS_MAX) break;
			}
		} catch (error) {
			this.onFault(error);
			if (!this.isOver()) this.reload();
		} finally {
			this.preparing = false;
		}
	}
}
