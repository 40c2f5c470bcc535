/** The benchmark's handle on the server and its twin: a process of its own, pinned to one core. */

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { COLUMNS } from "../../formats/index.js";
import type { Scope, Tier } from "../../server/keys/key.js";
import { createKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { withHelperThreads } from "../../server/supervisor/helper-threads.js";
import { ownChild } from "../processes/own-children.js";
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
	/** Whether it counts requests for metrics, on a port of their own; absent: it does not. */
	readonly metrics?: true;
}

export class TwinProcess {
	port = 0;
	twinPort = 0;
	/** Of the metrics; 0 without them. */
	adminPort = 0;

	private constructor(
		private readonly child: ChildProcess,
		/** Contains the keys, links to the months, and whatever else a run writes. */
		readonly scratch: string,
		/** Value of `Authorization` for a key without limits. */
		readonly authorization: string,
		/** The same for keys of other grants. */
		readonly others: OtherKeys,
	) {}

	/** Starts the process over a scratch data folder, with the months linked into it. */
	static async start({ dataFolder, workers, pin, metrics }: TwinProcessOptions): Promise<TwinProcess> {
		const scratch = mkdtempSync(join(tmpdir(), "rollcall-bench-"));
		const served = join(scratch, "data");
		mkdirSync(served);
		for (const name of ["snapshots", "manifests"]) {
			symlinkSync(resolve(dataFolder, name), join(served, name));
		}
		const authorization = `Bearer ${await limitlessKey(served)}`;
		const others = await otherKeys(served);
		const command = pinned(pin ? SERVER_CORE : null, [
			process.execPath,
			...withHelperThreads([]),
			SERVER,
			served,
			String(workers),
			metrics === true ? "metrics" : "none",
		]);
		const stdio: StdioOptions = ["ignore", "inherit", "inherit", "ipc"];
		const child = ownChild(spawn(command[0], command.slice(1), { stdio }));
		const twin = new TwinProcess(child, scratch, authorization, others);
		const ready = await twin.reply("ready");
		twin.port = ready.port;
		twin.twinPort = ready.twinPort;
		twin.adminPort = ready.adminPort;
		return twin;
	}

	/** Makes the twin hold the subject's bodies of `paths`. Resolves to their bytes. */
	async hold(paths: readonly string[]): Promise<number> {
		this.order({ kind: "hold", paths: [...paths], authorization: this.authorization });
		return (await this.reply("held")).bytes;
	}

	/** Mean bytes of the subject's bodies of `paths`, as they are sent. Throws if any answer is an error. */
	async meanBytes(paths: readonly string[], headers: Readonly<Record<string, string>>): Promise<number> {
		let bytes = 0;
		for (const path of paths) {
			const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { headers });
			const body = await answer.text();
			if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${body}`);
			bytes += Number(answer.headers.get("content-length"));
		}
		return Math.round(bytes / Math.max(1, paths.length));
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

/** Values of `Authorization`. */
export interface OtherKeys {
	/** Contacts are masked. */
	readonly masked: readonly string[];
	/** Some columns, and a geography, which has all states so that every question is answered. */
	readonly narrowed: readonly string[];
	/** Ten keys of one grant. */
	readonly ten: readonly string[];
}

const REQUESTS = 1_000_000_000;
const WHOLE: Scope = { geography: null, columns: null, history: { mode: "all" } };
/** Countries with all their states, and the columns of the default row but for addresses and contacts. */
const NARROWED: Scope = {
	...WHOLE,
	geography: { countries: ["US", "CA"], states: [] },
	columns: COLUMNS.filter((column) => !column.contact && column.name !== "member_address").map((c) => c.name),
};

/** Makes a key whose limits no benchmark reaches; returns its text. */
async function limitlessKey(dataFolder: string): Promise<string> {
	const [text] = await limitlessKeys(dataFolder, [{ tier: "enterprise", scope: WHOLE }]);
	return text;
}

async function otherKeys(dataFolder: string): Promise<OtherKeys> {
	const [masked, narrowed, ...ten] = await limitlessKeys(dataFolder, [
		{ tier: "trial", scope: WHOLE },
		{ tier: "enterprise", scope: NARROWED },
		...Array.from({ length: 10 }, () => ({ tier: "enterprise" as const, scope: WHOLE })),
	]);
	const header = (text: string) => `Bearer ${text}`;
	return { masked: [header(masked)], narrowed: [header(narrowed)], ten: ten.map(header) };
}

/** Makes keys whose limits no benchmark reaches; returns their texts. */
async function limitlessKeys(
	dataFolder: string,
	wanted: readonly { readonly tier: Tier; readonly scope: Scope }[],
): Promise<string[]> {
	const store = Store.open({ dataFolder, create: true });
	const texts: string[] = [];
	for (const { tier, scope } of wanted) {
		const limits = { per_minute: REQUESTS };
		const rate_limits = tier === "trial" ? { ...limits, per_day: REQUESTS, monthly_quota: REQUESTS } : limits;
		const request = { tier, name: "bench", scope, rate_limits };
		texts.push((await createKey(store, request, { by: "bench", nowMs: Date.now() })).text);
	}
	await store.close();
	return texts;
}
