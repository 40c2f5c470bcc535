/**
 * Watches the published months: compares file metadata, reads each file once, and reports damaged months.
 * Newest months come first, columns before rows.
 *
 * Invariants:
 * - Nothing is mapped, so a truncated file or a disk error is an exception rather than a SIGBUS.
 * - A damaged month stays damaged until its files change and verify; a month published again starts over.
 * - The result for a file is valid as long as its inode, size and modification time are unchanged.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { QuarantinedMonth } from "../../engine/library.js";
import {
	CATALOG_FILE,
	FormatError,
	type FormatErrorCode,
	publications,
	ROW_STORE_FOLDER,
	SnapshotFiles,
	snapshotFolder,
} from "../../formats/index.js";
import type { ScrubReport } from "./messages.js";

interface Fault {
	readonly code: FormatErrorCode;
	readonly path: string;
	readonly message: string;
}

/** A month's columns and indexes, or its row store. */
interface Part {
	readonly kind: "columns" | "rows";
	readonly month: string;
	readonly folder: string;
	/** Inodes, sizes and times of its files. */
	readonly fingerprint: string;
	state: "unread" | "sound" | "damaged";
	/** The damage found. Kept when the files change, until they have been read again. */
	fault: Fault | null;
}

export class MonthWatch {
	private stamps = new Map<string, string>();
	private parts = new Map<string, Part>();

	constructor(
		private readonly dataFolder: string,
		/** Holds one block of a file. */
		private readonly buffer: Buffer,
	) {}

	/** Compares every file's inode, size and time, and opens what changed. Cost: a few microseconds per file. */
	look(): void {
		const stamps = publications(this.dataFolder);
		const parts = new Map<string, Part>();
		for (const month of [...stamps.keys()].sort().reverse()) {
			const folder = snapshotFolder(this.dataFolder, month);
			const isSame = this.stamps.get(month) === stamps.get(month);
			for (const [kind, place] of [
				["columns", folder],
				["rows", join(folder, ROW_STORE_FOLDER)],
			] as const) {
				if (kind === "rows" && !existsSync(join(place, CATALOG_FILE))) continue;
				const known = this.parts.get(place);
				const fingerprint = fingerprintOf(place);
				if (known?.fingerprint === fingerprint) parts.set(place, known);
				else {
					const fault = isSame ? (known?.fault ?? null) : null;
					const part: Part = { kind, month, folder: place, fingerprint, state: "unread", fault };
					parts.set(place, part);
					attempt(part, () => openPart(part));
				}
			}
		}
		this.stamps = stamps;
		this.parts = parts;
	}

	/**
	 * Reads the newest unread part and yields the size of each block. Returns early if a {@link look} finds
	 * that the part has changed, and at once if every part has been read.
	 */
	*readOne(): Generator<number> {
		const unread = [...this.parts.values()].filter((part) => part.state === "unread");
		const part = unread.find(({ kind }) => kind === "columns") ?? unread[0];
		if (part === undefined) return;
		try {
			for (const bytes of openPart(part).readThrough(this.buffer)) {
				yield bytes;
				if (this.parts.get(part.folder) !== part) return;
			}
			part.state = "sound";
			part.fault = null;
		} catch (error) {
			blame(part, error);
		}
	}

	/** The current results. */
	report(): ScrubReport {
		const parts = [...this.parts.values()];
		const quarantined: QuarantinedMonth[] = [];
		const sound: string[] = [];
		for (const [month, stamp] of this.stamps) {
			const own = parts.filter((part) => part.month === month);
			const fault = own.find((part) => part.fault !== null)?.fault ?? null;
			if (fault !== null) quarantined.push({ month, stamp, ...fault });
			else if (own.every((part) => part.state === "sound")) sound.push(month);
		}
		return { quarantined, sound };
	}
}

/** Opens a part's catalog and headers. In this mode the open neither maps nor reads the files' contents. */
function openPart(part: Part): SnapshotFiles {
	return SnapshotFiles.open(part.folder, "shared-memory", part.month);
}

function attempt(part: Part, open: () => void): void {
	try {
		open();
	} catch (error) {
		blame(part, error);
	}
}

/** Records a fault, unless the month was retired or its rows dropped meanwhile, which the next look finds. */
function blame(part: Part, error: unknown): void {
	if (!(error instanceof FormatError)) throw error;
	if (!existsSync(part.kind === "rows" ? join(part.folder, CATALOG_FILE) : part.folder)) return;
	part.state = "damaged";
	const { code, path, message } = error;
	part.fault = { code, path, message: message.slice(path.length + ": ".length) };
}

function fingerprintOf(folder: string): string {
	let entries: string[];
	try {
		entries = readdirSync(folder).sort();
	} catch (error) {
		// Retired or dropped since it was listed; the next look won't list it.
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
		throw error;
	}
	const files = entries.map((name) => {
		const stat = statSync(join(folder, name), { throwIfNoEntry: false, bigint: true });
		return stat?.isFile() === true ? `${name}:${stat.ino}:${stat.size}:${stat.mtimeNs}` : "";
	});
	return files.join();
}
