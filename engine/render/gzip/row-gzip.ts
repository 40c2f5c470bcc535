/**
 * gzip of rendered rows at a fraction of zlib's time (RFC 1952, one member, one block). zlib searches for
 * matches and makes a code for each body; here the previous row gives the matches and one code serves all
 * bodies of a format. On pages of 100 rows, about three times as fast as zlib at level 1, and
 * 1.5 times as large as zlib at level 6 (`npm run bench -- gzip`).
 *
 * Codes are made of counts that are part of this program (generated/symbol-counts.ts), never of a month's
 * rows: a compressed answer's size must not depend on rows that its reader may not see.
 *
 * Invariants:
 * - Any body is compressed to bytes that decode to it; only the size depends on what it is.
 * - One encoder serves a thread. What {@link RowGzip.compress} returns is a view that the next call overwrites.
 * - Memory grows to what a body takes, {@link GZIP_BODY_BYTES_MAX} at most; beyond {@link KEPT_BYTES} it is
 *   released at the next body that takes less.
 */

import { crc32, invariant } from "../../../formats/index.js";
import { DEFLATE_ROWS_MODULE } from "../../kernels/generated/deflate-rows.js";
import type { RowFormat } from "../../query.js";
import {
	COUNTED,
	type DeflateCode,
	deflateCode,
	PAIR_CODES,
	symbolCounts,
	writePairCodes,
} from "./deflate-code.js";
import { SYMBOL_COUNTS } from "./generated/symbol-counts.js";

/** What is used of WebAssembly, which the types of the language do not include. */
declare const WebAssembly: {
	readonly Memory: new (size: { readonly initial: number }) => Memory;
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (
		module: object,
		imports: object,
	) => { readonly exports: { readonly deflate: Deflate } };
};

interface Memory {
	readonly buffer: ArrayBuffer;
	grow(pages: number): number;
}

/** deflate-rows.wat says what the parameters are. */
type Deflate = (
	end: number,
	out: number,
	pending: bigint,
	bits: number,
	endOfBlock: number,
	pairs: number,
	csv: number,
	counting: number,
) => number;

/** Larger bodies are not for one call: zlib compresses them beside the event loop. */
export const GZIP_BODY_BYTES_MAX = 4 << 20;

/** Memory that is kept from one body to the next: more than a page of 1,000 ordinary rows takes. */
const KEPT_BYTES = 4 << 20;

/** Addresses in the kernel's memory. */
const PAIRS = 53_248;
const PAIRS_BYTES = PAIR_CODES * 4;
const BODY = 839_680;
/** Readable bytes behind the body. */
const SLACK_BYTES = 64;
const PAGE_BYTES = 65_536;

const FORMATS: readonly RowFormat[] = ["json", "ndjson", "csv"];
invariant(
	PAIRS + FORMATS.length * PAIRS_BYTES === BODY,
	"the codes of each format have room before the body",
);

/** Magic, DEFLATE, no flags, no time, no extra flags, Unix. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
/** CRC-32 and length of the body. */
const TRAILER_BYTES = 8;

export class RowGzip {
	private readonly codes = new Map<RowFormat, DeflateCode>();
	private kernel: Kernel | null = null;

	/**
	 * The body as gzip, as a view. `body`: rows in `format`, at most {@link GZIP_BODY_BYTES_MAX}. Cost
	 * O(bytes), one to two nanoseconds a byte; some milliseconds more for the first of a format.
	 */
	compress(body: Uint8Array, format: RowFormat): Uint8Array {
		invariant(body.length <= GZIP_BODY_BYTES_MAX, "larger bodies are compressed by zlib");
		if (this.memoryBytes > KEPT_BYTES && bytesFor(body) <= KEPT_BYTES) this.kernel = null;
		this.kernel ??= new Kernel();
		let code = this.codes.get(format);
		if (code === undefined) {
			code = deflateCode(SYMBOL_COUNTS[format]);
			this.codes.set(format, code);
		}
		return this.kernel.compress(body, format, code);
	}

