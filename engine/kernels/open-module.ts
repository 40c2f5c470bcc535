/** Opens a WebAssembly module that works in one page of memory, for callers that have a loop in JavaScript as well. */

/** The part of WebAssembly's interface that is used here; the language's types do not declare it. */
declare const WebAssembly: {
	readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
	readonly Module: new (bytes: Uint8Array) => object;
	readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** The exports and the memory of the module in `base64`; null where this process cannot run it. */
export function openModule<Exports>(base64: string): { exports: Exports; memory: ArrayBuffer } | null {
	try {
		const memory = new WebAssembly.Memory({ initial: 1 });
		const module = new WebAssembly.Module(Buffer.from(base64, "base64"));
		const { exports } = new WebAssembly.Instance(module, { host: { memory } });
		return { exports: exports as Exports, memory: memory.buffer };
	} catch (error) {
		// Node may run without a compiler for it, on a processor without SIMD, or with a limit on address space.
		if (["RangeError", "ReferenceError", "CompileError"].includes((error as Error).name)) return null;
		throw error;
	}
}
