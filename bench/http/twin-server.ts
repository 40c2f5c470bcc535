/**
 * The server under test with its constant twin in the same process and thread: the complete service on
 * one port; on another, the bare HTTP library, which answers from memory and does nothing else. The
 * twin's rate is therefore the upper bound for this machine and library, whatever else runs on it.
 *
 * Started by the benchmark with an IPC channel; twin-messages.ts has the messages.
 */

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { loadUws } from "../../server/http/uws-library.js";
import { createLog } from "../../server/log.js";
import { type RunningServer, serve } from "../../server/serve.js";
import { resolveConfig } from "../../server/settings/config.js";
import { sendConstant } from "./send-constant.js";
import { parseOrder, type TwinOrder, type TwinReply } from "./twin-messages.js";

const SMALL_PATH = "/small";
/** The twin's answer to small questions: 13 bytes. */
const SMALL = Buffer.from("Hello, world!");
const EMPTY_PATH = "/empty";
/** The twin's answer of as many bytes as the query says, with as many header fields as follow a comma there. */
const CONSTANT_PATH = "/constant";
/** The small answer after as many microseconds of work as the query says. */
const WORK_PATH = "/work";

class ConstantTwin {
	/** By path with its query. */
	private readonly bodies = new Map<string, Buffer>();
	port = 0;

	async listen(): Promise<void> {
		const uws = loadUws();
		if ("reason" in uws) throw new Error(`the twin needs uWebSockets.js: ${uws.reason}`);
		const app = uws.App();
		app.any("/*", (response, request) => {
			const query: string | undefined = request.getQuery();
			const path = query === undefined ? request.getUrl() : `${request.getUrl()}?${query}`;
			if (path === EMPTY_PATH) {
				response.end();
				return;
			}
			const isWork = path.startsWith(`${WORK_PATH}?`);
			if (isWork) work(Number(query));
			const body = isWork || path === SMALL_PATH ? SMALL : (this.bodies.get(path) ?? this.constant(path));
			if (body === undefined) {
				response.writeStatus("404 Not Found").end();
				return;
			}
			for (let i = 0; i < fieldsOf(path); i++)
				response.writeHeader(`X-Constant-${i}`, "a value of 24 characters");
			sendConstant(response, body);
		});
		this.port = await new Promise((resolve, reject) => {
			app.listen("127.0.0.1", 0, (socket) => {
				if (socket === false) reject(new Error("the twin found no port"));
				else resolve(uws.us_socket_local_port(socket as never));
			});
		});
	}

	/** The body of as many bytes as `path` says, kept; undefined: it says none. */
	private constant(path: string): Buffer | undefined {
		const bytes = path.startsWith(`${CONSTANT_PATH}?`)
			? Number.parseInt(path.slice(CONSTANT_PATH.length + 1), 10)
			: 0;
		if (!(bytes > 0)) return undefined;
		const body = Buffer.alloc(bytes, "x");
		this.bodies.set(path, body);
		return body;
	}

	/** Takes the subject's bodies as its own. Returns their bytes. */
	async hold(subjectPort: number, paths: readonly string[], authorization: string): Promise<number> {
		this.bodies.clear();
		let bytes = 0;
		for (const path of new Set(paths)) {
			const url = `http://127.0.0.1:${subjectPort}${path}`;
			const answer = await fetch(url, { headers: { authorization, "accept-encoding": "identity" } });
			const body = Buffer.from(await answer.arrayBuffer());
			if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${body}`);
			this.bodies.set(path, body);
			bytes += body.length;
		}
		return bytes;
	}
}

/** Header fields that the twin adds to a constant. */
function fieldsOf(path: string): number {
	return path.startsWith(`${CONSTANT_PATH}?`) ? Number(path.split(",")[1] ?? 0) : 0;
}

/** Keeps the thread busy for some microseconds. */
function work(us: number): void {
	const end = performance.now() + us / 1000;
	while (performance.now() < end);
}

async function start(dataFolder: string, workers: string, metrics: string): Promise<void> {
	const adminPort = metrics === "metrics" ? await freePort() : 0;
	const { config } = resolveConfig({
		flags: {
			data: dataFolder,
			port: 0,
			workers,
			log_level: "warn",
			transport: "uws",
			admin_port: adminPort,
		},
		environment: {},
		file: undefined,
	});
	const server = await serve(config, createLog(config.log_level));
	const twin = new ConstantTwin();
	await twin.listen();
	process.on("message", (message) => obey(parseOrder(message), server, twin));
	reply({ kind: "ready", port: server.port, twinPort: twin.port, adminPort });
}

/** A port that nothing listens on now: that of metrics cannot be left to the system. */
async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}

async function obey(order: TwinOrder, server: RunningServer, twin: ConstantTwin): Promise<void> {
	switch (order.kind) {
		case "hold":
			reply({ kind: "held", bytes: await twin.hold(server.port, order.paths, order.authorization) });
			return;
		case "usage": {
			const { user, system } = process.cpuUsage();
			const { rss, heapUsed } = process.memoryUsage();
			reply({ kind: "usage", cpuUs: user + system, rssBytes: rss, heapBytes: heapUsed });
			return;
		}
		case "stop":
			await server.close();
			process.exit(0);
	}
}

function reply(message: TwinReply): void {
	process.send?.(message);
}

await start(process.argv[2], process.argv[3], process.argv[4]);
