/**
 * The interface of a peer, and loading of peers from the benchmark's own package: they are not
 * dependencies of the project, so the types that are used are declared here.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Query, RowFormat } from "../../engine/index.js";
import type { Answer } from "../shapes/answers.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import type { Question } from "../shapes/question.js";

/** A peer's response. */
export interface TimedResponse {
	/** From running the first statement to the text of the response. */
	readonly milliseconds: number;
	/** What the response says. Reading it is not in the time. */
	readonly answer: () => Answer;
}

/** A question whose statements are prepared and have their values: runs them, once. */
export type PreparedQuestion = () => Promise<TimedResponse>;

/** A database that holds the month's rows. */
export interface Peer {
	readonly name: string;
	readonly version: string;
	/** Prepares the statements of a question, which a server would have done before: it is not in the time. */
	prepare(question: Question): Promise<PreparedQuestion>;
	/** Whether it answers a question otherwise than the peer that it is a variant of; absent: it is no variant. */
	differs?(question: Question): boolean;
	/** How often one of its prepared statements was planned again so far; null or absent where that is not known. */
	reprepared?(): number | null;
	close(): Promise<void>;
}

/** A database as a peer: what of its name and of stored JSON does not depend on how it answers. */
export abstract class DatabasePeer {
	readonly name: string;
	readonly version: string;
	/** Formats of lists whose whole rows stored JSON serves. */
	protected abstract readonly storedFormats: readonly RowFormat[];

	constructor(
		{ name, version }: { readonly name: string; readonly version: string },
		/** `YYYY-MM`. */
		protected readonly month: string,
		/** Of the month. */
		protected readonly rows: number,
		/** Whether whole rows are read as JSON text, from the table of it, instead of put together from their columns. */
		protected readonly storedJson: boolean,
	) {
		this.name = storedJson ? `${name} JSON` : name;
		this.version = version;
	}

	differs(question: Question): boolean {
		return !this.storedJson || this.isStored(question);
	}

	/** Whether the question is answered with stored JSON. */
	protected isStored(question: Question): boolean {
		if (!this.storedJson || (question.kind !== "row" && question.kind !== "list")) return false;
		if (question.kind === "list" && !this.storedFormats.includes(question.format)) return false;
		return question.projection === WHOLE_ROW;
	}
}

/** The text of a list from that of its rows, with commas between. */
export function listText(rows: string, { page, limit }: Query, total: number | null): string {
	return `{"data":[${rows}],"pagination":${JSON.stringify({ page, limit, total })},"meta":{}}`;
}

/** The total of a page's question, where the page tells it: its last rows, or none at all. */
export function pageTotal({ page, limit }: Query, found: number): number | null {
	return found < limit && (found > 0 || page === 1) ? (page - 1) * limit + found : null;
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
