/** A script that Redis runs as one step, and what runs it. Types only. */

export interface Script {
	/** For errors and metrics. */
	readonly name: string;
	/** Lua. Deterministic but for `TIME`. */
	readonly text: string;
}

/** A reply as read: integers, texts, null, and arrays of these. */
export type Reply = number | string | null | readonly Reply[];

/** Runs scripts; the one of production is redis.ts. */
export interface ScriptRunner {
	/** Rejects with {@link SharedStoreError}. */
	run(script: Script, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply>;
}
