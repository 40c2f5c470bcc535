/**
 * The admin port: `/metrics` for Prometheus, `/livez` and `/readyz` for orchestrators and balancers.
 * `/readyz?behind` is for a balancer that has no host that is ready: it allows for months that are not here yet, and for
 * faults of the database of keys, during which known keys are served.
 * It has no keys, so it is off by default, and then listens on loopback unless configured otherwise.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { basename } from "node:path";
import type { Registry } from "prom-client";
import type { QuarantinedMonth } from "../../engine/library.js";
import { ListenError } from "../http/transport.js";
import type { PageServer } from "../pages/page-server.js";
import { latencyText } from "./latency-text.js";
import type { SharedMetrics } from "./thread-metrics.js";

const PLAIN = "text/plain; charset=utf-8";

export interface AdminSources {
	readonly registry: Registry;
	readonly metrics: SharedMetrics;
	/** Why requests should not be sent here now; null: they may be. */
	readonly notReady: () => string | null;
	/** The same of a host that no other can replace: a live month that it lacks and a fault of its keys are no reasons. */
	readonly notServing: () => string | null;
	/** Months out of service because they are damaged. */
	readonly quarantined: () => readonly QuarantinedMonth[];
	/** Further notes for an operator, one per line. */
	readonly notes: () => readonly string[];
	readonly onError: (error: unknown) => void;
	/** Whether the server is stopping: the data of pages may be closed by then. */
	readonly stopping: () => boolean;
	/** The operator's pages; null: none. */
	readonly pages: PageServer | null;
}

export class AdminServer {
	private readonly server: Server;
	private readonly sources: AdminSources;

	constructor(sources: AdminSources) {
		this.sources = sources;
		this.server = createServer((request, response) => {
			const { pages } = sources;
			if (pages?.has(request.url ?? "") === true) {
				if (sources.stopping()) return send(response, 503, PLAIN, "the server is stopping\n");
				return pages.handle(request, response);
			}
			this.answer(request, response).catch((error) => {
				sources.onError(error);
				send(response, 500, PLAIN, "failed\n");
			});
		});
	}

	/** Rejects with ListenError. */
	listen(host: string, port: number): Promise<void> {
		return new Promise((resolve, reject) => {
			this.server.once("error", (error) => reject(new ListenError(host, port, error)));
			this.server.listen({ host, port, exclusive: true }, () => resolve());
		});
	}

	close(): Promise<void> {
		return new Promise((resolve) => {
			this.server.close(() => resolve());
			this.server.closeAllConnections();
		});
	}

	private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		if (request.method !== "GET" && request.method !== "HEAD") {
			send(response, 405, PLAIN, "GET or HEAD\n");
			return;
		}
		const { registry, metrics, notReady, notServing } = this.sources;
		switch (request.url) {
			case "/metrics":
				send(response, 200, registry.contentType, `${await registry.metrics()}${latencyText(metrics)}`);
				return;
			case "/livez":
				send(response, 200, PLAIN, "ok\n");
				return;
			case "/readyz":
			case "/readyz?behind": {
				const reason = request.url === "/readyz" ? notReady() : notServing();
				const status = reason === null ? 200 : 503;
				send(
					response,
					status,
					PLAIN,
					`${reason ?? "ok"}\n${quarantineLines(this.sources.quarantined())}${this.sources
						.notes()
						.map((note) => `${note}\n`)
						.join("")}`,
				);
				return;
			}
			default:
				send(response, 404, PLAIN, "/metrics, /livez, /readyz and /console are here\n");
		}
	}
}

/** Other months are served, so a damaged month does not fail readiness, but is reported. */
function quarantineLines(quarantined: readonly QuarantinedMonth[]): string {
	return quarantined
		.map(
			({ month, code, path, message }) => `quarantined: ${month}, ${basename(path)}, ${code}: ${message}\n`,
		)
		.join("");
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
	response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
	response.end(body);
}
