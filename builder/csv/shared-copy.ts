/** A copy of `source` over shared memory of exactly its size. */
export function sharedCopy(source: Uint8Array): Uint8Array;
export function sharedCopy(source: Uint32Array): Uint32Array;
export function sharedCopy(source: Uint8Array | Uint32Array): Uint8Array | Uint32Array {
	const memory = new SharedArrayBuffer(source.byteLength);
	const copy = source instanceof Uint32Array ? new Uint32Array(memory) : new Uint8Array(memory);
	copy.set(source);
	return copy;
}
