/** A real S3-compatible store for tests: OpenStack Swift from Debian's python3-swift (deploy/swift/start.sh). */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.js";

const START = fileURLToPath(new URL("../../../deploy/swift/start.sh", import.meta.url));
const PYTHON = "/usr/bin/python3";

/** Ends with 0 where the modules are installed; to import them takes half a second. */
const FIND =
	"import sys; from importlib.util import find_spec as f; sys.exit(not (f('swift') and f('eventlet')))";

/** Why no store can be started here; false: one can. For a test's `skip`. */
export const SWIFT_MISSING: string | false =
	spawnSync(PYTHON, ["-c", FIND]).status === 0
		? false
		: "needs an object store: apt-get install python3-swift";

export interface SwiftStore {
	/** Where it keeps everything. */
	readonly folder: string;
	/** What programs find the store by, for their environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** `s3://BUCKET/PREFIX` of a prefix of the store. */
	url(prefix: string): string;
	/** Stops and continues the store's frontend: requests then wait, as they do for a store that hangs. */
	pause(): void;
	resume(): void;
	close(): Promise<void>;
}

/** Starts a store. `faithful`: whether it judges conditional writes, as S3 does. */
export async function startSwift(faithful = true): Promise<SwiftStore> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-swift-"));
	const port = await freePort(4);
	const child = spawn(START, [folder, String(port)], {
		// Its standard input ends with this process, whatever ends that: a group of its own is not ended with it.
		env: { ...process.env, S3_FAITHFUL: faithful ? "1" : "0", S3_UNTIL_EOF: "1" },
		stdio: ["pipe", "pipe", "pipe"],
		detached: true,
	});
	const settings = await settingsOf(child);
	return {
		folder,
		environment: {
			AWS_ENDPOINT_URL: settings.get("S3_ENDPOINT") as string,
			AWS_REGION: settings.get("S3_REGION") as string,
			AWS_ACCESS_KEY_ID: settings.get("S3_ACCESS_KEY") as string,
			AWS_SECRET_ACCESS_KEY: settings.get("S3_SECRET_KEY") as string,
		},
		url: (prefix) => `s3://${settings.get("S3_BUCKET")}/${prefix}`,
		pause: () => void process.kill(-(child.pid as number), "SIGSTOP"),
		resume: () => void process.kill(-(child.pid as number), "SIGCONT"),
		async close() {
			const closed = new Promise((resolve) => child.once("close", resolve));
			child.kill("SIGTERM");
			await closed;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

function settingsOf(child: ChildProcess): Promise<Map<string, string>> {
	return new Promise((resolve, reject) => {
		let output = "";
		let errors = "";
		child.stderr?.on("data", (chunk) => {
			errors += chunk;
		});
		child.stdout?.on("data", (chunk) => {
			output += chunk;
			if (!output.includes("S3_READY=1")) return;
			resolve(
				new Map(
					output
						.trim()
						.split("\n")
						.map((line) => line.split(/=(.*)/s, 2) as [string, string]),
				),
			);
		});
		child.once("close", (code) => reject(new Error(`the store ended with ${code}: ${errors}`)));
	});
}
