/**
 * What the connections of a page server may hold: how many one address has, how many responses of one wait for the
 * client to read them, and for how long. node:http bounds none of these: it answers every request of a chunk
 * at once, and waits without end for a client that does not read.
 */

import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ClientAddresses } from "../http/client-address.js";
import { ConnectionLimits } from "../http/connection-limits.js";

/** Connections of one address (IPv6: /64). A browser opens six, and an office shares an address. */
const PER_ADDRESS_MAX = 50;
/** Responses of a connection that are not sent. Browsers do not pipeline; a few are allowed to those that do. */
const UNSENT_MAX = 8;
/** Time to send a response, of 90 KB at most: above what the slowest phone needs. */
const RESPONSE_MS_MAX = 30_000;

interface Unsent {
	responses: number;
	/** Closes the connection if no response is sent before. */
	deadline: NodeJS.Timeout | undefined;
}

export class PageConnections {
	private readonly limits: ConnectionLimits;
	private readonly unsent = new WeakMap<Socket, Unsent>();

	/** `responseMsMax`: time to compute and send a response, in milliseconds. */
	constructor(
		addresses: ClientAddresses,
		private readonly responseMsMax = RESPONSE_MS_MAX,
	) {
		this.limits = new ConnectionLimits({ max: 0, perAddressMax: PER_ADDRESS_MAX, addresses });
	}

	/** Counts a new connection, or closes it if its address has too many. */
	admit(socket: Socket): void {
		const peer = socket.remoteAddress ?? "";
		if (this.limits.enter(peer)) socket.once("close", () => this.limits.leave(peer));
		else socket.destroy();
	}

	/** Whether a request may be answered; if too many responses wait on its connection, that is closed. */
	mayAnswer(socket: Socket, response: ServerResponse): boolean {
		const unsent = this.unsent.get(socket) ?? this.watch(socket);
		if (unsent.responses >= UNSENT_MAX) {
			socket.destroy();
			return false;
		}
		if (unsent.responses === 0) this.arm(socket, unsent);
		unsent.responses++;
		response.once("close", () => {
			unsent.responses--;
			clearTimeout(unsent.deadline);
			// The responses of a closed connection close one by one: a deadline would hold it in memory, and the process.
			if (unsent.responses > 0 && !socket.destroyed) this.arm(socket, unsent);
		});
		return true;
	}

	private watch(socket: Socket): Unsent {
		const unsent: Unsent = { responses: 0, deadline: undefined };
		this.unsent.set(socket, unsent);
		socket.once("close", () => clearTimeout(unsent.deadline));
		return unsent;
	}

	private arm(socket: Socket, unsent: Unsent): void {
		unsent.deadline = setTimeout(() => socket.destroy(), this.responseMsMax);
	}
}
