/**
 * Removing what no index names: objects and manifests of months that were withdrawn or pruned.
 *
 * A push in progress has sent objects that no index names yet, so only what is older than `olderThanMs`
 * goes. It may also rely on older objects that the store still has: the index is read again before each removal, and
 * a push looks for its objects once the index names them (push-month.ts), so whichever comes second notices.
 */

import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	manifestName,
	type ObjectStore,
	objectName,
	parseStoredIndex,
	readStoredManifest,
} from "../../formats/object-store/index.js";
import { BuildError } from "../errors.js";

export interface Collected {
	readonly objects: number;
	readonly bytes: number;
}

/**
 * Removes them. Throws BuildError `not_published` for a store without an index, where nothing tells what is in use.
 * Cost: a listing of the store, and two requests for each object removed.
 */
export async function collectGarbage(
	store: ObjectStore,
	olderThanMs: number,
	nowMs: number,
): Promise<Collected> {
	const inUse = new NamedObjects(store);
	const removed = new Set<string>();
	let bytes = 0;
	for (const prefix of ["objects/", "manifests/"]) {
		for await (const object of store.list(prefix)) {
			if (!(nowMs - object.modifiedMs > olderThanMs)) continue;
			if ((await inUse.names()).has(object.name)) continue;
			await store.remove(object.name);
			removed.add(object.name);
			bytes += object.bytes;
		}
	}
	for (const name of await inUse.names()) {
		if (!removed.has(name)) continue;
		throw new BuildError(
			"not_published",
			`${store.url}: a push began to use ${name} while it was removed; push its month again`,
		);
	}
	return { objects: removed.size, bytes };
}

/** Names of what the index refers to, as it is at each call. */
class NamedObjects {
	#etag: string | undefined;
	#names: ReadonlySet<string> = new Set();

	constructor(private readonly store: ObjectStore) {}

	/** Cost: one request; one for each month more if the index has changed. */
	async names(): Promise<ReadonlySet<string>> {
		const { store } = this;
		const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX, { etag: this.#etag });
		if (document === "unchanged") return this.#names;
		if (document === null)
			throw new BuildError(
				"not_published",
				`${store.url} has no ${INDEX_NAME}, so what is in use is unknown and nothing is removed; check --store`,
			);
		const index = parseStoredIndex(store, document.bytes);
		const live = Object.values(index.months).map(({ manifest }) => manifest);
		const names = new Set<string>();
		for (const manifest of new Set([...live, ...Object.values(index.retired ?? {})])) {
			names.add(manifestName(manifest));
			for (const { sha256 } of (await readStoredManifest(store, manifest)).files)
				names.add(objectName(sha256));
		}
		this.#etag = document.etag;
		this.#names = names;
		return names;
	}
}
