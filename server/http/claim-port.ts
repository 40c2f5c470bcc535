/**
 * Finds the port to serve. Threads share a port by SO_REUSEPORT, with which a second server would join
 * the first unnoticed, so the port is first bound exclusively for a moment.
 */

import { type AddressInfo, createServer } from "node:net";
import { ListenError } from "./transport.js";

/** The port itself if it is free, or a free one for 0. Rejects with {@link ListenError}. */
export function claimPort(host: string, port: number): Promise<number> {
	const server = createServer();
	return new Promise((resolve, reject) => {
		server.once("error", (error) => reject(new ListenError(host, port, error)));
		server.listen({ host, port, exclusive: true }, () => {
			const claimed = (server.address() as AddressInfo).port;
			server.close(() => resolve(claimed));
		});
	});
}
