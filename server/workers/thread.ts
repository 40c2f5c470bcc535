/**
 * A serving thread. At its first message it attaches to the main thread's counters, opens an App and listens on the
 * shared port, or ends if that is to close.
 */

import { type MessagePort, parentPort } from "node:worker_threads";
import { invariant } from "../../formats/index.js";
import { SharedMetrics } from "../admin/thread-metrics.js";
import { App } from "../app.js";
import { SYSTEM_CLOCK } from "../clock.js";
import { ListenError } from "../http/transport.js";
import { useUws } from "../http/uws-library.js";
import { LeaseLine } from "../limits/lease-line.js";
import { LeaseWords } from "../limits/lease-words.js";
import { createLog } from "../log.js";
import { OpenedPublications } from "../months/opened-publications.js";
import { joinAccess } from "../open-access.js";
import { RepeatedFaults } from "../repeated-faults.js";
import { TIMERS } from "../scheduler.js";
import type { Config } from "../settings/config.js";
import type { MainMessage, ServeMessage, ThreadData, ThreadMessage } from "./messages.js";
import { readThrough } from "./shared-files.js";

/** Begins to serve. Returns the handler of all further messages. */
function serve(
	port: MessagePort,
	{ config, counters, leases, metrics, publications, slot, quarantined, files, uwsBinary }: ThreadData,
): (message: MainMessage) => unknown {
	const log = createLog(config.log_level);
	if (files !== null) readThrough(files);
	if (uwsBinary !== null) useUws(uwsBinary);
	const deny = config.shared_lost === "deny";
	const line =
		leases === null ? null : new LeaseLine(new LeaseWords(leases), deny, (ask) => port.postMessage(ask));
	const faults = new RepeatedFaults(log, "refreshing keys failed");
	const access = joinAccess(
		{
			...(line === null ? {} : { leases: line }),
			dataFolder: config.data,
			thread: slot + 1,
			staleAfterMs: config.keys_stale_after_s * 1_000,
			onError: (error) => faults.report(error),
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
		opens: { publications: new OpenedPublications(publications), thread: slot },
	});
	// uWebSockets.js aborts the process if a thread ends with its sockets open.
	process.once("exit", () => app.abort());
	if (quarantined.length > 0) app.quarantine(quarantined);
	void listen(port, app, config);
	return async (message) => {
		if (message.kind === "leased" || message.kind === "usage read") return line?.answered(message);
		if (message.kind === "quarantine") return app.quarantine(message.quarantined);
		await app.close(message.graceMs);
		await access.close();
		port.close();
	};
}

async function listen(port: MessagePort, app: App, { host, port: wanted }: Config): Promise<void> {
	const tell = (message: ThreadMessage) => port.postMessage(message);
	try {
		tell({ kind: "listening", port: (await app.listen(host, wanted)).port });
	} catch (error) {
		if (!(error instanceof ListenError)) throw error;
		tell({ kind: "refused", reason: error.reason });
	}
}

invariant(parentPort !== null, "this module runs in a worker thread");
const port = parentPort;
let handle: ((message: MainMessage) => unknown) | null = null;
port.on("message", (message: ServeMessage | MainMessage) => {
	if (message.kind === "serve") handle = serve(port, message.data);
	else if (handle !== null) handle(message);
	// Not needed: nothing is open.
	else if (message.kind === "close") port.close();
});
