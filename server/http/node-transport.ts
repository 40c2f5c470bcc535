/**
 * HTTP over node:net, for Node versions that no uWebSockets.js binary is installed for. The reader of
 * HTTP is this project's own (parse-head.ts, node-connection.ts): node:http parses leniently, buffers
 * responses of pipelined requests without a bound and takes about twice the time per request. Figures
 * are in docs/RUNTIMES.md.
 */

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type ConnectionContext, NodeConnection } from "./node-connection.js";
import { SendBuffers } from "./send-buffers.js";
import { ListenError, type Transport, type TransportOptions } from "./transport.js";

/** How often deadlines are checked, which is also the resolution of the connections' clock. */
const SWEEP_MS = 1_000;
/** How often a closing transport looks whether its connections have closed. */
const DRAIN_POLL_MS = 10;
/** Length of the queue of connections that the kernel has accepted and this process has not; the kernel bounds it too. */
const BACKLOG = 4_096;
/** Refused connections that may wait for their client to read the answer; more are closed at once. */
const REFUSALS_MAX = 64;

export class NodeTransport implements Transport, ConnectionContext {
	readonly name = "node";
	readonly options: TransportOptions;
	readonly buffers = new SendBuffers();
	nowMs = performance.now();
	closing = false;
	private readonly server: Server;
	private readonly connections = new Set<NodeConnection>();
	private readonly refused = new Set<NodeConnection>();
	private readonly sharesPort: boolean;
	private sweeper: NodeJS.Timeout | null = null;

	/** `sharesPort`: other threads listen on the same port. REQUIRES: `canSharePort()`. */
	constructor(options: TransportOptions, sharesPort: boolean) {
		this.options = options;
		this.sharesPort = sharesPort;
		// A client may close its side once it has asked.
		this.server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => this.accept(socket));
	}

	listen(host: string, port: number): Promise<{ port: number }> {
		return new Promise((resolve, reject) => {
			this.server.once("error", (error) => reject(new ListenError(host, port, error)));
			// Once it listens, an error is a connection that could not be accepted.
			this.server.on("error", () => this.options.load.countShed());
			const shared = this.sharesPort ? { reusePort: true } : { exclusive: false };
			this.server.listen({ host, port, backlog: BACKLOG, ...shared }, () => {
				this.sweeper = setInterval(() => this.sweep(), SWEEP_MS);
				resolve({ port: (this.server.address() as AddressInfo).port });
			});
		});
	}

	async close(graceMs: number): Promise<void> {
		this.closing = true;
		this.server.close();
		for (const connection of this.connections) connection.closeIfIdle();
		const deadline = performance.now() + graceMs;
		while (this.connections.size > 0 && performance.now() < deadline)
			await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
		this.abort();
	}

	abort(): void {
		this.closing = true;
		if (this.sweeper !== null) clearInterval(this.sweeper);
		this.server.close();
		for (const connection of [...this.connections, ...this.refused]) connection.destroy();
	}

	/** A connection has closed. */
	closed(connection: NodeConnection): void {
		if (this.connections.delete(connection)) this.options.connections.leave(connection.peer);
		else this.refused.delete(connection);
	}

	private accept(socket: Socket): void {
		const { connections: limits, load } = this.options;
		const peer = socket.remoteAddress ?? "";
		const full = limits.full();
		const connection = new NodeConnection(socket, peer, this);
		if (!full && limits.enter(peer)) {
			this.connections.add(connection);
			return;
		}
		load.countShed();
		this.refused.add(connection);
		connection.refuse();
		if (this.refused.size > REFUSALS_MAX) connection.destroy();
	}

	/** Closes the connections whose time is over. Cost: some nanoseconds a connection. */
	private sweep(): void {
		this.nowMs = performance.now();
		for (const connection of this.connections) if (connection.deadlineMs < this.nowMs) connection.destroy();
		for (const connection of this.refused) if (connection.deadlineMs < this.nowMs) connection.destroy();
	}
}
