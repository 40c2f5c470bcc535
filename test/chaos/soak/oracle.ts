/**
 * What every request of a soak is to be answered with, in each state of the published months: the
 * operations run here, over maps of this process's own, without transport, threads, caches, limits or
 * load. (That the engine is right is shown elsewhere, against a naive scan.)
 *
 * A world is a set of published months; an answer is known by its status, tag, headers and the
 * checksum of its body in each.
 */

import { crc32 } from "node:zlib";
import {
	ByteSink,
	finishWork,
	type Library,
	openLibrary,
	PendingWork,
	type Snapshot,
} from "../../../engine/index.js";
import { Arrivals } from "../../../server/api/bulk/arrivals.js";
import { Cursors } from "../../../server/api/bulk/cursor.js";
import { STREAM_LIMIT_MAX } from "../../../server/api/bulk/walk.js";
import { WalkPages } from "../../../server/api/bulk/walk-pages.js";
import { JsonCache } from "../../../server/api/caches/json-cache.js";
import { StatsCache } from "../../../server/api/caches/stats-cache.js";
import { ApiError, errorBody } from "../../../server/api/errors.js";
import type { Call, Services } from "../../../server/api/operation.js";
import { OPERATIONS } from "../../../server/api/operation-table.js";
import { decodeQuery } from "../../../server/api/parameters/request-query.js";
import { RecentCalls } from "../../../server/api/recent-calls.js";
import { matchesTag } from "../../../server/api/responses/entity-tag.js";
import { Router } from "../../../server/api/router.js";
import { GrantCache } from "../../../server/api/scope/grant-cache.js";
import type { Snapshots } from "../../../server/api/scope/history-entitlement.js";
import { ExportCatalog } from "../../../server/exports/export-catalog.js";
import type { Key } from "../../../server/keys/key.js";
import { callResponse } from "../../../server/mcp/call-response.js";
import { callTool } from "../../../server/mcp/call-tool.js";
import { isObject } from "../../../server/mcp/json-rpc.js";
import { findTool } from "../../../server/mcp/tools.js";
import type { Ask, Judged } from "./request-mix.js";
import type { KeyClass } from "./soak-keys.js";

export interface Expected {
	readonly status: number;
	/** Of the body as it is before compression. */
	readonly crc: number;
	readonly bytes: number;
	/** Null: none, or one that is not judged. */
	readonly tag: string | null;
	/** Headers that the operation adds, as a block. */
	readonly headers: string;
}

/** A request with its answers, one a world. */
export interface Question {
	readonly ask: Ask;
	/** Value of `If-None-Match`; null: none is sent. */
	readonly ifNoneMatch: string | null;
	readonly answers: readonly Expected[];
}

/** Stands for every time at which a month was built. */
const BUILT_AT = /(\\?)"built_at\\?":(?:\\?"[^"\\]*\\?"|null)/g;

const CURSOR = /(next_cursor\\*":\\*")[\w-]+/g;

/** A body of months with the times they were built at left out. */
export function withoutBuildTimes(body: string): string {
	return body.replaceAll(BUILT_AT, '$1"built_at$1":null');
}

/** The result of `find` after the work that it may need. */
function finished<T>(find: () => T | PendingWork): T {
	for (;;) {
		const found = find();
		if (!(found instanceof PendingWork)) return found;
		finishWork(found.work);
	}
}

interface Given {
	readonly status: number;
	readonly bytes: Uint8Array | string;
	readonly tag: string | null;
	readonly headers: string;
}

export class Oracle {
	private readonly library: Library;
	private readonly worlds: readonly Services[];
	private readonly router = new Router(OPERATIONS, []);
	private readonly grants = new GrantCache();

	/** `worlds` name the months published in each; all lie in `dataFolder`. */
	constructor(
		dataFolder: string,
		worlds: readonly (readonly string[])[],
		private readonly keys: Readonly<Record<KeyClass, Key>>,
	) {
		this.library = openLibrary({ dataFolder });
		const stats = new StatsCache();
		const sink = new ByteSink();
		this.worlds = worlds.map((months) => ({
			loaded: this.world(months),
			limits: {
				take: notAsked,
				giveBack: notAsked,
				check: notAsked,
				peek: notAsked,
				quota: () => null,
				windows: () => [],
			},
			usage: { usage: notAsked },
			stats,
			sink,
			jsonCache: new JsonCache(),
			builtAt: () => null,
			exports: new ExportCatalog(dataFolder),
			works: { result: finished },
			arrivals: new Arrivals(),
			recentCalls: new RecentCalls(),
			walkPages: new WalkPages(STREAM_LIMIT_MAX),
			cursors: new Cursors(() => new Uint8Array(32)),
			onMissingChanges: notAsked,
		}));
	}

