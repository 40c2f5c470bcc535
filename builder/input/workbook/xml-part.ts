/**
 * One XML part of a workbook, parsed incrementally. Nesting is bounded, and so are the bytes between two
 * events, which the parser must buffer. The parser refuses entities other than XML's predefined ones.
 */

import { SaxesParser } from "saxes";
import type { Entry } from "yauzl";
import { BuildError, corruptCompression } from "../../errors.js";
import type { ZipArchive } from "../zip-archive.js";

/** Maximum nesting of elements; parts of workbooks have fewer than 20 levels. */
const DEPTH_MAX = 64;
/** Maximum bytes of one tag, text or comment. */
const TOKEN_BYTES_MAX = 4 << 20;

/** Handler of a part's events. Names are without their prefix. */
export interface XmlHandlers {
	open?(name: string, attributes: Readonly<Record<string, string>>): void;
	text?(text: string): void;
	close?(name: string): void;
}

export class XmlPart {
	private readonly parser = new SaxesParser();
	private readonly decoder = new TextDecoder("utf-8", { fatal: true });
	private depth = 0;
	private bytesSinceEvent = 0;

	constructor(
		private readonly file: string,
		private readonly part: string,
		handlers: XmlHandlers,
	) {
		const { parser } = this;
		const seen = () => {
			this.bytesSinceEvent = 0;
		};
		parser.on("error", (error) => {
			throw this.fault(error.message);
		});
		parser.on("opentag", ({ name, attributes }) => {
			seen();
			if (++this.depth > DEPTH_MAX) throw this.fault(`elements nest deeper than ${DEPTH_MAX}`);
			handlers.open?.(localName(name), attributes);
		});
		parser.on("closetag", ({ name }) => {
			seen();
			this.depth--;
			handlers.close?.(localName(name));
		});
		const text = (content: string) => {
			seen();
			handlers.text?.(content);
		};
		parser.on("text", text);
		parser.on("cdata", text);
		parser.on("comment", seen);
		parser.on("processinginstruction", seen);
		parser.on("doctype", () => {
			throw this.fault("it has a document type, which workbooks have not");
		});
	}

	/** Parses the next bytes. Throws {@link BuildError} `unreadable_file` or `limit_exceeded`. */
	write(bytes: Uint8Array): void {
		this.bytesSinceEvent += bytes.length;
		this.parser.write(this.decoded(bytes, true));
		if (this.bytesSinceEvent > TOKEN_BYTES_MAX) {
			const rule = `"${this.part}" has a tag or text of more than ${TOKEN_BYTES_MAX >> 20} MiB`;
			throw new BuildError("limit_exceeded", rule, { file: this.file });
		}
	}

	/** Ends the part. Throws if an element is still open. */
	end(): void {
		this.parser.write(this.decoded(new Uint8Array(0), false));
		this.parser.close();
	}

	private decoded(bytes: Uint8Array, stream: boolean): string {
		try {
			return this.decoder.decode(bytes, { stream });
		} catch {
			throw this.fault("it is not UTF-8");
		}
	}

	private fault(why: string): BuildError {
		return new BuildError("unreadable_file", `"${this.part}" of the workbook cannot be read: ${why}`, {
			file: this.file,
		});
	}
}

/** `x:row` and `row` are the same element. */
function localName(name: string): string {
	return name.slice(name.indexOf(":") + 1);
}

/** Parses `entry` completely. Throws {@link BuildError}. */
export async function readPart(archive: ZipArchive, entry: Entry, handlers: XmlHandlers): Promise<void> {
	const part = new XmlPart(archive.path, entry.fileName, handlers);
	for await (const piece of partBytes(archive, entry)) part.write(piece);
	part.end();
}

/** The decompressed bytes of `entry`, in blocks. Throws {@link BuildError}. */
export async function* partBytes(archive: ZipArchive, entry: Entry): AsyncGenerator<Uint8Array> {
	const stream = await archive.openEntry(entry);
	try {
		for await (const piece of stream) yield piece as Uint8Array;
	} catch (error) {
		throw error instanceof BuildError ? error : corruptCompression(archive.path);
	} finally {
		stream.destroy();
	}
}

/** Whether an XML Schema boolean attribute is true. */
export function isTrue(attribute: string | undefined): boolean {
	return attribute === "1" || attribute === "true";
}
