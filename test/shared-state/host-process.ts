/** Hosts that share limits and keys: whole servers, each over a data folder of its own, and clients that hammer them. */

import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { createKey, type KeyRequest } from "../../server/keys/lifecycle.js";
import { Store } from "../../server/store/store.js";
import { ServerProcess } from "../serve/server-process.js";

/** A data folder with the months of `months` and keys of its own. */
export function hostFolder(t: Pick<TestContext, "after">, months: string): string {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-host-"));
	t.after(() => rmSync(folder, { recursive: true, force: true }));
	symlinkSync(join(months, SNAPSHOTS_FOLDER), join(folder, SNAPSHOTS_FOLDER));
	return folder;
}

/** Makes a key in a data folder, as a command beside the server would. */
export async function makeKey(
	folder: string,
	asked: Partial<KeyRequest>,
): Promise<{ id: string; text: string }> {
	const store = Store.open({ dataFolder: folder, create: true });
	try {
		const scope = { geography: null, columns: null, history: { mode: "all" } } as const;
		const key = { tier: "production", name: "test", scope, rate_limits: {}, ...asked } as const;
		const { record, text } = await createKey(store, key, { by: "test", nowMs: Date.now() });
		return { id: record.id, text };
	} finally {
		await store.close();
	}
}

/** Starts a host. */
export function startHost(
	t: Pick<TestContext, "after">,
	folder: string,
	shared: string,
	...flags: string[]
): Promise<ServerProcess> {
	return ServerProcess.start(
		t,
		folder,
		"--shared",
		shared,
		"--no-supervise",
		"--verify-mib-s",
		"0",
		...flags,
	);
}

export interface Answer {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** One GET. Rejects where the connection fails. */
export function get(port: number, path: string, key: string, agent?: Agent): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const sent = request(
			{ host: "127.0.0.1", port, path, agent, headers: { "X-API-Key": key } },
			(response) => {
				let body = "";
				response.setEncoding("utf8").on("data", (text: string) => {
					body += text;
				});
				response.once("end", () =>
					resolve({ status: response.statusCode as number, headers: response.headers, body }),
				);
				response.once("error", reject);
			},
		);
		sent.once("error", reject);
		sent.end();
	});
}

/** Statuses of what many connections got, by status. */
export type Outcomes = Record<number, number>;

/** Sends requests over `connections` connections to each port until `untilMs`, and counts the answers by status. */
export async function hammer(
	ports: readonly number[],
	key: string,
	load: { readonly connections: number; readonly untilMs: number; readonly path?: string },
): Promise<Outcomes> {
	const outcomes: Outcomes = {};
	const agents = ports.map(() => new Agent({ keepAlive: true, maxSockets: load.connections }));
	await Promise.all(
		ports.flatMap((port, i) =>
			Array.from({ length: load.connections }, async () => {
				while (Date.now() < load.untilMs) {
					const { status } = await get(port, load.path ?? "/v1/me", key, agents[i]);
					outcomes[status] = (outcomes[status] ?? 0) + 1;
				}
			}),
		),
	);
	for (const agent of agents) agent.destroy();
	return outcomes;
}

/** Waits until `found` resolves to true, at most `withinMs`. Returns how long it took; throws where it did not. */
export async function until(
	found: () => Promise<boolean> | boolean,
	withinMs: number,
	what: string,
): Promise<number> {
	const begunMs = performance.now();
	for (;;) {
		if (await found()) return performance.now() - begunMs;
		if (performance.now() - begunMs > withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
		await delay(10);
	}
}
