/** Sends a hostile case and holds what comes back against what the case allows. */

import { connect, type Socket } from "node:net";
import { type Allowed, SMUGGLED } from "./cases.js";

export interface Reaction {
	/** Everything the server sent, as Latin-1. */
	readonly text: string;
	/** Status codes of the final answers, in order. */
	readonly statuses: readonly number[];
	/** Whether the server closed the connection while it was listened to. */
	readonly closed: boolean;
}

/** Longest wait for a first byte and between bytes. A silent server costs this much a case. */
const QUIET_MS = 350;

/** Sends `segments` (Latin-1), each in a packet of its own, and listens until the server is quiet. */
export function provoke(port: number, segments: readonly string[], quietMs = QUIET_MS): Promise<Reaction> {
	return provokeOn(connect({ port, host: "127.0.0.1", noDelay: true }), segments, quietMs);
}

/** {@link provoke} on a connection that is being made. */
export function provokeOn(
	socket: Socket,
	segments: readonly string[],
	quietMs = QUIET_MS,
): Promise<Reaction> {
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		socket.once("connect", () => send(0));
		let timer = setTimeout(() => done(false), quietMs);
		const done = (closed: boolean) => {
			clearTimeout(timer);
			socket.destroy();
			const text = Buffer.concat(chunks).toString("latin1");
			resolve({ text, statuses: statusesOf(text), closed });
		};
		const send = (index: number) => {
			if (index === segments.length || socket.destroyed || !socket.writable) return;
			socket.write(Buffer.from(segments[index], "latin1"), () => setTimeout(send, 2, index + 1));
		};
		socket.on("data", (chunk) => {
			chunks.push(chunk);
			clearTimeout(timer);
			timer = setTimeout(() => done(false), quietMs);
		});
		// A reset is a way to close; what counts is what was sent before it.
		socket.on("error", () => done(true));
		socket.on("close", () => done(true));
	});
}

function statusesOf(text: string): number[] {
	return [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map((match) => Number(match[1]));
}

/** What is wrong with the reaction; null where the case allows it. */
export function verdict(allowed: Allowed, { text, statuses, closed }: Reaction): string | null {
	if (text.includes(SMUGGLED)) return "a hidden request was answered";
	if (statuses.length > 1) return `${statuses.length} answers to one request: ${statuses.join(", ")}`;
	if (statuses.some((status) => status >= 500 && status !== 501 && status !== 505))
		return `a fault of ours: ${statuses[0]}`;
	if (allowed === "served")
		return statuses[0] === 200 ? null : `expected 200, got ${statuses[0] ?? "nothing"}`;
	if (allowed === "answered" || statuses.length === 0) return null;
	if (statuses[0] < 400) return `served with ${statuses[0]}`;
	return closed || allowed === "denied" ? null : `refused with ${statuses[0]} and left open`;
}
