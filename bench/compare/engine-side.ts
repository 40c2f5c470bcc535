/** The comparison's handle on the process of one side. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ownChild } from "../processes/own-children.js";
import type { SideOrder, SideReply } from "./side-messages.js";
import type { SideText } from "./side-text.js";

const PROCESS = fileURLToPath(new URL("./side-process.js", import.meta.url));

/** A side whose checkout is compiled and whose month is there. */
export interface ReadySide extends SideText {
	readonly folder: string;
	readonly data: string;
}

/** The engine of a side refused a question. */
export class SideRefused extends Error {
	constructor(side: string, message: string) {
		super(`${side}: ${message}`);
		this.name = "SideRefused";
	}
}

type Reply<Kind extends SideReply["kind"]> = Extract<SideReply, { kind: Kind }>;

export class EngineSide {
	private constructor(
		private readonly text: string,
		private readonly child: ChildProcess,
		readonly ready: Reply<"ready">,
	) {}

	/** Starts the process; resolves once it has opened the month. Rejects where it ends instead. */
	static async start({ text, folder, data, node, nodeFlags, environment }: ReadySide): Promise<EngineSide> {
		const child = fork(PROCESS, [folder, data], {
			execPath: node,
			execArgv: [...nodeFlags],
			env: { ...process.env, ...environment },
			// Its output, if any, must not mix with the document on stdout.
			stdio: ["ignore", 2, 2, "ipc"],
		});
		return new EngineSide(text, ownChild(child), await reply(text, child, "ready"));
	}

	/** Sends an order; resolves to the reply of the kind expected. Rejects with SideRefused where the engine throws. */
	ask<Kind extends SideReply["kind"]>(order: SideOrder, expected: Kind): Promise<Reply<Kind>> {
		const answered = reply(this.text, this.child, expected);
		this.child.send(order);
		return answered;
	}

	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, "exit");
		this.child.disconnect();
		await ended;
	}
}

function reply<Kind extends SideReply["kind"]>(
	text: string,
	child: ChildProcess,
	expected: Kind,
): Promise<Reply<Kind>> {
	return new Promise((resolve, reject) => {
		const onExit = (code: number | null) => reject(new Error(`${text}: its process ended with code ${code}`));
		child.once("exit", onExit);
		child.once("error", reject);
		child.once("message", (message: SideReply) => {
			child.off("exit", onExit);
			child.off("error", reject);
			if (message.kind === expected) resolve(message as Reply<Kind>);
			else if (message.kind === "failed") reject(new SideRefused(text, message.message));
			else reject(new Error(`${text}: expected ${expected}, got ${message.kind}`));
		});
	});
}
