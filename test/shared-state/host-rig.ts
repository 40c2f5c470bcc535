/** Hosts of this process: store, counters and leases of each its own, over one real Redis. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pino } from "pino";
import { Registry } from "prom-client";
import { addShared } from "../../server/admin/host-metrics.js";
import type { Clock } from "../../server/clock.js";
import type { Key } from "../../server/keys/key.js";
import { createKey, type KeyRequest } from "../../server/keys/lifecycle.js";
import type { Decision } from "../../server/limits/limits.js";
import { type Access, openAccess } from "../../server/open-access.js";
import { TIMERS } from "../../server/scheduler.js";
import { parseSharedAddress } from "../../server/shared-state/address.js";
import { HostLeases } from "../../server/shared-state/host-leases.js";
import { SharedState } from "../../server/shared-state/shared-state.js";
import { until } from "./host-process.js";

/** A clock that is off by some time. */
class SkewedClock implements Clock {
	constructor(public offMs = 0) {}

	now(): number {
		return Date.now() + this.offMs;
	}
}

/** A data folder. */
export function rigFolder(): string {
	return mkdtempSync(join(tmpdir(), "rollcall-rig-"));
}

/** Hosts that were opened on each folder and are not closed at the end of their test; the last removes it. */
const openHosts = new Map<string, number>();

export class Host {
	private constructor(
		readonly access: Access,
		readonly shared: SharedState,
		readonly leases: HostLeases,
		readonly clock: SkewedClock,
		/** Lines of its log. */
		readonly lines: readonly string[],
	) {}

	/** Opens a host; it is closed with the test at the latest. */
	static async open(
		t: TestContext,
		url: string,
		{ offMs = 0, deny = true, staleAfterMs = 0, dataFolder = rigFolder() } = {},
	): Promise<Host> {
		const clock = new SkewedClock(offMs);
		const lines: string[] = [];
		const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
		const leases = new HostLeases(deny);
		const onError = (error: unknown) => log.error(error);
		const access = openAccess({ dataFolder, clock, onError, leases: leases.line });
		const shared = await SharedState.open({
			address: parseSharedAddress(url),
			store: access.store,
			words: leases.words,
			outbox: access.outbox as NonNullable<Access["outbox"]>,
			keyOf: (slot) => access.keyOfSlot(slot),
			says: () => ({ name: "test" }),
			clock,
			scheduler: TIMERS,
			log,
			keysStaleAfterMs: staleAfterMs,
			flush: () => access.settle(),
		});
		leases.connect(shared);
		const host = new Host(access, shared, leases, clock, lines);
		let closed = false;
		host.close = async () => {
			if (closed) return;
			closed = true;
			await shared.close();
			await access.close();
		};
		openHosts.set(dataFolder, (openHosts.get(dataFolder) ?? 0) + 1);
		t.after(async () => {
			await host.close();
			const left = (openHosts.get(dataFolder) as number) - 1;
			openHosts.set(dataFolder, left);
			if (left === 0) rmSync(dataFolder, { recursive: true, force: true });
		});
		return host;
	}

	close: () => Promise<void> = async () => undefined;

	/** What Prometheus sees of it: values by names without prefix, and labels. */
	async metrics(): Promise<Record<string, number>> {
		const registry = new Registry();
		addShared(registry, () => this.shared.status);
		const all = await registry.getMetricsAsJSON();
		return Object.fromEntries(
			all.flatMap(({ name, values }) =>
				values.map(({ labels, value }) => [
					[name.replace("rollcall_shared_", ""), ...Object.values(labels)].join(" "),
					value,
				]),
			),
		);
	}

	/** Warnings and errors in its log with this text. */
	warnings(text: string): string[] {
		return this.lines.filter((line) => /"level":(40|50)/.test(line) && line.includes(text));
	}

	/** Makes a key here, and waits until the other hosts have it. */
	async key(asked: Partial<KeyRequest>, others: readonly Host[] = []): Promise<string> {
		const scope = { geography: null, columns: null, history: { mode: "all" } } as const;
		const request = { tier: "production", name: "test", scope, rate_limits: {}, ...asked } as const;
		const { record, text } = await createKey(this.access.store, request, { by: "test", nowMs: Date.now() });
		for (const host of [this, ...others])
			await until(() => host.find(text) !== null, 3_000, `key ${record.id}`);
		return text;
	}

	find(text: string): Key | null {
		const found = this.access.authenticator.authenticate(
			{ authorization: null, xApiKey: text },
			this.clock.now(),
		);
		return found.ok ? found.key : null;
	}

	/** One request, which waits for its lease as a request does. */
	async take(text: string): Promise<Decision> {
		const key = this.find(text);
		if (key === null) throw new Error("the key is refused");
		for (;;) {
			const decision = this.access.limits.take(key, "/v1/me", this.clock.now());
			if (decision.allowed || decision.code !== "pending") return decision;
			await decision.settled;
		}
	}

	/** Requests one after another until one is refused, at most `max`. Returns how many passed, and the code of the refusal. */
	async takeUntilRefused(text: string, max: number): Promise<{ passed: number; code: string | null }> {
		for (let passed = 0; passed < max; passed++) {
			const decision = await this.take(text);
			if (!decision.allowed) return { passed, code: decision.code };
		}
		return { passed: max, code: null };
	}
}