	/** Every month of every world, newest first. */
	get snapshots(): readonly Snapshot[] {
		return this.library.snapshots;
	}

	question(ask: Ask): Question {
		const ifNoneMatch = ask.conditional ? this.answer(ask, this.worlds[0]).tag : null;
		const answers = this.worlds.map((world) => expected(ask, this.answer(ask, world), ifNoneMatch));
		return { ask, ifNoneMatch, answers };
	}

	private world(months: readonly string[]): Snapshots {
		const snapshots = this.library.snapshots.filter(({ month }) => months.includes(month));
		if (snapshots.length !== months.length)
			throw new RangeError(`of ${months.join(", ")}, ${snapshots.length} months are there`);
		return {
			snapshots,
			latest: snapshots[0] ?? null,
			find: (month) => snapshots.find((snapshot) => snapshot.month === month),
			changesInSlices: (from, to) => this.library.changes(from, to),
			comparedGroupsInSlices: (...asked) => this.library.comparedGroupsInSlices(...asked),
		};
	}

	private answer(ask: Ask, services: Services): Given {
		if (ask.judged === "usage") return { status: 200, bytes: "", tag: null, headers: "" };
		if (ask.key === null) return health(services.loaded);
		const key = this.keys[ask.key];
		const call: Call = {
			key,
			grant: this.grants.of(key),
			nowMs: Date.now(),
			services,
		};
		try {
			return ask.body === null ? this.operated(ask.path, call) : called(ask.body, call);
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			return { status: error.status, bytes: errorBody(error), tag: null, headers: "" };
		}
	}

	private operated(target: string, call: Call): Given {
		const [path, query = ""] = target.split("?");
		const match = this.router.find(path);
		if (match?.kind !== "operation") throw new RangeError(`no operation answers ${path}`);
		const given = decodeQuery(query, match.operation.repeatable);
		const { operation, pathValue } = match;
		if (operation.pathParameter !== null && pathValue !== null) given.add(operation.pathParameter, pathValue);
		operation.authorize?.(call.grant, call.services.loaded);
		const answer = operation.answer(operation.read(given, call.grant), call);
		const { bytes, headers } = answer.body();
		return { status: 200, bytes, tag: answer.tag, headers };
	}
}

function notAsked(): never {
	throw new RangeError("the oracle neither counts nor limits");
}

function health({ snapshots, latest }: Snapshots): Given {
	const body = {
		status: "ok",
		version: "v1",
		snapshot: latest?.month ?? null,
		snapshots: snapshots.length,
		database: "ok",
	};
	return { status: 200, bytes: JSON.stringify(body), tag: null, headers: "" };
}

/** A call of a tool, in the era that begins with a handshake. */
function called(body: string, call: Call): Given {
	const { id, params } = JSON.parse(body) as { id: number; params: { name: string; arguments: unknown } };
	const tool = findTool(params.name);
	if (tool === undefined || !isObject(params.arguments)) throw new RangeError(`no tool ${params.name}`);
	const bytes = callResponse("handshake", id, callTool(tool, params.arguments, call));
	return { status: 200, bytes, tag: null, headers: "" };
}

function expected(ask: Ask, { status, bytes, tag, headers }: Given, ifNoneMatch: string | null): Expected {
	if (tag !== null && ifNoneMatch !== null && matchesTag(ifNoneMatch, tag))
		return { status: 304, crc: 0, bytes: 0, tag, headers: "" };
	const compared = comparable(ask.judged, Buffer.from(bytes as string));
	const isListing = ask.judged === "listing";
	return { status, crc: crc32(compared), bytes: compared.length, tag: isListing ? null : tag, headers };
}

/** What of a body must be as expected; see {@link Judged}. */
export function comparable(judged: Judged, body: Buffer): Buffer {
	if (judged === "listing") return Buffer.from(withoutBuildTimes(body.toString("utf8")));
	return judged === "call" ? Buffer.from(body.toString("utf8").replaceAll(CURSOR, "$1")) : body;
}
