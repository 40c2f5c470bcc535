/** Raw bytes to a port and back, for requests that no HTTP client sends. */

import { connect } from "node:net";

export interface RawAnswer {
	/** Everything the server sent, as Latin-1. */
	readonly text: string;
	/** Whether the server closed the connection. */
	readonly closed: boolean;
}

/** Sends `bytes` (Latin-1 text) and reads until the server closes, or for `waitMs` after its last bytes. */
export function sendRaw(port: number, bytes: string, waitMs = 150): Promise<RawAnswer> {
	return new Promise((resolve) => {
		let text = "";
		const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(bytes, "latin1")));
		const done = (closed: boolean) => {
			clearTimeout(timer);
			socket.destroy();
			resolve({ text, closed });
		};
		let timer = setTimeout(() => done(false), waitMs * 4);
		socket.on("data", (chunk) => {
			text += chunk.toString("latin1");
			clearTimeout(timer);
			timer = setTimeout(() => done(false), waitMs);
		});
		// A reset is a way to close; only what was sent before it matters.
		socket.on("error", () => done(true));
		socket.on("close", () => done(true));
	});
}
