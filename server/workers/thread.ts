/** A thread that serves: attaches to the main thread's counters, opens an App and listens on the shared port. */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { invariant } from "../../formats/index.js";
import { SharedMetrics } from "../admin/thread-metrics.js";
import { App } from "../app.js";
import { SYSTEM_CLOCK } from "../clock.js";
import { ListenError } from "../http/transport.js";
import { useUws } from "../http/uws-library.js";
import { LeaseLine } from "../limits/lease-line.js";
import { LeaseWords } from "../limits/lease-words.js";
import { createLog } from "../log.js";
import { joinAccess } from "../open-access.js";
import { TIMERS } from "../scheduler.js";
import type { MainMessage, ThreadData, ThreadMessage } from "./messages.js";
import { readThrough } from "./shared-files.js";

async function serve(
	port: MessagePort,
	{ config, counters, leases, metrics, slot, quarantined, files, uwsBinary }: ThreadData,
): Promise<void> {
	const log = createLog(config.log_level);
	if (files !== null) readThrough(files);
	if (uwsBinary !== null) useUws(uwsBinary);
	const deny = config.shared_lost === "deny";
	const line =
		leases === null ? null : new LeaseLine(new LeaseWords(leases), deny, (ask) => port.postMessage(ask));
	const access = joinAccess(
		{
			...(line === null ? {} : { leases: line }),
			dataFolder: config.data,
			thread: slot + 1,
			staleAfterMs: config.keys_stale_after_s * 1_000,
			onError: (error) => log.error({ err: error }, "refreshing keys failed"),
		},
		counters,
	);
	const app = new App({
		config,
		access,
		clock: SYSTEM_CLOCK,
		scheduler: TIMERS,
		log,
		metrics: metrics === null ? null : new SharedMetrics(metrics).thread(slot),
	});
	// uWebSockets.js aborts the process if a thread ends with its sockets open.
	process.once("exit", () => app.abort());
	if (quarantined.length > 0) app.quarantine(quarantined);
	port.on("message", async (message: MainMessage) => {
		if (message.kind === "leased" || message.kind === "usage read") return line?.answered(message);
		if (message.kind === "quarantine") return app.quarantine(message.quarantined);
		await app.close(message.graceMs);
		await access.close();
		port.close();
	});
	const tell = (message: ThreadMessage) => port.postMessage(message);
	try {
		tell({ kind: "listening", port: (await app.listen(config.host, config.port)).port });
	} catch (error) {
		if (!(error instanceof ListenError)) throw error;
		tell({ kind: "refused", message: error.message });
	}
}

invariant(parentPort !== null, "this module runs in a worker thread");
await serve(parentPort, workerData as ThreadData);
