/** Expands an operator's arguments to source files. */

import { readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { BuildError, systemErrorText } from "../errors.js";
import type { ByteReader } from "./byte-reader.js";
import type { FileStamp } from "./unchanged-reader.js";

/** The argument for standard input. */
export const STANDARD_INPUT = "-";

/**
 * Names of files in a folder that are read as drops. Hidden files are none, such as the `._x` of macOS beside `x`, nor is
 * the `~$x` of Excel beside an open `x`.
 */
const DROP_NAME = /^(?!~\$)[^.].*\.((csv|tsv|txt)(\.(gz|zst|zstd))?|zip|xlsx)$/i;

/** Names of compressed files, and how many times their size a drop usually has. */
const COMPRESSED_NAME = /\.(gz|zst|zstd|zip|xlsx)$/i;
const COMPRESSION_RATIO = 10;

export interface SourceFile {
	/**
	 * Path as the operator gave it, or under the folder given; `-` for standard input. An archive's drops have
	 * the archive's path and their own name; a single one has the archive's path.
	 */
	readonly path: string;
	/** Size on disk; null if it is unknown before reading. */
	readonly bytes: number | null;
	/**
	 * The archive, its state when its entries were listed, and the entry; null: the file itself. The archive is opened
	 * again for every entry.
	 */
	readonly inside: { readonly archive: string; readonly stamp: FileStamp; readonly entry: string } | null;
	/** Opens rows that are not in a file; they are read without a map. */
	readonly open?: () => ByteReader;
}

export interface SourceFiles {
	readonly files: readonly SourceFile[];
	/** Entries of the given folders that are not read: other names, and folders. */
	readonly skipped: readonly string[];
}

/**
 * The files of `paths`, in their order; a folder is replaced by its files with the name of a drop, sorted by
 * name. Throws {@link BuildError} `missing_file`, `unreadable_file`, `no_files`, or `duplicate_file` if one is
 * given twice, which would duplicate its rows.
 */
export function listSourceFiles(paths: readonly string[]): SourceFiles {
	const files: SourceFile[] = [];
	const skipped: string[] = [];
	for (const path of paths) {
		if (path === STANDARD_INPUT) {
			files.push({ path, bytes: null, inside: null });
			continue;
		}
		const status = reading(path, () => statSync(path));
		if (!status.isDirectory()) {
			files.push({ path, bytes: status.isFile() ? status.size : null, inside: null });
			continue;
		}
		const found = filesOfFolder(path, skipped);
		if (found.length === 0) {
			throw new BuildError("no_files", "the folder has no .csv, .tsv, .txt, .xlsx or .zip file", {
				file: path,
			});
		}
		files.push(...found);
	}
	if (files.length === 0) throw new BuildError("no_files", "no file was given");
	refuseDuplicates(files);
	return { files, skipped };
}

/**
 * Uncompressed bytes of the files of `paths`, estimated by their names; Infinity if a size is unknown before
 * reading. Throws like {@link listSourceFiles}.
 */
export function plainBytes(paths: readonly string[]): number {
	if (paths.length === 0) return 0;
	const sizes = listSourceFiles(paths).files.map(({ path, bytes }) => {
		const ratio = COMPRESSED_NAME.test(path) ? COMPRESSION_RATIO : 1;
		return ratio * (bytes ?? Number.POSITIVE_INFINITY);
	});
	return sizes.reduce((sum, size) => sum + size, 0);
}

function filesOfFolder(folder: string, skipped: string[]): SourceFile[] {
	const files: SourceFile[] = [];
	for (const name of reading(folder, () => readdirSync(folder)).sort()) {
		const path = join(folder, name);
		const status = reading(path, () => statSync(path));
		if (status.isFile() && DROP_NAME.test(name)) files.push({ path, bytes: status.size, inside: null });
		else skipped.push(path);
	}
	return files;
}

function refuseDuplicates(files: readonly SourceFile[]): void {
	const seen = new Set<string>();
	for (const { path } of files) {
		const real = path === STANDARD_INPUT ? path : reading(path, () => realpathSync(path));
		if (seen.has(real)) throw new BuildError("duplicate_file", "the file is given twice", { file: path });
		seen.add(real);
	}
}

function reading<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
		throw new BuildError(missing ? "missing_file" : "unreadable_file", systemErrorText(error), {
			file: path,
		});
	}
}
