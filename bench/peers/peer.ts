/**
 * The interface of a peer, and loading of peers from the benchmark's own package: they are not
 * dependencies of the project, so the types that are used are declared here.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Answer, Question } from "../shapes/question.js";

/** A peer's answer and its time. */
export interface TimedAnswer {
	readonly answer: Answer;
	/** From the question to the bytes of the response. */
	readonly milliseconds: number;
	readonly bytes: number;
}

/** A database that holds the month's rows. */
export interface Peer {
	readonly name: string;
	readonly version: string;
	ask(question: Question): Promise<TimedAnswer>;
	/** How often one of its prepared statements was planned again so far; null or absent where that is not known. */
	reprepared?(): number | null;
	close(): Promise<void>;
}

/** A peer that is available, or why it is not. */
export type PeerOutcome = { readonly peer: Peer } | { readonly skipped: string; readonly name: string };

/** Folder of the benchmark's own package, in the sources; compiled code is in dist/bench/peers. */
export const PEERS_FOLDER = fileURLToPath(new URL("../../../bench/peers/", import.meta.url));

/** The module `name` of the bench's package; null where it is not installed. */
export function loadPeerModule<T>(name: string): T | null {
	const require = createRequire(join(PEERS_FOLDER, "package.json"));
	try {
		return require(name) as T;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return null;
		throw error;
	}
}
