/**
 * A server that answers every request by the same bytes, with uWebSockets.js or node:http and nothing else: the bound of
 * what threads can do on this machine. Arguments: library, threads, and bytes of the body. Writes the event "listening"
 * when all threads listen.
 */

import { once } from "node:events";
import { createServer } from "node:http";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { claimPort } from "../../server/http/claim-port.js";
import { canSharePort } from "../../server/http/select-transport.js";
import { loadUws } from "../../server/http/uws-library.js";
import { sendConstant } from "./send-constant.js";

/** What serves. */
export type ConstantLibrary = "uws" | "http";

interface Listening {
	readonly library: ConstantLibrary;
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
function listen({ library, port, bytes }: Listening): Promise<void> {
	return library === "uws" ? listenUws(port, bytes) : listenHttp(port, bytes);
}

function listenHttp(port: number, bytes: number): Promise<void> {
	const body = Buffer.alloc(bytes, "x");
	// One list that is never changed, so that Node has nothing to convert for each answer.
	const headers = [...HEADERS.flat(), "content-length", String(bytes)];
	const server = createServer((_, response) => {
		response.writeHead(200, headers);
		response.end(body);
	});
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		// Threads share the port where Node can.
		server.listen({ host: "127.0.0.1", port, ...{ reusePort: canSharePort() } }, resolve);
	});
}

function listenUws(port: number, bytes: number): Promise<void> {
	const uws = loadUws();
	if ("reason" in uws) throw new Error(`the constant server needs uWebSockets.js: ${uws.reason}`);
	const body = Buffer.alloc(bytes, "x");
	uws._cfg("silent");
	const app = uws.App();
	app.any("/*", (response) => {
		for (const [name, value] of HEADERS) response.writeHeader(name, value);
		sendConstant(response, body);
	});
	return new Promise((resolve, reject) => {
		app.listen("127.0.0.1", port, (socket) => {
			if (socket === false) reject(new Error(`port ${port} is in use`));
			else resolve();
		});
	});
}

/** As the service: one thread serves in the main one, several in threads of their own. */
async function start(library: ConstantLibrary, threads: number, bytes: number): Promise<void> {
	const listening: Listening = { library, port: await claimPort("127.0.0.1", 0), bytes };
	if (threads === 1) await listen(listening);
	for (let i = 0; threads > 1 && i < threads; i++) {
		const thread = new Worker(new URL(import.meta.url), { workerData: listening });
		await once(thread, "message");
	}
	// uWebSockets.js aborts the process if a thread ends with its sockets open, so nothing is closed first.
	process.once("SIGTERM", () => process.kill(process.pid, "SIGKILL"));
	process.stdout.write(`${JSON.stringify({ msg: "listening", port: listening.port })}\n`);
}

if (parentPort === null) {
	const [library, threads, bytes] = process.argv.slice(2);
	await start(library as ConstantLibrary, Number(threads), Number(bytes));
} else {
	await listen(workerData as Listening);
	parentPort.postMessage("listening");
}
