/** Waits for the thread that copies files into huge pages and maps them again. */

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { hugePageBytes } from "../formats/files/mmap.js";

/** Resolves when this process has `bytes` of huge pages; fails after some seconds without. */
export async function untilHeld(bytes: number): Promise<void> {
	for (let i = 0; i < 400 && hugePageBytes() !== bytes; i++) await delay(10);
	assert.equal(hugePageBytes(), bytes);
}
