/**
 * Exported files of a month: where they lie, what they are named, and the manifest that lists them.
 *
 * ```
 * exports/2026-11.DIGEST/   the files of one snapshot, by its digest
 *   manifest.json           which files there are
 *   CA.SHA256.parquet       one of them; the middle is the first digits of its SHA-256
 * ```
 *
 * Invariants: a file never changes once its manifest lists it, and only files that are listed exist for
 * readers. The manifest is replaced by one rename, so a reader sees the files before an export or after it.
 */

import { join } from "node:path";
import { z } from "zod";
import { PROFILES, type Profile } from "../domain/reso.js";
import type { MonthOfDigest } from "./data-folder.js";
import { readJsonDocument } from "./json-document.js";

export const EXPORTS_FOLDER = "exports";
export const EXPORT_MANIFEST_FILE = "manifest.json";

/** What exported files are written as. */
export const FILE_FORMATS = ["parquet", "csv.gz", "ndjson.gz"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/**
 * Formats of exported files, which are also the ends of their names: those with our names of the columns, then
 * those with the names of a profile.
 */
export const EXPORT_FORMATS = [
	...FILE_FORMATS,
	"reso.parquet",
	"reso.csv.gz",
	"reso.ndjson.gz",
] as const satisfies readonly (FileFormat | `${Profile}.${FileFormat}`)[];
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The format of a file whose columns have the names of `profile`; null: ours. */
export function exportFormat(file: FileFormat, profile: Profile | null): ExportFormat {
	return profile === null ? file : `${profile}.${file}`;
}

/** What a format is of: the inverse of {@link exportFormat}. */
export function partsOfFormat(format: ExportFormat): {
	readonly file: FileFormat;
	readonly profile: Profile | null;
} {
	const profile = PROFILES.find((each) => format.startsWith(`${each}.`)) ?? null;
	const file = profile === null ? format : format.slice(profile.length + 1);
	return { file: file as FileFormat, profile };
}

/** In place of a state in the name of a file of the whole month. */
export const WHOLE_MONTH = "all";

/** Digits of the SHA-256 in a file's name. */
const NAME_DIGITS = 16;

const exportedFileSchema = z.strictObject({
	/** Jurisdiction whose rows it holds; null: all of them. */
	state: z.string().nullable(),
	country: z.string().nullable(),
	format: z.enum(EXPORT_FORMATS),
	rows: z.number().int(),
	bytes: z.number().int(),
	/** 64 hexadecimal digits. */
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const exportManifestSchema = z.strictObject({
	month: z.string(),
	/** Digest of the snapshot whose rows the files hold. */
	digest: z.string(),
	/** ISO 8601 instant at which the newest of the files was made. */
	exported_at: z.string(),
	files: z.array(exportedFileSchema),
});

export type ExportedFile = z.infer<typeof exportedFileSchema>;
export type ExportManifest = z.infer<typeof exportManifestSchema>;

/** Folder of the files that were exported of a snapshot. */
export function exportsFolder(dataFolder: string, { month, digest }: MonthOfDigest): string {
	return join(dataFolder, EXPORTS_FOLDER, `${month}.${digest}`);
}

/** Name of a file to clients: `CA.parquet`, or `all.parquet` of the whole month. */
export function exportName({ state, format }: Pick<ExportedFile, "state" | "format">): string {
	return `${state ?? WHOLE_MONTH}.${format}`;
}

/** Name of a file in its folder. */
export function storedExportName({ state, format, sha256 }: ExportedFile): string {
	return `${state ?? WHOLE_MONTH}.${sha256.slice(0, NAME_DIGITS)}.${format}`;
}

/** The manifest in `folder`; null if there is none. Throws FormatError `unreadable` for an invalid one. */
export function readExportManifest(folder: string): ExportManifest | null {
	return readJsonDocument(join(folder, EXPORT_MANIFEST_FILE), exportManifestSchema);
}
