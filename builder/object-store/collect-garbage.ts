/**
 * Removing what no index names: objects and manifests of months that were withdrawn or pruned.
 *
 * A push in progress has sent objects that no index names yet, so only what is older than `olderThanMs`
 * goes; a push that takes longer than that is to be started again.
 */

import {
	INDEX_BYTES_MAX,
	INDEX_NAME,
	manifestName,
	type ObjectStore,
	objectName,
	parseIndex,
	readStoredManifest,
} from "../../formats/object-store/index.js";

export interface Collected {
	readonly objects: number;
	readonly bytes: number;
}

/** Removes them. Cost: a listing of the store and a request for each object removed. */
export async function collectGarbage(
	store: ObjectStore,
	olderThanMs: number,
	nowMs: number,
): Promise<Collected> {
	const named = await namedObjects(store);
	let objects = 0;
	let bytes = 0;
	for (const prefix of ["objects/", "manifests/"]) {
		for await (const object of store.list(prefix)) {
			if (named.has(object.name) || !(nowMs - object.modifiedMs > olderThanMs)) continue;
			await store.remove(object.name);
			objects++;
			bytes += object.bytes;
		}
	}
	return { objects, bytes };
}

async function namedObjects(store: ObjectStore): Promise<Set<string>> {
	const names = new Set<string>();
	const document = await store.read(INDEX_NAME, INDEX_BYTES_MAX);
	if (document === null || document === "unchanged") return names;
	const index = parseIndex(document.bytes, `${store.url}/${INDEX_NAME}`);
	const live = Object.values(index.months).map(({ manifest }) => manifest);
	for (const manifest of new Set([...live, ...Object.values(index.retired ?? {})])) {
		names.add(manifestName(manifest));
		for (const { sha256 } of (await readStoredManifest(store, manifest)).files) names.add(objectName(sha256));
	}
	return names;
}
