/**
 * A server that answers every request by the same bytes, with uWebSockets.js and nothing else: the bound of what
 * threads can do on this machine. Arguments: threads, and bytes of the body. Writes the event "listening" when all
 * threads listen.
 */

import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { claimPort } from "../../server/http/claim-port.js";
import { loadUws } from "../../server/http/uws-library.js";

interface Listening {
	readonly port: number;
	readonly bytes: number;
}

/** Headers of about the size that the service sends. */
const HEADERS = [
	["content-type", "application/json; charset=utf-8"],
	["cache-control", "private, no-cache"],
	["etag", 'W/"2-1111111111.1111111111-1111111111.1111111111"'],
	["x-request-id", "11111111111111111111"],
	["x-ratelimit-limit", "1000000000"],
	["x-ratelimit-remaining", "1000000000"],
] as const;

/** Listens in this thread. Resolves when it does. */
function listen({ port, bytes }: Listening): Promise<void> {
	const uws = loadUws();
	if ("reason" in uws) throw new Error(`the constant server needs uWebSockets.js: ${uws.reason}`);
	const body = Buffer.alloc(bytes, "x");
	uws._cfg("silent");
	const app = uws.App();
	app.any("/*", (response) => {
		for (const [name, value] of HEADERS) response.writeHeader(name, value);
		const [, complete] = response.tryEnd(body, body.length);
		if (complete) return;
		response.onAborted(() => undefined);
		response.onWritable((offset) => response.tryEnd(body.subarray(offset), body.length)[0]);
	});
	return new Promise((resolve, reject) => {
		app.listen("127.0.0.1", port, (socket) => {
			if (socket === false) reject(new Error(`port ${port} is in use`));
			else resolve();
		});
	});
}

/** As the service: one thread serves in the main one, several in threads of their own. */
async function start(threads: number, bytes: number): Promise<void> {
	const port = await claimPort("127.0.0.1", 0);
	if (threads === 1) await listen({ port, bytes });
	for (let i = 0; threads > 1 && i < threads; i++) {
		const thread = new Worker(new URL(import.meta.url), { workerData: { port, bytes } satisfies Listening });
		await once(thread, "message");
	}
	// uWebSockets.js aborts the process if a thread ends with its sockets open, so nothing is closed first.
	process.once("SIGTERM", () => process.kill(process.pid, "SIGKILL"));
	process.stdout.write(`${JSON.stringify({ msg: "listening", port })}\n`);
}

if (parentPort === null) await start(Number(process.argv[2]), Number(process.argv[3]));
else {
	await listen(workerData as Listening);
	parentPort.postMessage("listening");
}
