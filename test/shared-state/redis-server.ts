/** A real Redis for tests, in a folder and on a port of its own. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSharedAddress } from "../../server/shared-state/address.js";
import { RedisLink } from "../../server/shared-state/redis.js";
import type { Reply } from "../../server/shared-state/script.js";
import { freePort } from "../free-port.js";

/** Why no Redis can be started here; false: one can. For a test's `skip`. */
export const REDIS_MISSING: string | false =
	spawnSync("redis-server", ["--version"]).status === 0 ? false : "needs Redis: apt-get install redis-server";

export class RedisServer {
	readonly folder = mkdtempSync(join(tmpdir(), "rollcall-redis-"));
	#child: ChildProcess | null = null;
	#link: RedisLink | null = null;

	private constructor(
		readonly port: number,
		private readonly settings: readonly string[],
	) {}

	/** Starts one; `settings` are as on its command line. */
	static async start(...settings: string[]): Promise<RedisServer> {
		for (let attempt = 0; ; attempt++) {
			const port = await freePort();
			const server = new RedisServer(port, settings);
			try {
				await server.run();
				return server;
			} catch (error) {
				await server.close();
				if (attempt === 5) throw error;
			}
		}
	}

	get url(): string {
		return `redis://127.0.0.1:${this.port}`;
	}

	/** Starts it again on its port, with nothing unless it saved something; `file` has further settings. */
	async run(...file: string[]): Promise<void> {
		const fixed = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.folder, "--save", ""];
		const child = spawn("redis-server", [...file, ...fixed, "--appendonly", "no", ...this.settings], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		this.#child = child;
		let output = "";
		await new Promise<void>((resolve, reject) => {
			child.stdout.setEncoding("utf8").on("data", (text: string) => {
				output += text;
				if (output.includes("Ready to accept connections")) resolve();
			});
			child.once("exit", (code) => reject(new Error(`redis-server ended with ${code}: ${output}`)));
			child.once("error", reject);
		});
	}

	/** Ends it without saving anything. */
	async kill(): Promise<void> {
		const child = this.#child;
		if (child === null || child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, "exit");
		child.kill("SIGKILL");
		await ended;
	}

	/** Stops it from answering, connections stay. */
	pause(): void {
		this.#child?.kill("SIGSTOP");
	}

	resume(): void {
		this.#child?.kill("SIGCONT");
	}

	/** Runs one command over a connection of the test's own. */
	async call(command: string, ...values: (string | number)[]): Promise<Reply> {
		if (this.#link === null || !this.#link.connected) {
			this.#link?.close();
			this.#link = new RedisLink({ address: parseSharedAddress(this.url), name: "test" });
			await this.#link.open();
		}
		return this.#link.call(command, ...values);
	}

	/** Commands that it has run so far, those of this connection left out. */
	async commands(): Promise<Map<string, number>> {
		const text = String(await this.call("INFO", "commandstats"));
		const found = text.matchAll(/cmdstat_(\S+):calls=(\d+)/g);
		return new Map([...found].map(([, name, calls]) => [name, Number(calls)]));
	}

	async close(): Promise<void> {
		this.#link?.close();
		this.resume();
		await this.kill();
		rmSync(this.folder, { recursive: true, force: true });
	}
}
