/** The status of the state that a host shares. Types only. */

/** For metrics and readiness. */
export interface SharedStatus {
	readonly linked: boolean;
	/** The current failure, as text safe to display; null: none. */
	readonly fault: string | null;
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
