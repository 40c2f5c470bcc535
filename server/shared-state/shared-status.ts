/** What a host reports of the state it shares. Types only. */

/** For metrics and readiness. */
export interface SharedStatus {
	readonly linked: boolean;
	/** What is wrong, in words safe to show; null: nothing. */
	readonly fault: string | null;
	/** Heard lately, this one included. */
	readonly hosts: number;
	/** Sent to the shared store since the start. */
	readonly commands: number;
	readonly exchanges: number;
	readonly granted: number;
	readonly lostExchanges: number;
	readonly keysHeardAgoMs: number | null;
	readonly clockOffsetMs: number;
	readonly leasedKeys: number;
}
