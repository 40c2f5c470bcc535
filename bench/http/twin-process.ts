/** The benchmark's handle on the server and its twin: a process of its own, pinned to one core. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { pinned, SERVER_CORE } from "./load.js";
import { parseReply, type TwinOrder, type TwinReply } from "./twin-messages.js";

const SERVER = fileURLToPath(new URL("./twin-server.js", import.meta.url));

type Reply<Kind extends TwinReply["kind"]> = Extract<TwinReply, { kind: Kind }>;

export interface TwinProcessOptions {
	/** Its published months are served; nothing in it is written. */
	readonly dataFolder: string;
	readonly workers: number;
	/** Whether the whole process is pinned to one core. */
	readonly pin: boolean;
}

export class TwinProcess {
	port = 0;
	twinPort = 0;

	private constructor(
		private readonly child: ChildProcess,
		/** Contains the keys, links to the months, and whatever else a run writes. */
		readonly scratch: string,
		/** Value of `Authorization` for a key without limits. */
		readonly authorization: string,
	) {}

	/** Starts the process over a scratch data folder, with the months linked into it. */
	static async start({ dataFolder, workers, pin }: TwinProcessOptions): Promise<TwinProcess> {
		const scratch = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
		const served = join(scratch, "data");
		mkdirSync(served);
		for (const name of ["snapshots", "manifests"]) {
			symlinkSync(resolve(dataFolder, name), join(served, name));
		}
		const authorization = `Bearer ${await limitlessKey(served)}`;
		const command = pinned(pin ? SERVER_CORE : null, [process.execPath, SERVER, served, String(workers)]);
		const child = spawn(command[0], command.slice(1), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
		const twin = new TwinProcess(child, scratch, authorization);
		const ready = await twin.reply("ready");
		twin.port = ready.port;
		twin.twinPort = ready.twinPort;
		return twin;
	}

	/** Makes the twin hold the subject's bodies of `paths`. Resolves to their bytes. */
	async hold(paths: readonly string[]): Promise<number> {
		this.order({ kind: "hold", paths: [...paths], authorization: this.authorization });
		return (await this.reply("held")).bytes;
	}

	/** CPU time so far and current memory, of all its threads. */
	async usage(): Promise<Reply<"usage">> {
		this.order({ kind: "usage" });
		return this.reply("usage");
	}

	async stop(): Promise<void> {
		const ended = once(this.child, "exit");
		this.order({ kind: "stop" });
		await ended;
		rmSync(this.scratch, { recursive: true, force: true });
	}

	private order(order: TwinOrder): void {
		this.child.send(order);
	}

	private reply<Kind extends TwinReply["kind"]>(kind: Kind): Promise<Reply<Kind>> {
		return new Promise((resolve, reject) => {
			const onExit = (code: number | null) =>
				reject(new Error(`the server under test ended with code ${code}`));
			this.child.once("exit", onExit);
			this.child.once("message", (message) => {
				this.child.off("exit", onExit);
				const reply = parseReply(message);
				if (reply.kind === kind) resolve(reply as Reply<Kind>);
				else reject(new Error(`expected ${kind} of the server under test, got ${reply.kind}`));
			});
		});
	}
}

/** Makes a key whose limits no benchmark reaches; returns its text. */
export async function limitlessKey(dataFolder: string): Promise<string> {
	const store = Store.open({ dataFolder, create: true });
	const { text } = await createKey(
		store,
		{
			tier: "enterprise",
			name: "bench",
			scope: { geography: null, columns: null, history: { mode: "all" } },
			rate_limits: { per_minute: 1_000_000_000 },
		},
		{ by: "bench", nowMs: Date.now() },
	);
	await store.close();
	return text;
}
