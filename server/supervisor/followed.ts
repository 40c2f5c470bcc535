/**
 * The supervisor as the process that serves sees it: signals come from it, and without it this process
 * ends at once. Where no supervisor is followed, signals are this process's own.
 */

import type { ListeningMessage, StopMessage } from "./messages.js";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

let asked: Promise<NodeJS.Signals> | null = null;
let followed = false;

/**
 * Follows the supervisor that started this process, from the first line on. Its end is a kill: what
 * is counted is stored up to the last flush, and the port is free at once.
 */
export function followSupervisor(): void {
	followed = true;
	asked = new Promise((resolve) => {
		process.on("message", (message: StopMessage) => resolve(message.signal));
		// A signal to the whole group comes here too, beside what the supervisor hands on.
		for (const signal of SIGNALS) process.on(signal, resolve);
	});
	process.once("disconnect", endNow);
	if (!process.connected) endNow();
	// The channel alone keeps no process alive that has nothing more to do.
	process.channel?.unref();
}

/** The first wish to stop. Without a supervisor, a second signal ends the process at once. */
export function stopRequested(): Promise<NodeJS.Signals> {
	asked ??= new Promise((resolve) => {
		for (const signal of SIGNALS) process.once(signal, resolve);
	});
	return asked;
}

/**
 * Tells the supervisor, where there is one, that requests are answered at `port`. Resolves when it is
 * on its way: whoever hears of this process after that may end it, and it is started again.
 */
export function tellListening(port: number): Promise<void> {
	return new Promise((resolve) => {
		if (!followed || !process.connected) {
			resolve();
			return;
		}
		const message: ListeningMessage = { kind: "listening", port };
		// A supervisor that is gone meanwhile ends this process by its disconnect.
		process.send?.(message, () => resolve());
	});
}

/** Process id that an operator's signals go to. */
export function signalledPid(): number {
	return followed ? process.ppid : process.pid;
}

function endNow(): void {
	process.kill(process.pid, "SIGKILL");
}
