/**
 * All that a run of the soak starts and writes, ended and removed at once whatever state it is in: a host or a store
 * that an event has stopped by SIGSTOP takes no signal but SIGKILL, and what waits for it never returns.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endDescendants, markedEnvironment } from "../../reporting/started-processes.js";

export class RunScope {
	/** Where folders were made before. */
	readonly outside = tmpdir();
	readonly #folder = mkdtempSync(join(tmpdir(), "rollcall-hosts-"));
	readonly #mark = crypto.randomUUID();

	/** From now on this process makes its folders in one of its own, and what it starts is marked. */
	constructor() {
		Object.assign(process.env, markedEnvironment(process.env, this.#mark), { TMPDIR: this.#folder });
	}

	/** Blocks until all has ended. What goes on in this process fails from here on, so it must end. */
	end(): void {
		endDescendants(this.#mark);
		rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
	}
}
