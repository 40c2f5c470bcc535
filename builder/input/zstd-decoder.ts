/**
 * libzstd's streaming decoder, compiled to WebAssembly by the package zstddec: the same decoder on every
 * version of Node. The only file that imports the package.
 *
 * The package's own streaming interface shares one instance among all callers, reports no errors, and frees
 * nothing if its caller stops early; a process that read many damaged files ran out of memory, and then decoded
 * garbage. So each decoder here has its own instance, which is garbage-collected with its memory, and each
 * return value is checked.
 */

import { ZSTDDecoder as ZstdPackage } from "zstddec/stream";

/** Maximum input that a decoder takes at a time. */
export const INPUT_BYTES_MAX = 1 << 18;

/** The part of WebAssembly's interface used here, which TypeScript's library does not declare. */
declare const WebAssembly: {
	instantiate(module: object, imports: object): Promise<{ readonly exports: unknown }>;
};

/** Return values above this, as unsigned numbers, are errors (`ZSTD_isError`). */
const ERROR_ABOVE = 2 ** 32 - 120;

interface ZstdExports {
	readonly memory: { readonly buffer: ArrayBuffer };
	malloc(bytes: number): number;
	ZSTD_createDCtx(): number;
	ZSTD_DStreamOutSize(): number;
	ZSTD_decompressStream(context: number, output: number, input: number): number;
}

/** A `ZSTD_inBuffer` or `ZSTD_outBuffer`: address, size and position, of four bytes each. */
const BUFFER = { address: 0, size: 4, position: 8, bytes: 12 } as const;

let compiled: Promise<object> | undefined;

/** The package instantiates its module once and passes it to `_init`. */
class ModuleSource extends ZstdPackage {
	module: object | undefined;

	override _init = (result: { module: object }): void => {
		this.module = result.module;
	};
}

async function compile(): Promise<object> {
	const source = new ModuleSource();
	await source.init();
	if (source.module === undefined) throw new Error("zstddec has been initialised by someone else");
	return source.module;
}

/** A decoder of one stream of frames. Cost: its window, up to 128 MiB, and 1 MiB. */
export async function makeZstdDecoder(): Promise<ZstdDecoder> {
	compiled ??= compile();
	const { exports } = await WebAssembly.instantiate(await compiled, {
		env: { emscripten_notify_memory_growth: () => undefined },
	});
	return new ZstdDecoder(exports as ZstdExports);
}

export class ZstdDecoder {
	/** Whether all input so far ended with the end of a frame. */
	atFrameEnd = true;
	private readonly context: number;
	private readonly input: number;
	private readonly output: number;
	/** Addresses of the input and output buffers. */
	private readonly inputBytes: number;
	private readonly outputBytes: number;
	private readonly outputSize: number;
	private pushedSize = 0;
	private consumed = 0;
	/** Whether the last call filled the output, so that more may be ready without input. */
	private outputWasFull = false;

	constructor(private readonly zstd: ZstdExports) {
		this.context = zstd.ZSTD_createDCtx();
		this.input = this.allocate(BUFFER.bytes);
		this.output = this.allocate(BUFFER.bytes);
		this.inputBytes = this.allocate(INPUT_BYTES_MAX);
		this.outputSize = zstd.ZSTD_DStreamOutSize();
		this.outputBytes = this.allocate(this.outputSize);
		if (this.context === 0) throw new Error("the zstd decoder has no memory left");
	}

	/**
	 * Passes the next bytes, at most {@link INPUT_BYTES_MAX}, which are copied. Call after {@link next}
	 * returned null.
	 */
	push(bytes: Uint8Array): void {
		new Uint8Array(this.zstd.memory.buffer, this.inputBytes, INPUT_BYTES_MAX).set(bytes);
		this.pushedSize = bytes.length;
		this.consumed = 0;
	}

	/**
	 * The next decoded bytes, valid until the next call; null: all input is consumed. Throws if the data is
	 * damaged, including checksums; the decoder must not be used after that.
	 */
	next(): Uint8Array | null {
		while (this.outputWasFull || this.consumed < this.pushedSize) {
			this.write(this.input, this.inputBytes, this.pushedSize, this.consumed);
			this.write(this.output, this.outputBytes, this.outputSize, 0);
			const result = this.zstd.ZSTD_decompressStream(this.context, this.output, this.input) >>> 0;
			if (result > ERROR_ABOVE) throw new Error(`zstd error ${2 ** 32 - result}`);
			const view = new DataView(this.zstd.memory.buffer);
			this.consumed = view.getUint32(this.input + BUFFER.position, true);
			const decoded = view.getUint32(this.output + BUFFER.position, true);
			this.atFrameEnd = result === 0;
			this.outputWasFull = decoded === this.outputSize;
			if (decoded > 0) return new Uint8Array(this.zstd.memory.buffer, this.outputBytes, decoded);
		}
		return null;
	}

	private allocate(bytes: number): number {
		const address = this.zstd.malloc(bytes);
		if (address === 0) throw new Error("the zstd decoder has no memory left");
		return address;
	}

	private write(buffer: number, address: number, size: number, position: number): void {
		const view = new DataView(this.zstd.memory.buffer);
		view.setUint32(buffer + BUFFER.address, address, true);
		view.setUint32(buffer + BUFFER.size, size, true);
		view.setUint32(buffer + BUFFER.position, position, true);
	}
}
