/** Logs what failed in getting months, each thing once until it succeeds or fails for another reason. */

import { ObjectStoreError } from "../../formats/object-store/index.js";
import type { Log } from "../log.js";

export class FaultLog {
	/** The message logged last of each thing that has not succeeded since. */
	private readonly messages = new Map<string, string>();

	/** Once `closing` is aborted, failures are no news. */
	constructor(
		private readonly log: Log,
		private readonly closing: AbortSignal,
	) {}

	failed(what: string, error: unknown): void {
		if (this.closing.aborted) return;
		const message = error instanceof Error ? error.message : String(error);
		if (this.messages.get(what) === message) return;
		this.messages.set(what, message);
		if (error instanceof ObjectStoreError) this.log.warn({ code: error.code }, message);
		else this.log.error({ err: error }, "getting months from the object store failed");
	}

	succeeded(what: string): void {
		this.messages.delete(what);
	}

	/** Does `what`, and logs a failure. */
	attempt(what: string, act: () => void): void {
		try {
			act();
			this.succeeded(what);
		} catch (error) {
			this.failed(what, error);
		}
	}
}
