/** Opens a WebAssembly module with memory of its own, for callers that have a loop in JavaScript as well. */

/** The part of WebAssembly's interface that is used here; the language's types do not declare it. */
declare const WebAssembly: {
	readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;
/** The most that a module can address. */
const MEMORY_BYTES_MAX = 2 ** 32;

/**
 * The exports of the module in `base64` and its memory, of at least `bytes` bytes; null where this process cannot run or
 * allocate it.
 */
export function openModule<Exports>(
	base64: string,
	bytes = PAGE_BYTES,
): { exports: Exports; memory: ArrayBuffer } | null {
	if (bytes > MEMORY_BYTES_MAX) return null;
	try {
		const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
		const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
		const { exports } = new WebAssembly.Instance(module, { host: { memory } });
		return { exports: exports as Exports, memory: memory.buffer };
	} catch (error) {
		// Node may run without a compiler for it, on a processor without SIMD, or with a limit on address space.
		if (["RangeError", "ReferenceError", "CompileError"].includes((error as Error).name)) return null;
		throw error;
	}
}
