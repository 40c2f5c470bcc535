/** Metrics of one of several hosts: the months it takes from an object store, and the state it shares. */

import { Gauge, type Registry } from "prom-client";
import type { PullerState } from "../months/month-puller.js";
import { SHARED_STORE_ERROR_CODES } from "../shared-state/errors.js";
import { FAULTS_SAID } from "../shared-state/link-health.js";
import type { SharedStatus } from "../shared-state/shared-status.js";
import { gauge, total } from "./callback-metrics.js";

/** Adds metrics of the object store of months. */
export function addPuller(registry: Registry, state: () => PullerState): void {
	gauge(
		registry,
		"rollcall_store_index_revision",
		"Revision of the index of months in force; 0: none.",
		() => {
			return state().revision;
		},
	);
	gauge(
		registry,
		"rollcall_store_index_age_seconds",
		"Time since the object store last answered; -1: not yet.",
		() => {
			const { heardAgoMs } = state();
			return heardAgoMs === null ? -1 : heardAgoMs / 1_000;
		},
	);
	gauge(registry, "rollcall_store_months_missing", "Months of the index that are not here yet.", () => {
		return state().missing.length;
	});
	gauge(registry, "rollcall_store_months_late", "Months that are live and not here.", () => {
		return state().late.length;
	});
	total(
		registry,
		"rollcall_store_pulled_bytes_total",
		"Bytes got from the object store.",
		() => state().pulledBytes,
	);
	total(
		registry,
		"rollcall_store_old_indexes_total",
		"Indexes of months that were ignored, since they are older than the one in use.",
		() => state().oldIndexes,
	);
}

/** Adds metrics of the shared store. */
export function addShared(registry: Registry, status: () => SharedStatus): void {
	gauge(
		registry,
		"rollcall_shared_linked",
		"1: the shared store answers; 0: serving on what is held here.",
		() => {
			return status().linked ? 1 : 0;
		},
	);
	new Gauge({
		name: "rollcall_shared_fault",
		help: "1 for the reason for which the shared store is not used, 0 for the others.",
		labelNames: ["code"],
		registers: [registry],
		collect() {
			const { faultCode } = status();
			for (const code of SHARED_STORE_ERROR_CODES) this.set({ code }, code === faultCode ? 1 : 0);
		},
	});
	total(
		registry,
		"rollcall_shared_data_losses_total",
		"Times that the shared store was found without its data.",
		() => status().dataLosses,
	);
	total(
		registry,
		"rollcall_shared_failovers_total",
		"Times that another server was found in place of the shared store.",
		() => status().failovers,
	);
	gauge(
		registry,
		"rollcall_shared_hosts",
		"Hosts that the shared store heard of lately.",
		() => status().hosts,
	);
	gauge(
		registry,
		"rollcall_shared_clock_offset_seconds",
		"What the shared clock is ahead of this machine's.",
		() => {
			return status().clockOffsetMs / 1_000;
		},
	);
	gauge(
		registry,
		"rollcall_shared_keys_age_seconds",
		"Time since keys were known to be current; -1: not yet.",
		() => {
			const { keysHeardAgoMs } = status();
			return keysHeardAgoMs === null ? -1 : keysHeardAgoMs / 1_000;
		},
	);
	gauge(registry, "rollcall_shared_leased_keys", "Keys of which this host holds or held a lease.", () => {
		return status().leasedKeys;
	});
	total(
		registry,
		"rollcall_shared_commands_total",
		"Commands sent to the shared store.",
		() => status().commands,
	);
	total(registry, "rollcall_shared_exchanges_total", "Exchanges about leases.", () => status().exchanges);
	total(
		registry,
		"rollcall_shared_exchanges_lost_total",
		"Exchanges without a reply.",
		() => status().lostExchanges,
	);
	total(registry, "rollcall_shared_granted_total", "Requests granted by leases, in all windows.", () => {
		return status().granted;
	});
}

/** Notes for a balancer or an operator about a host that is ready. One per line. */
export function hostNotes(
	puller: PullerState | null,
	shared: SharedStatus | null,
	staleAfterMs: number,
): string[] {
	const notes: string[] = [];
	if (puller !== null && (puller.heardAgoMs === null || puller.heardAgoMs > staleAfterMs)) {
		const age =
			puller.heardAgoMs === null ? "since the start" : `for ${Math.round(puller.heardAgoMs / 1_000)} s`;
		notes.push(`object store: not heard ${age}; months are as of revision ${puller.revision}`);
	}
	if (shared !== null && shared.faultCode !== null) {
		const fault = FAULTS_SAID[shared.faultCode];
		notes.push(`${fault}; requests are counted by the leases held here, keys are as last heard`);
	}
	return notes;
}
