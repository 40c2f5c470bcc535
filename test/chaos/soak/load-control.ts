/** The load generator as the soak holds it: a process that takes orders one at a time. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Allowed } from "./judge.js";
import type { LoadOptions, LoadOrder, LoadReport, LoadTotals } from "./load-messages.js";
import type { KeyClass } from "./soak-keys.js";
import type { Stretch } from "./tally.js";

const SCRIPT = fileURLToPath(new URL("./load-process.js", import.meta.url));

export interface LoadListener {
	onStretch(stretch: Stretch): void;
	onFault(what: string): void;
}

export class LoadControl {
	private allowed: Allowed;
	private answer: ((report: LoadReport) => void) | null = null;
	private refuse: ((error: Error) => void) | null = null;

	private constructor(
		private readonly child: ChildProcess,
		options: LoadOptions,
		listener: LoadListener,
	) {
		this.allowed = options.allowed;
		child.on("message", (report: LoadReport) => {
			if (report.kind === "stretch") listener.onStretch(report.stretch);
			else if (report.kind === "fault") listener.onFault(report.what);
			else this.answer?.(report);
		});
		child.once("exit", (code, signal) =>
			this.refuse?.(new Error(`the load generator ended: ${code ?? signal}`)),
		);
	}

	/** Resolves when it has questions to ask. */
	static async start(options: LoadOptions, listener: LoadListener): Promise<LoadControl> {
		// Away from the terminal's signals; it ends with the channel.
		const child = fork(SCRIPT, [], { detached: true });
		const control = new LoadControl(child, options, listener);
		await control.order({ kind: "start", options });
		return control;
	}

	async measure(seconds: number): Promise<number> {
		const report = await this.order({ kind: "measure", seconds });
		return report.kind === "measured" ? report.perSecond : 0;
	}

	async offer(perSecond: number): Promise<void> {
		await this.order({ kind: "offer", perSecond });
	}

	/** Changes which outcomes are allowed. Resolves when the change is in effect. */
	async allow(change: Partial<Allowed>): Promise<void> {
		this.allowed = { ...this.allowed, ...change };
		await this.order({ kind: "allow", allowed: this.allowed });
	}

	async text(key: KeyClass, text: string): Promise<void> {
		await this.order({ kind: "text", key, text });
	}

	async killed(atMs: number): Promise<void> {
		await this.order({ kind: "killed", atMs });
	}

	/** Waits for what is under way. */
	async stop(): Promise<LoadTotals> {
		const exited = once(this.child, "exit");
		const report = await this.order({ kind: "stop" });
		this.refuse = null;
		await exited;
		if (report.kind !== "totals") throw new Error(`the load generator told ${report.kind} at the end`);
		return report.totals;
	}

	/** Ends it at once. */
	abort(): void {
		this.refuse = null;
		this.child.kill("SIGKILL");
	}

	private order(order: LoadOrder): Promise<LoadReport> {
		return new Promise((resolve, reject) => {
			this.answer = resolve;
			this.refuse = reject;
			this.child.send(order);
		});
	}
}
