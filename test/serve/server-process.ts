/** A whole server in a process of its own, as an operator starts it, over a scratch data folder. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Scope } from "../../server/keys/key.js";
import { createKey } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";

const MAIN = fileURLToPath(new URL("../../server/main.js", import.meta.url));

export interface LogLine {
	readonly msg: string;
	readonly [field: string]: unknown;
}

export interface Reply {
	readonly status: number;
	readonly body: string;
}

export class ServerProcess {
	port = 0;
	/** Of the process that serves; `child` is its supervisor. */
	servingPid = 0;
	readonly lines: LogLine[] = [];
	/** What it wrote to stderr. */
	errors = "";
	/** Resolves to its exit code or the signal that ended it, when all that it wrote has been read. */
	readonly ended: Promise<number | NodeJS.Signals>;

	private constructor(readonly child: ChildProcess) {
		this.ended = new Promise((resolve) => {
			child.once("close", (code, signal) => resolve(code ?? (signal as NodeJS.Signals)));
		});
	}

	/** Starts `server start` on a free port; it ends with the test at the latest. */
	static start(
		t: Pick<TestContext, "after">,
		dataFolder: string,
		...flags: string[]
	): Promise<ServerProcess> {
		return ServerProcess.startOf(t, MAIN, dataFolder, ...flags);
	}

	/** {@link start} of the program `main`. */
	static startOf(
		t: Pick<TestContext, "after">,
		main: string,
		dataFolder: string,
		...flags: string[]
	): Promise<ServerProcess> {
		const args = [main, "start", "--data", dataFolder, "--port", "0", ...flags];
		return ServerProcess.launch(t, process.execPath, args);
	}

	/** {@link start} with a limit of `descriptors` open files. */
	static startLimited(
		t: Pick<TestContext, "after">,
		descriptors: number,
		dataFolder: string,
		...flags: string[]
	): Promise<ServerProcess> {
		const server = [process.execPath, MAIN, "start", "--data", dataFolder, "--port", "0", ...flags];
		return ServerProcess.launch(t, "sh", ["-c", `ulimit -n ${descriptors}; exec "$@"`, "sh", ...server]);
	}

	private static async launch(
		t: Pick<TestContext, "after">,
		program: string,
		args: readonly string[],
	): Promise<ServerProcess> {
		const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
		t.after(() => child.kill("SIGKILL"));
		const server = new ServerProcess(child);
		child.stderr?.setEncoding("utf8").on("data", (text: string) => {
			server.errors += text;
			process.stderr.write(text);
		});
		let rest = "";
		const listening = new Promise<LogLine>((resolve, reject) => {
			child.once("exit", (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
			child.stdout?.setEncoding("utf8").on("data", (text: string) => {
				const lines = (rest + text).split("\n");
				rest = lines.pop() ?? "";
				for (const line of lines) {
					const parsed = JSON.parse(line) as LogLine;
					server.lines.push(parsed);
					if (parsed.msg === "listening") resolve(parsed);
				}
			});
		});
		const { port, serving_pid } = await listening;
		server.port = Number(port);
		server.servingPid = Number(serving_pid);
		return server;
	}

	/** Sends a signal and waits for the end. Resolves to the exit code; null: ended by the signal. */
	async end(signal: NodeJS.Signals): Promise<number | null> {
		this.child.kill(signal);
		const how = await this.ended;
		return typeof how === "number" ? how : null;
	}

	/** Resident memory in bytes. */
	residentBytes(): number {
		const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.servingPid}/status`, "utf8"))?.[1];
		return Number(kib) * 1024;
	}

	/** Files of `folder` that are mapped, deleted or moved ones included. */
	mapped(folder: string): string[] {
		const maps = readFileSync(`/proc/${this.servingPid}/maps`, "utf8");
		return maps.split("\n").filter((line) => line.includes(folder));
	}
}

/** Makes a key that no limit stops; `bulk`: whether it reads whole results. */
export async function limitlessKey(dataFolder: string, bulk = false): Promise<{ id: string; text: string }> {
	const store = Store.open({ dataFolder, create: true });
	const scope: Scope = { geography: null, columns: null, history: { mode: "all" }, ...(bulk && { bulk }) };
	const { record, text } = await createKey(
		store,
		{
			tier: "enterprise",
			name: "load",
			scope,
			rate_limits: { per_minute: 1_000_000_000, per_day: 1_000_000_000 },
		},
		{ by: "test", nowMs: Date.now() },
	);
	await store.close();
	return { id: record.id, text };
}

/** One client: a connection that is kept, a request at a time. */
export class Client {
	private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

	constructor(
		private readonly port: number,
		private readonly key: string,
	) {}

	/** Rejects where the connection breaks. */
	get(path: string): Promise<Reply> {
		const { port, agent } = this;
		const headers = { authorization: `Bearer ${this.key}` };
		return new Promise((resolve, reject) => {
			const sent = request({ port, host: "127.0.0.1", path, agent, headers }, (response) => {
				let body = "";
				response.setEncoding("utf8").on("data", (text: string) => {
					body += text;
				});
				response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
				response.once("error", reject);
			});
			sent.once("error", reject);
			sent.end();
		});
	}

	close(): void {
		this.agent.destroy();
	}
}

/** A client's pause between two requests: the load is steady, and leaves processor time for what happens under it. */
const PAUSE_MS = 5;

/** Runs `clients` clients that request `path` until `stop` is called; each answer goes to `onReply`. */
export function keepAsking(
	t: TestContext,
	server: { readonly port: number },
	key: string,
	clients: number,
	path: () => string,
	onReply: (reply: Reply) => void,
): { stop(): Promise<void>; readonly broken: unknown[] } {
	let asking = true;
	const failures: assert.AssertionError[] = [];
	const broken: unknown[] = [];
	t.after(() => {
		asking = false;
	});
	const running = Array.from({ length: clients }, async () => {
		const client = new Client(server.port, key);
		while (asking) {
			try {
				onReply(await client.get(path()));
				await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
			} catch (error) {
				if (error instanceof assert.AssertionError) {
					failures.push(error);
					asking = false;
				} else broken.push(error);
				await new Promise((resolve) => setTimeout(resolve, 10));
			}
		}
		client.close();
	});
	return {
		broken,
		async stop() {
			asking = false;
			await Promise.all(running);
			if (failures.length > 0) throw failures[0];
		},
	};
}
