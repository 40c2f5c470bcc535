/**
 * Sends a month's files to an object store: files first, by digest, then the month's manifest. The index, which
 * index-changes.ts changes afterwards, makes the month visible, so hosts never see half of one; a push that ends
 * early leaves objects that the next one uses. After the index, a push looks once more for all its objects
 * (collect-garbage.ts).
 */

import { existsSync, openAsBlob, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import {
	CHANGES_FOLDER,
	hex,
	MANIFESTS_FOLDER,
	manifestFile,
	SNAPSHOTS_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import {
	digestOfFile,
	documentBytes,
	FILES_PARALLEL,
	inParallel,
	manifestName,
	type ObjectStore,
	objectName,
	readStoredManifest,
	STORE_FORMAT,
	type StoredFile,
	type StoredManifest,
	sha256Of,
} from "../../formats/object-store/index.js";
import { BuildError } from "../errors.js";
import { verifyChecksums } from "../verify/verify-snapshot.js";

/** Times that a month is sent again because objects of it were removed. */
const CONFIRM_TRIES = 3;

export interface PushedMonth {
	readonly month: string;
	/** Digest of its manifest. */
	readonly manifest: string;
	readonly files: number;
	readonly bytes: number;
	/** Bytes that the store did not have. */
	readonly sent: number;
}

/**
 * Verifies the checksums of a published month, and sends its files and its manifest; the index is not changed. Throws
 * BuildError `not_published`, FormatError for a damaged month, of which nothing is sent: hosts compare what they pull
 * with digests that are computed here, so damage would reach all of them. Throws ObjectStoreError as soon as a file cannot
 * be sent; the others then end too.
 */
export async function pushFiles(store: ObjectStore, dataFolder: string, month: string): Promise<PushedMonth> {
	const folder = snapshotFolder(dataFolder, month);
	if (!existsSync(folder)) {
		throw new BuildError("not_published", `${month} is not published in ${dataFolder}`);
	}
	const snapshot = SnapshotFiles.open(folder);
	verifyChecksums(snapshot);
	const files: StoredFile[] = [];
	let sent = 0;
	await inParallel(filesOf(dataFolder, month), FILES_PARALLEL, async (local, signal) => {
		const { path, bytes, sha256 } = await describe(local, signal);
		files.push({ path, bytes, sha256 });
		if ((await store.size(objectName(sha256), signal)) === bytes) return;
		await store.write(objectName(sha256), await openAsBlob(local.file), sha256, null, signal);
		sent += bytes;
	});
	files.sort((a, b) => (a.path < b.path ? -1 : 1));
	const manifest: StoredManifest = {
		format: STORE_FORMAT,
		month,
		digest: hex(snapshot.crc),
		rows: snapshot.catalog.rows,
		files,
	};
	const bytes = documentBytes(manifest);
	const digest = sha256Of(bytes);
	await store.write(manifestName(digest), new Blob([bytes]), digest, null);
	return {
		month,
		manifest: digest,
		files: files.length,
		bytes: files.reduce((sum, file) => sum + file.bytes, 0),
		sent,
	};
}

/**
 * Sends again what was removed of months that the index names by now: a garbage collection may have removed objects
 * that {@link pushFiles} found in the store. Throws BuildError `not_published` if that happens over and over. Cost: a
 * request for each file.
 */
export async function confirmPushed(
	store: ObjectStore,
	dataFolder: string,
	months: readonly Pick<PushedMonth, "month" | "manifest">[],
): Promise<void> {
	for (const { month, manifest } of months) {
		for (let tries = 0; !(await isComplete(store, manifest)); tries++) {
			if (tries === CONFIRM_TRIES)
				throw new BuildError("not_published", `${store.url} loses objects of ${month}; push it again`);
			await pushFiles(store, dataFolder, month);
		}
	}
}

/** Whether the store has a manifest and all objects that it names. */
async function isComplete(store: ObjectStore, manifest: string): Promise<boolean> {
	if ((await store.size(manifestName(manifest))) === null) return false;
	const { files } = await readStoredManifest(store, manifest);
	let complete = true;
	await inParallel(files, FILES_PARALLEL, async ({ sha256, bytes }, signal) => {
		if (complete && (await store.size(objectName(sha256), signal)) !== bytes) complete = false;
	});
	return complete;
}

/** A file to be sent. */
interface LocalFile {
	/** Its path on this host. */
	readonly file: string;
	/** Its path below a data folder, independent of the month's revision. */
	readonly path: string;
}

/** The snapshot's files, its manifest, and the changes from and to it. */
function filesOf(dataFolder: string, month: string): LocalFile[] {
	const files = filesBelow(snapshotFolder(dataFolder, month), `${SNAPSHOTS_FOLDER}/${month}`);
	const changes = join(dataFolder, CHANGES_FOLDER);
	if (existsSync(changes)) {
		const own = readdirSync(changes).filter((name) => name.split(".")[0].split("_").includes(month));
		files.push(...own.flatMap((name) => filesBelow(join(changes, name), `${CHANGES_FOLDER}/${name}`)));
	}
	const manifest = manifestFile(dataFolder, month);
	if (existsSync(manifest)) files.push({ file: manifest, path: `${MANIFESTS_FOLDER}/${month}.json` });
	return files;
}

function filesBelow(folder: string, path: string): LocalFile[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => {
			const file = join(entry.parentPath, entry.name);
			return { file, path: `${path}/${relative(folder, file)}` };
		});
}

async function describe({ file, path }: LocalFile, signal: AbortSignal): Promise<StoredFile> {
	const sha256 = await digestOfFile(file, signal);
	return { path, bytes: statSync(file).size, sha256 };
}
