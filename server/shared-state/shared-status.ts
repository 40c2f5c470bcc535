/** The status of the state that a host shares. Types only. */

import type { SharedStoreErrorCode } from "./errors.js";

/** For metrics and readiness. */
export interface SharedStatus {
	readonly linked: boolean;
	/** The current failure, as text safe to display; null: none. */
	readonly fault: string | null;
	/** Its code; null: none. */
	readonly faultCode: SharedStoreErrorCode | null;
	/** Times that the shared store was found without its data, or another server in its place, since the start. */
	readonly dataLosses: number;
	readonly failovers: number;
	/** Hosts with a recent heartbeat, including this one. */
	readonly hosts: number;
	/** Commands sent to the shared store since the start. */
	readonly commands: number;
	readonly exchanges: number;
	readonly granted: number;
	readonly lostExchanges: number;
	readonly keysHeardAgoMs: number | null;
	readonly clockOffsetMs: number;
	readonly leasedKeys: number;
}
