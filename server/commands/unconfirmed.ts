/** Who has not confirmed a change of keys, as the commands that change them report it: the change itself is stored. */

import { awaitAcknowledgement } from "../store/acknowledgement.js";
import type { Store } from "../store/store.js";

/** How long a command that changes keys waits for running servers, in milliseconds. */
export const ACKNOWLEDGED_MS_MAX = 1_000;

/** Who has not confirmed a change. */
export interface Unconfirmed {
	/** `host NAME` or `process PID`. */
	readonly name: string;
	/** Time of the last heartbeat of a host that ended, or lost its connection, without leaving; null: it is connected. */
	readonly last_heard_at: string | null;
}

/** Waits until every running server of the store's folder acts on its changes, at most `timeoutMs`. Returns those that do not. */
export async function unconfirmedServers(store: Store, timeoutMs: number): Promise<Unconfirmed[]> {
	const behind = await awaitAcknowledgement(store.path, store.generation(), timeoutMs);
	return behind.map((pid) => ({ name: `process ${pid}`, last_heard_at: null }));
}

/** The fields that the document of a command has for them; none if all have confirmed. */
export function unconfirmedDocument(unconfirmed: readonly Unconfirmed[]): {
	readonly unconfirmed?: readonly Unconfirmed[];
} {
	return unconfirmed.length === 0 ? {} : { unconfirmed };
}

/** The same as warnings, a line each; "" if all have confirmed. */
export function unconfirmedText(unconfirmed: readonly Unconfirmed[]): string {
	const behind = unconfirmed.filter(({ last_heard_at }) => last_heard_at === null);
	const silent = unconfirmed.filter(({ last_heard_at }) => last_heard_at !== null);
	const names = behind.map(({ name }) => name).join(", ");
	const lines = silent.map(
		({ name, last_heard_at }) =>
			`warning: ${name} was last heard at ${last_heard_at} and did not leave; if it still serves, it does not know of the change\n`,
	);
	if (names !== "")
		lines.unshift(
			`warning: the change is stored, but not confirmed within ${ACKNOWLEDGED_MS_MAX / 1_000} s by ${names}\n`,
		);
	return lines.join("");
}
