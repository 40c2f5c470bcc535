/** Messages between the supervisor and the process that serves. */

/** From the supervisor: stop gracefully. */
export interface StopMessage {
	readonly kind: "stop";
	readonly signal: NodeJS.Signals;
}

/** From the process that serves, once requests are answered. */
export interface ListeningMessage {
	readonly kind: "listening";
	readonly port: number;
}
