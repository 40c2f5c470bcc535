/**
 * The objects of a store of months (docs/OPERATING.md, "Months in an object store"):
 *
 * ```
 * the index         which months are live, and since when
 * manifests/SHA256  the files of one published month
 * objects/SHA256    a file's bytes
 * ```
 *
 * Objects and manifests are named by their digests and never change. The index is the only mutable document;
 * each change increments its revision, so a host can recognise an old copy.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import { isMonth } from "../domain/row-id.js";
import { PULLS_FOLDER } from "../files/data-folder.js";
import { ObjectStoreError } from "./errors.js";
import type { ObjectStore } from "./object-store.js";

export const INDEX_NAME = "index.json";
export const INDEX_BYTES_MAX = 1 << 20;
export const STORED_MANIFEST_BYTES_MAX = 4 << 20;

/** Version of both documents; readers refuse others. */
export const STORE_FORMAT = 1;

/** Months of a hundred years. Hosts go through all of them ten times a second. */
const MONTHS_MAX = 1_200;

/** The latest time that a Date can hold, in milliseconds since 1970. */
const TIME_MS_MAX = 8.64e15;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const month = z.string().refine(isMonth, { error: "must be a month, YYYY-MM" });

function byMonth<T extends z.ZodType>(value: T) {
	const isFew = (months: object) => Object.keys(months).length <= MONTHS_MAX;
	return z.record(month, value).refine(isFew, { error: `has more than ${MONTHS_MAX} months` });
}

const indexSchema = z.strictObject({
	format: z.literal(STORE_FORMAT),
	/** Incremented by each change. */
	revision: z.int().min(0),
	months: byMonth(
		z.strictObject({
			/** Digest of the month's manifest. */
			manifest: sha256,
			/** When every host starts to serve it, in milliseconds since 1970. */
			live_at: z.int().min(0).max(TIME_MS_MAX),
		}),
	),
	/**
	 * Digest of the manifest of the revision that was last in service, by month: retired, or replaced. Until the
	 * `live_at` of its replacement it is in service. Its objects are kept. Absent while there is none, so that readers of
	 * before it accept the index.
	 */
	retired: byMonth(sha256).optional(),
	/**
	 * Announced months whose retired revision was out of service when they were announced, and stays so. Absent while
	 * there is none.
	 */
	unserved: z.array(month).max(MONTHS_MAX).optional(),
});

/** Paths that a manifest may name: files of the month below the data folder, and nothing else. */
const MONTH_FILE =
	/^(?:snapshots\/\d{4}-\d{2}|changes\/\d{4}-\d{2}_\d{4}-\d{2}\.[0-9a-f]{8}\.[0-9a-f]{8})\/(?:rows\/)?[a-z0-9_][a-z0-9_.-]{0,79}$|^manifests\/\d{4}-\d{2}\.json$/;

const manifestSchema = z.strictObject({
	format: z.literal(STORE_FORMAT),
	month,
	/** Digest of the snapshot, from its catalog. */
	digest: z.string().regex(/^[0-9a-f]{8}$/),
	rows: z.int().min(0),
	files: z
		.array(
			z.strictObject({
				/** Relative to the data folder. */
				path: z.string().regex(MONTH_FILE),
				bytes: z.int().min(0),
				sha256,
			}),
		)
		.min(1)
		.max(10_000),
});

export type MonthIndex = z.infer<typeof indexSchema>;
export type StoredManifest = z.infer<typeof manifestSchema>;
export type StoredFile = StoredManifest["files"][number];

export const EMPTY_INDEX: MonthIndex = { format: STORE_FORMAT, revision: 0, months: {} };

export function objectName(digest: string): string {
	return `objects/${digest}`;
}

export function manifestName(digest: string): string {
	return `manifests/${digest}.json`;
}

