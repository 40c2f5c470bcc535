/**
 * The reject file: every rejected row as CSV, `file,line,column,reason,raw`, in row order, with formulas escaped. It
 * exists only if a row was rejected; a file left by an earlier build is removed first.
 *
 * Rows are written in blocks of a few MiB, so that memory does not grow with their number.
 */

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { BuildError, systemErrorText } from "../errors.js";
import { spreadsheetCell } from "../spreadsheet-csv.js";
import type { RejectedRow } from "./parsed-month.js";

const HEADER = "file,line,column,reason,raw\r\n";
const BUFFER_CHARACTERS = 1 << 20;

export class RejectFile {
	private descriptor: number | null = null;
	private buffered: string[] = [];
	private bufferedCharacters = 0;

	/** Removes an existing file. Every method throws {@link BuildError} `unwritable_file`. */
	constructor(private readonly path: string) {
		this.guard(() => rmSync(path, { force: true }));
	}

	append(row: RejectedRow): void {
		const cells = [row.file, String(row.line), row.column ?? "", row.reason, row.raw];
		const text = `${cells.map(spreadsheetCell).join(",")}\r\n`;
		this.buffered.push(text);
		this.bufferedCharacters += text.length;
		if (this.bufferedCharacters >= BUFFER_CHARACTERS) this.flush();
	}

	/** Writes the remaining rows and closes the file. */
	close(): void {
		this.flush();
		const { descriptor } = this;
		this.descriptor = null;
		if (descriptor !== null) this.guard(() => closeSync(descriptor));
	}

	/** Closes the file without writing, after an error that has been reported already. */
	abandon(): void {
		if (this.descriptor !== null) closeSync(this.descriptor);
		this.descriptor = null;
	}

	private flush(): void {
		if (this.buffered.length === 0) return;
		const bytes = Buffer.from(this.buffered.join(""), "utf8");
		this.buffered = [];
		this.bufferedCharacters = 0;
		this.guard(() => {
			if (this.descriptor === null) {
				this.descriptor = openSync(this.path, "wx", 0o644);
				writeAll(this.descriptor, Buffer.from(HEADER));
			}
			writeAll(this.descriptor, bytes);
		});
	}

	private guard(write: () => void): void {
		try {
			write();
		} catch (error) {
			throw new BuildError("unwritable_file", systemErrorText(error), { file: this.path });
		}
	}
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
	let written = 0;
	while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}
