/** A script that Redis runs atomically, and the interface that runs it. Types only. */

export interface Script {
	/** For errors and metrics. */
	readonly name: string;
	/** Lua. Deterministic except for `TIME`. */
	readonly text: string;
}

/** A decoded reply: integers, texts, null, and arrays of these. */
export type Reply = number | string | null | readonly Reply[];

/** Runs scripts; implemented by redis.ts. */
export interface ScriptRunner {
	/** Rejects with `SharedStoreError`. */
	run(script: Script, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply>;
}