	/** Memory held now. */
	get memoryBytes(): number {
		return this.kernel?.memoryBytes ?? 0;
	}
}

/** How often each symbol occurs in bodies like these: what generated/symbol-counts.ts is made of. */
export function countSymbols(samples: readonly Uint8Array[], format: RowFormat): number[] {
	return new Kernel().count(samples, format);
}

/** The WebAssembly module and its memory. */
class Kernel {
	private readonly memory = new WebAssembly.Memory({ initial: 1 });
	private readonly deflate: Deflate;
	private bytes: Buffer;
	/** The code whose tables are in memory. */
	private installed: DeflateCode | null = null;
	/** Formats whose codes of two literals are in memory. */
	private readonly paired = new Set<RowFormat>();

	constructor() {
		const module = new WebAssembly.Module(Buffer.from(DEFLATE_ROWS_MODULE, "base64"));
		this.deflate = new WebAssembly.Instance(module, { host: { memory: this.memory } }).exports.deflate;
		this.bytes = Buffer.from(this.memory.buffer);
	}

	get memoryBytes(): number {
		return this.memory.buffer.byteLength;
	}

	count(samples: readonly Uint8Array[], format: RowFormat): number[] {
		this.reserve(BODY);
		this.bytes.fill(0, PAIRS, PAIRS + COUNTED * 4);
		for (const sample of samples) {
			const end = this.load(sample);
			this.deflate(end, end, 0n, 0, 0, PAIRS, isCsv(format), 1);
		}
		return symbolCounts(new Uint32Array(this.memory.buffer, PAIRS, COUNTED));
	}

	compress(body: Uint8Array, format: RowFormat, code: DeflateCode): Uint8Array {
		const end = this.load(body);
		const from = end + SLACK_BYTES;
		const out = from + GZIP_HEADER.length + code.header.length;
		if (this.installed !== code) {
			new Uint32Array(this.memory.buffer).set(code.tables);
			this.installed = code;
		}
		this.bytes.set(GZIP_HEADER, from);
		this.bytes.set(code.header, from + GZIP_HEADER.length);
		const { pending, pendingBits, endOfBlock } = code;
		const pairs = this.pairsOf(format, code);
		const after = this.deflate(end, out, pending, pendingBits, endOfBlock, pairs, isCsv(format), 0);
		this.bytes.writeUInt32LE(crc32(body), after);
		this.bytes.writeUInt32LE(body.length, after + 4);
		return this.bytes.subarray(from, after + TRAILER_BYTES);
	}

	/** Where the codes of two literals are, which are written when the format is used first. */
	private pairsOf(format: RowFormat, code: DeflateCode): number {
		const address = PAIRS + FORMATS.indexOf(format) * PAIRS_BYTES;
		if (!this.paired.has(format)) {
			writePairCodes(code, new Uint32Array(this.memory.buffer, address, PAIR_CODES));
			this.paired.add(format);
		}
		return address;
	}

	/** Copies a body to its place and makes room for the output. Returns its end. */
	private load(body: Uint8Array): number {
		this.reserve(bytesFor(body));
		this.bytes.set(body, BODY);
		// Whether the last byte ends a row depends on the one behind it, which may not be of another body.
		this.bytes[BODY + body.length] = 0;
		return BODY + body.length;
	}

	private reserve(bytes: number): void {
		const missing = bytes - this.memory.buffer.byteLength;
		if (missing <= 0) return;
		this.memory.grow(Math.ceil(missing / PAGE_BYTES));
		this.bytes = Buffer.from(this.memory.buffer);
	}
}

/** Memory that compressing `body` takes: the kernel's tables, the body and the output at its largest. */
function bytesFor(body: Uint8Array): number {
	const outputBytes = GZIP_HEADER.length + 256 + Math.ceil(body.length * 1.5) + 16 + TRAILER_BYTES;
	return BODY + body.length + SLACK_BYTES + outputBytes;
}

function isCsv(format: RowFormat): number {
	return format === "csv" ? 1 : 0;
}
