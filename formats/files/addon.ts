/**
 * The addon of addon/, compiled for this machine by scripts/build-addon.js: what formats/ does outside JavaScript. The only file
 * that loads it. Whatever uses it has another way where it does not load.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The functions of addon/mapping.c, addon/gather.c and addon/crc32.c. */
export interface Addon {
	/** Maps the first `bytes` bytes of a file; threads share the mapping of an identity that is not empty. Throws the system's error. */
	map(descriptor: number, bytes: number, identity: string): Mapping;
	/** The memory of a mapping, once. */
	view(mapping: Mapping): ArrayBuffer;
	/** Maps the cached pages of a {@link view} in another thread. */
	prefault(view: ArrayBuffer): Promise<void>;
	/** Copies a shared mapping's file into huge pages of at most `budget` bytes, in a thread, from a duplicate of the descriptor. False: not. */
	hold(mapping: Mapping, descriptor: number, budget: number): boolean;
	/** Undoes {@link hold}. */
	release(mapping: Mapping): void;
	/** Bytes of huge pages of this process. */
	held(): number;
	/** As `openGather` in gather.ts; the arrays must outlive what it returns. */
	ranges(
		offsets: readonly Uint32Array[],
		bytes: readonly Uint8Array[],
		shift: number,
		target: Uint8Array,
		ends: number,
		at: number,
		end: number,
	): Ranges;
	/** As `Gather` in gather.ts. */
	gather(ranges: Ranges, numbers: Uint32Array, first: number): number;
	/** The CRC-32 of what `value` is of and then of `bytes`. Undefined where the processor has no instructions for it. */
	readonly crc32?: (bytes: Uint8Array, value: number) => number;
}

/** Opaque to JavaScript. */
export type Ranges = object;

/** Opaque to JavaScript. */
export type Mapping = object;

const ADDON = join(
	fileURLToPath(new URL("../../..", import.meta.url)),
	"native",
	`addon-${process.platform}-${process.arch}.node`,
);

let addon: Addon | null | undefined;
let fault: string | null = null;

/** Null where it does not load. */
export function openAddon(): Addon | null {
	if (addon === undefined) addon = load();
	return addon;
}

/** Why the addon does not load; null: it does. */
export function addonFault(): string | null {
	openAddon();
	return fault;
}

function load(): Addon | null {
	try {
		const loaded = createRequire(import.meta.url)(ADDON) as Partial<Addon>;
		if (loaded.gather === undefined) throw new Error("it is of an earlier version");
		return loaded as Addon;
	} catch (error) {
		// Not compiled on this machine: files are read instead, and the server logs it at startup.
		fault = (error as Error).message.split("\n", 1)[0];
		return null;
	}
}
