/**
 * What a host keeps of the object store in its data folder, so that it knows after a restart, with the store away,
 * which months it must have: the last accepted index, and the digest of the snapshot of each of its manifests.
 *
 * Both are written whole or not at all, also at a power loss.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, replaceFile } from "../../formats/files/durable.js";
import { PULLS_FOLDER } from "../../formats/index.js";
import {
	documentBytes,
	INDEX_NAME,
	type MonthIndex,
	ObjectStoreError,
	parseIndex,
} from "../../formats/object-store/index.js";
import type { Log } from "../log.js";
import type { FaultLog } from "./fault-log.js";

const INDEX = "index.json";
const DIGESTS = "digests.json";

const digestsSchema = z.record(z.string(), z.string());

/** The last accepted index; null: none, or an unreadable one. */
export function readKeptIndex(dataFolder: string, log: Log): MonthIndex | null {
	return readKept(dataFolder, INDEX, log, parseIndex);
}

/** Keeps the index that is followed. One that cannot be written, as on a full disk, is followed nevertheless. */
export class IndexKeeper {
	/** The last index, where it could not be written yet. */
	private unkept: MonthIndex | null = null;

	constructor(
		private readonly dataFolder: string,
		private readonly faults: FaultLog,
	) {}

	/** Keeps a new index, or tries again to keep the last one. A failure is logged. */
	keep(index = this.unkept): void {
		if (index === null) return;
		this.unkept = index;
		this.faults.attempt("keeping the index", () => {
			keep(this.dataFolder, INDEX, documentBytes(index));
			this.unkept = null;
		});
	}
}

/**
 * The error for a store without an index, of which a host has seen `revision`; 0: none. Where it is lost, pushing only some
 * months would retire the others.
 */
export function noIndexError(url: string, revision: number): ObjectStoreError {
	const remedy =
		revision === 0
			? "builder push makes it"
			: `put back ${PULLS_FOLDER}/${INDEX} of the data folder, or push all months that are to be served`;
	return new ObjectStoreError("missing_object", `${url}/${INDEX_NAME} is not there; ${remedy}`);
}

/** Digests of snapshots by digests of manifests; empty where none are kept. */
export function readKeptDigests(dataFolder: string, log: Log): Map<string, string> {
	const kept = readKept(dataFolder, DIGESTS, log, (bytes) =>
		digestsSchema.parse(JSON.parse(bytes.toString("utf8"))),
	);
	return new Map(Object.entries(kept ?? {}));
}

export function keepDigests(dataFolder: string, digests: ReadonlyMap<string, string>): void {
	keep(dataFolder, DIGESTS, Buffer.from(`${JSON.stringify(Object.fromEntries(digests))}\n`));
}

function keep(dataFolder: string, name: string, bytes: Uint8Array): void {
	const folder = join(dataFolder, PULLS_FOLDER);
	makeFolder(folder);
	replaceFile(join(folder, name), bytes);
}

function readKept<T>(
	dataFolder: string,
	name: string,
	log: Log,
	parse: (bytes: Buffer, what: string) => T,
): T | null {
	const path = join(dataFolder, PULLS_FOLDER, name);
	if (!existsSync(path)) return null;
	try {
		return parse(readFileSync(path), path);
	} catch (error) {
		log.warn(`${path} is not used: ${(error as Error).message}`);
		return null;
	}
}
