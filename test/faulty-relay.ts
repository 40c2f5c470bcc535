/** A TCP relay to an object store or Redis that can be gone, hang, be slow, end answers early, or change bytes. */

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/**
 * `pass`; `gone`: connections are reset; `hang`: nothing of the store reaches the client until the mode changes;
 * `slow`: bytes of the store by so many a second on each connection; `late`: each answer so much later; `cut`:
 * connections end after so many bytes of the store, counted over all of them; `lie`: the last byte of each chunk of
 * at least {@link LIE_BYTES_MIN} is changed, which headers alone do not have.
 */
export type Fault =
	| { readonly kind: "pass" | "gone" | "hang" | "lie" }
	| { readonly kind: "slow"; readonly bytesPerSecond: number }
	| { readonly kind: "late"; readonly byMs: number }
	| { readonly kind: "cut"; readonly afterBytes: number };

const SLICE_MS = 20;
const LIE_BYTES_MIN = 1_024;

export class FaultyRelay {
	#fault: Fault = { kind: "pass" };
	#changed: () => void = () => undefined;
	#change = Promise.resolve();
	/** Bytes of the store since the fault was set. */
	#bytes = 0;
	/** Connections begun, and how many of the first of them are silent. */
	#connections = 0;
	#silent = 0;
	readonly #sockets = new Set<Socket>();

	private constructor(
		private readonly server: Server,
		private target: { readonly host: string; readonly port: number },
	) {
		server.on("connection", (client) => this.#relay(client));
	}

	/** `endpoint`: the store's address. */
	static async start(endpoint: string): Promise<FaultyRelay> {
		const { hostname, port } = new URL(endpoint);
		const server = createServer();
		const relay = new FaultyRelay(server, { host: hostname, port: Number(port) });
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return relay;
	}

	get endpoint(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** Where connections go from now on; those that are open end. */
	retarget(endpoint: string): void {
		const { hostname, port } = new URL(endpoint);
		this.target = { host: hostname, port: Number(port) };
		for (const socket of this.#sockets) socket.destroy();
	}

	get port(): number {
		return (this.server.address() as { port: number }).port;
	}

	/** Bytes that came from the store since the fault was set, whether they were passed on or not. */
	get bytes(): number {
		return this.#bytes;
	}

	set(fault: Fault): void {
		this.#fault = fault;
		this.#bytes = 0;
		this.#changed();
		this.#change = new Promise((resolve) => {
			this.#changed = resolve;
		});
		if (fault.kind === "gone") for (const socket of this.#sockets) socket.destroy();
	}

	/** Bytes of the store are dropped on connections that are open now, which stay open. New connections pass. */
	silence(): void {
		this.#silent = this.#connections;
	}

	async close(): Promise<void> {
		const closed = once(this.server, "close");
		this.server.close();
		for (const socket of this.#sockets) socket.destroy();
		this.#changed();
		await closed;
	}

	#relay(client: Socket): void {
		if (this.#fault.kind === "gone") {
			client.destroy();
			return;
		}
		const store = connect(this.target);
		for (const [socket, other] of [
			[client, store],
			[store, client],
		]) {
			this.#sockets.add(socket);
			socket.on("error", () => other.destroy());
			socket.on("close", () => {
				this.#sockets.delete(socket);
				other.destroy();
			});
		}
		client.pipe(store);
		void this.#answers(store, client);
	}

	async #answers(store: Socket, client: Socket): Promise<void> {
		let late = Promise.resolve();
		const number = this.#connections++;
		try {
			for await (const chunk of store as AsyncIterable<Buffer>) {
				this.#bytes += chunk.length;
				if (number < this.#silent) continue;
				const fault = this.#fault;
				// Later each, and not after one another: what is on the way does not hold up what follows.
				if (fault.kind === "late") {
					const dueMs = performance.now() + fault.byMs;
					late = late.then(async () => {
						await delay(Math.max(0, dueMs - performance.now()));
						if (!client.destroyed) client.write(chunk);
					});
				} else {
					await late;
					await this.#pass(chunk, client);
				}
				if (client.destroyed) return;
			}
			await late;
			client.end();
		} catch {
			client.destroy();
		}
	}

	async #pass(chunk: Buffer, client: Socket): Promise<void> {
		for (let at = 0; at < chunk.length; ) {
			if (client.destroyed) return;
			const fault = this.#fault;
			if (fault.kind === "hang") {
				await this.#change;
				continue;
			}
			if (fault.kind === "cut" && this.#bytes > fault.afterBytes) {
				client.destroy();
				return;
			}
			if (fault.kind === "lie" && chunk.length >= LIE_BYTES_MIN) chunk[chunk.length - 1] ^= 1;
			const size =
				fault.kind === "slow" ? Math.ceil((fault.bytesPerSecond * SLICE_MS) / 1_000) : chunk.length;
			const flowing = client.write(chunk.subarray(at, at + size));
			at += size;
			if (fault.kind === "slow") await delay(SLICE_MS);
			if (!flowing && !client.destroyed) await Promise.race([once(client, "drain"), once(client, "close")]);
		}
	}
}