export function sha256Of(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Digest of the manifest of the revision that is in service until the announced replacement of its month is live; null:
 * no replacement is announced, or nothing is in service.
 */
export function replacedRevision(
	{
		months,
		retired,
		unserved,
	}: Pick<MonthIndex, "months" | "retired"> & { readonly unserved?: readonly string[] },
	ofMonth: string,
	nowMs: number,
): string | null {
	const announced = months[ofMonth];
	if (announced === undefined || announced.live_at <= nowMs || unserved?.includes(ofMonth)) return null;
	return retired?.[ofMonth] ?? null;
}

/** The stored form of a document. */
export function documentBytes(document: MonthIndex | StoredManifest): Buffer {
	return Buffer.from(`${JSON.stringify(document, null, "\t")}\n`);
}

/** Throws {@link ObjectStoreError} `corrupt_object` for an invalid index. */
export function parseIndex(bytes: Uint8Array, what: string): MonthIndex {
	return parse(indexSchema, bytes, what);
}

/** Parses the index of a store. Throws {@link ObjectStoreError} `corrupt_object`, which says what mends it. */
export function parseStoredIndex(store: Pick<ObjectStore, "url">, bytes: Uint8Array): MonthIndex {
	return parse(
		indexSchema,
		bytes,
		`${store.url}/${INDEX_NAME}`,
		`; put back an intact copy: servers keep theirs as ${PULLS_FOLDER}/${INDEX_NAME} in the data folder`,
	);
}

/** Reads the index of a store, with its ETag; null: it has none. Throws as {@link parseStoredIndex} and `ObjectStore.read`. */
export async function readStoredIndex(
	store: ObjectStore,
): Promise<{ readonly index: MonthIndex; readonly etag: string } | null> {
	const found = await store.read(INDEX_NAME, INDEX_BYTES_MAX);
	if (found === null || found === "unchanged") return null;
	return { index: parseStoredIndex(store, found.bytes), etag: found.etag };
}

/** Throws {@link ObjectStoreError} `corrupt_object` for an invalid manifest or one that names other months' files. */
function parseManifest(bytes: Uint8Array, what: string): StoredManifest {
	const manifest = parse(manifestSchema, bytes, what);
	const foreign = manifest.files.find(({ path }) => !belongsTo(path, manifest.month));
	if (foreign !== undefined) {
		throw new ObjectStoreError(
			"corrupt_object",
			`${what}: ${foreign.path} is not a file of ${manifest.month}`,
		);
	}
	return manifest;
}

function belongsTo(path: string, of: string): boolean {
	if (path.startsWith("changes/")) return path.slice("changes/".length).split(".")[0].includes(of);
	return path.startsWith(`snapshots/${of}/`) || path === `manifests/${of}.json`;
}

function parse<T>(schema: z.ZodType<T>, bytes: Uint8Array, what: string, remedy = ""): T {
	let document: unknown;
	try {
		document = JSON.parse(Buffer.from(bytes).toString("utf8"));
	} catch {
		throw new ObjectStoreError("corrupt_object", `${what}: is not JSON${remedy}`);
	}
	const parsed = schema.safeParse(document);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const place = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
	throw new ObjectStoreError("corrupt_object", `${what}: ${place}${issue.message}${remedy}`);
}

/** The manifest with the given digest. Fails with `missing_object` or `corrupt_object`. */
export async function readStoredManifest(
	store: ObjectStore,
	digest: string,
	signal?: AbortSignal,
): Promise<StoredManifest> {
	const name = manifestName(digest);
	const what = `${store.url}/${name}`;
	const document = await store.read(name, STORED_MANIFEST_BYTES_MAX, { signal });
	if (document === null || document === "unchanged") {
		throw new ObjectStoreError(
			"missing_object",
			`${what}: the index refers to it, but it does not exist; push the month again`,
		);
	}
	const found = sha256Of(document.bytes);
	if (found !== digest)
		throw new ObjectStoreError("corrupt_object", `${what}: its digest is ${found}; push the month again`);
	return parseManifest(document.bytes, what);
}
