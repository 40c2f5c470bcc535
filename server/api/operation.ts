/**
 * An operation of the API, independent of how it is called: HTTP and the tool server run the same operations.
 * It runs in two steps, in the order of checks of docs/API.md §1.8:
 *
 * 1. `read`: parameters, then scope. Depends only on the raw parameters and the grant, so the result may be
 *    cached.
 * 2. `answer`: history, then, if the body is needed, the work.
 *
 * Both throw ApiError. An answer's body is rendered once, and may be a view that the next rendering overwrites.
 */

import type { z } from "zod";
import type { ByteSink, RowFormat, Snapshot } from "../../engine/index.js";
import type { RawParameters } from "../../formats/index.js";
import type { ExportCatalog } from "../exports/export-catalog.js";
import type { HeaderBlock } from "../http/transport.js";
import type { Key } from "../keys/key.js";
import type { CountedUnit } from "../limits/counted-units.js";
import type { Limits } from "../limits/limits.js";
import type { UsageReader } from "../limits/usage.js";
import type { Endpoint } from "../limits/usage-codes.js";
import type { Arrivals } from "./bulk/arrivals.js";
import type { Cursors } from "./bulk/cursor.js";
import type { Works } from "./bulk/sliced-works.js";
import type { WalkPages } from "./bulk/walk-pages.js";
import type { JsonCache } from "./caches/json-cache.js";
import type { StatsCache } from "./caches/stats-cache.js";
import type { ParameterObject } from "./parameters/validation.js";
import type { RecentCalls } from "./recent-calls.js";
import type { PageNumber } from "./responses/page-links.js";
import type { Grant } from "./scope/grant.js";
import type { Snapshots } from "./scope/history-entitlement.js";

/** The services that operations use; one per thread. */
export interface Services {
	readonly loaded: Snapshots;
	readonly limits: Limits;
	readonly usage: UsageReader;
	readonly stats: StatsCache;
	/** ISO 8601 instant the snapshot was published; null without a manifest. */
	builtAt(snapshot: Snapshot): string | null;
	/** Where bodies are rendered. */
	readonly sink: ByteSink;
	readonly jsonCache: JsonCache;
	readonly cursors: Cursors;
	readonly exports: ExportCatalog;
	/** Work that answers wait for. */
	readonly works: Works;
	readonly arrivals: Arrivals;
	readonly recentCalls: RecentCalls<AnsweredCall>;
	readonly walkPages: WalkPages;
	/** Called with the reason why the changes between two months cannot be answered. */
	onMissingChanges(error: Error): void;
}

/** A call that was answered. */
export interface AnsweredCall {
	readonly operation: Pick<Operation<unknown>, "answer">;
	/** What the operation read. */
	readonly asked: unknown;
	readonly grant: Grant;
	/** Whether its client takes answers compressed. */
	readonly gzip: boolean;
}

/** The caller, and the time of the request. */
export interface Call {
	readonly key: Key;
	readonly grant: Grant;
	readonly nowMs: number;
	readonly services: Services;
	/**
	 * Counts the call as so many requests in place of one. Throws ApiError beyond a limit; it then counts toward nothing.
	 * Absent where the answer says how many (HTTP). `unit`: what they are counted by; absent: by what was looked up.
	 */
	recount?(requests: number, unit?: CountedUnit): void;
}

export interface Body {
	readonly bytes: Uint8Array | string;
	/** Headers of this body besides `Content-Type`. */
	readonly headers: HeaderBlock;
	/** License rows in it; absent: none. */
	readonly rows?: number;
	/** Number of requests that a body in pieces counts as; absent: one. */
	readonly requests?: number;
	/**
	 * Returns the pieces after `bytes`, each a view until the next call; null after the last. Absent: there are
	 * none.
	 */
	readonly next?: () => Uint8Array | null;
	/** Called once no more pieces are taken; absent: that need not be known. */
	readonly ended?: () => void;
	/** Its position among the pages of a list; absent: not a page. */
	readonly pageNumber?: PageNumber | undefined;
}

/** A file of this machine as a body, of which ranges may be requested. */
export interface AnswerFile {
	readonly path: string;
	readonly bytes: number;
	/** 64 hexadecimal digits. */
	readonly sha256: string;
	/** Name to save it under. */
	readonly name: string;
}

export interface Answer {
	/** Entity tag; null for an answer that differs with every request. */
	readonly tag: string | null;
	readonly contentType: string;
	/**
	 * The snapshot that determines the body, and the request as read; null: more determines it, or it is not
	 * worth caching.
	 */
	readonly snapshot: Snapshot | null;
	/** The format of a body that consists of rows of `snapshot` and is compressed as such; absent: any other body. */
	readonly rowFormat?: RowFormat;
	/** A file to send instead of the body; absent: none. */
	readonly file?: AnswerFile;
	/**
	 * Number of requests that it counts as, by the licenses or rows in it, which is known before most of the work; absent: one, or
	 * {@link Body.requests}.
	 */
	requests?(): number;
	/** What {@link requests} are counted by; absent: they are one. A body of so many rows that these are several is in pieces. */
	readonly unit?: CountedUnit;
	/** Does the work. */
	body(): Body;
	/** The body as data, for callers that render it differently; absent if it is rendered row by row. */
	value?(): unknown;
}

export interface Operation<Request> {
	readonly endpoint: Endpoint;
	/** Name of the operation in documentation and generated clients; frozen. */
	readonly operationId: string;
	/** Its section in documentation. */
	readonly tag: "Licenses" | "Snapshots" | "Key" | "Extensions";
	/** Whether responses have an entity tag and honour If-None-Match. */
	readonly revalidated: boolean;
	/** One line for documentation. */
	readonly summary: string;
	readonly description: string;
	readonly parameters: ParameterObject<unknown>;
	/** Parameters that may be given several times; absent: none. */
	readonly repeatable?: ReadonlySet<string>;
	/** The path parameter, or several separated by slashes; null: none. */
	readonly pathParameter: string | null;
	/** The JSON body of a 200; `file`: it is that of {@link Answer.file}. */
	readonly response: z.ZodType | "file";
	/** Refuses a key for which no parameters could succeed, before they are read; absent: never. Throws ApiError. */
	authorize?(grant: Grant, loaded: Snapshots): void;
	/** Validates the parameters, then checks them against the grant. Throws ApiError. */
	read(given: RawParameters, grant: Grant): Request;
	/** Resolves the snapshot and describes the answer; its `body` does the work. Throws ApiError. */
	answer(request: Request, call: Call): Answer;
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** An answer whose body is `value` as JSON. */
export function jsonAnswer(tag: string | null, value: () => unknown): Answer {
	return {
		tag,
		contentType: JSON_TYPE,
		snapshot: null,
		body: () => ({ bytes: JSON.stringify(value()), headers: "" }),
		value,
	};
}

/**
 * {@link jsonAnswer} from the cache of JSON bodies. `name`: the cache key, which must determine the bytes; a tag that
 * contains a fingerprint does not, since a client can forge a request that has the fingerprint of another's.
 * `write`: what writes the same document faster; null: nothing does.
 */
export function cachedJsonAnswer(
	cache: JsonCache,
	tag: string,
	name: string,
	value: () => unknown,
	write: (() => Buffer) | null = null,
): Answer {
	const bytes = () => (write === null ? cache.json(name, value) : cache.bytes(name, write));
	return {
		tag,
		contentType: JSON_TYPE,
		snapshot: null,
		body: () => ({ bytes: bytes(), headers: "" }),
		value,
	};
}
