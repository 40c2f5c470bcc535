/**
 * The supervisor from the view of the process that serves: it forwards signals, and this process ends
 * at once when it does. Without a supervisor, signals come to this process directly.
 */

import type { ListeningMessage, StopMessage } from "./messages.js";

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

let asked: Promise<NodeJS.Signals> | null = null;
let followed = false;

/**
 * Follows the supervisor that started this process. When the supervisor ends, this process is killed:
 * counts are stored up to the last flush, and the port is free at once.
 */
export function followSupervisor(): void {
	followed = true;
	asked = new Promise((resolve) => {
		process.on("message", (message: StopMessage) => resolve(message.signal));
		// A signal to the process group arrives here too, in addition to what the supervisor forwards.
		for (const signal of SIGNALS) process.on(signal, resolve);
	});
	process.once("disconnect", endNow);
	if (!process.connected) endNow();
	// The channel alone must not keep the process alive.
	process.channel?.unref();
}

/** The first request to stop. Without a supervisor, a second signal ends the process at once. */
export function stopRequested(): Promise<NodeJS.Signals> {
	asked ??= new Promise((resolve) => {
		for (const signal of SIGNALS) process.once(signal, resolve);
	});
	return asked;
}

/**
 * Reports to the supervisor, if there is one, that requests are served at `port`. Resolves when the
 * message was sent: if this process is killed after that, it is started again.
 */
export function tellListening(port: number): Promise<void> {
	return new Promise((resolve) => {
		if (!followed || !process.connected) {
			resolve();
			return;
		}
		const message: ListeningMessage = { kind: "listening", port };
		// If the supervisor has ended meanwhile, its disconnect ends this process.
		process.send?.(message, () => resolve());
	});
}

/** Process id that an operator signals. */
export function signalledPid(): number {
	return followed ? process.ppid : process.pid;
}

function endNow(): void {
	process.kill(process.pid, "SIGKILL");
}
