/** A front of a server that refuses every third request for a moment, as limits do, and counts them. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class ImpatientFront {
	refused = 0;
	private requests = 0;
	private refusing = true;

	private constructor(private readonly server: Server) {}

	/** Forwards to `port` of this machine what it does not refuse. */
	static async start(port: number): Promise<ImpatientFront> {
		const server = createServer((request, response) => {
			if (front.refusing && ++front.requests % 3 === 0) {
				front.refused++;
				response.writeHead(front.refused % 2 === 0 ? 503 : 429, { "retry-after": "1" });
				response.end('{"error":{"code":"rate_limited","message":"retry in 1 s"}}');
				return;
			}
			const headers = Object.fromEntries(
				["authorization", "if-none-match"].flatMap((name) => {
					const value = request.headers[name];
					return typeof value === "string" ? [[name, value]] : [];
				}),
			);
			fetch(`http://127.0.0.1:${port}${request.url}`, { headers }).then(
				async (answer) => {
					const body = Buffer.from(await answer.arrayBuffer());
					const passed = [...answer.headers].filter(
						([name]) =>
							!/^(content-encoding|content-length|connection|keep-alive|transfer-encoding)$/.test(name),
					);
					response.writeHead(answer.status, Object.fromEntries(passed)).end(body);
				},
				(error: Error) => response.destroy(error),
			);
		});
		const front = new ImpatientFront(server);
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		return front;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Whether it refuses from here on. */
	refuse(refusing: boolean): void {
		this.refusing = refusing;
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}
}
