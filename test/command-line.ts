/**
 * Command lines of the builder and the server, run in a process that other command lines of the test file have
 * run in: to start a process and load the program takes ten times what most commands take. Commands that run at
 * once run in a process each. What depends on the process itself (signals, standard input, modules loaded
 * before the program, the end of the process) is tested by spawning the program's main module.
 */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const HOST = fileURLToPath(new URL("./command-host.js", import.meta.url));

export type ProgramName = "builder" | "server";

/** What a command did. */
export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface CommandRequest {
	readonly args: readonly string[];
	/** Variables besides those of the test's process. */
	readonly environment: Readonly<Record<string, string>>;
}

const idle: Record<ProgramName, ChildProcess[]> = { builder: [], server: [] };

/** Runs `program ARGS`. Rejects if the process ends, which no command does. */
export async function runCommandLine(
	program: ProgramName,
	args: readonly string[],
	environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
	const host = idle[program].pop() ?? (await startHost(program));
	host.ref();
	host.channel?.ref();
	host.send({ args, environment } satisfies CommandRequest);
	const ended = (await messageOf(host)) as Ended;
	// An idle process ends with this one, and does not keep it.
	host.unref();
	host.channel?.unref();
	idle[program].push(host);
	return ended;
}

/** Ends the processes that wait for a command, and with them what they have mapped or open. */
export async function endCommandProcesses(): Promise<void> {
	const hosts = Object.values(idle).flatMap((waiting) => waiting.splice(0));
	await Promise.all(
		hosts.map((host) => {
			const ended = once(host, "exit");
			host.ref();
			host.disconnect();
			return ended;
		}),
	);
}

async function startHost(program: ProgramName): Promise<ChildProcess> {
	const host = fork(HOST, [program], { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] });
	await messageOf(host);
	return host;
}

function messageOf(host: ChildProcess): Promise<unknown> {
	return new Promise((resolve, reject) => {
		const ended = (code: number | null) => reject(new Error(`a command ended its process with ${code}`));
		host.once("exit", ended).once("message", (message) => {
			host.off("exit", ended);
			resolve(message);
		});
	});
}
