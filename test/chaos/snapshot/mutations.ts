/**
 * Damage to a published file, drawn from a seed: what disks, copies and hands do to bytes, and what
 * an adversary would write, with the checksums that the opener looks at made to fit.
 */

import { crc32 } from "node:zlib";
import { HEADER_BYTES } from "../../../formats/index.js";
import type { Draw } from "../../oracle/draw.js";

/** Offsets within a header of the checksums (formats/layout.ts). */
const PAYLOAD_CRC = 28;
const HEADER_CRC = 32;

/** Words that break bounds, loops and signs. */
const WORDS = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff, 0x0001_0000, 255] as const;

export type Damage = (bytes: Buffer, draw: Draw) => Buffer;

function flipBit(bytes: Buffer, draw: Draw): Buffer {
	bytes[draw.below(bytes.length)] ^= 1 << draw.below(8);
	return bytes;
}

function writeWord(bytes: Buffer, draw: Draw): Buffer {
	if (bytes.length < 4) return flipBit(bytes, draw);
	const at = draw.below(bytes.length >>> 2) * 4;
	bytes.writeUInt32LE(draw.pick(WORDS), at);
	return bytes;
}

function writeManyWords(bytes: Buffer, draw: Draw): Buffer {
	for (let i = 1 + draw.below(64); i > 0; i--) writeWord(bytes, draw);
	return bytes;
}

function swapWords(bytes: Buffer, draw: Draw): Buffer {
	const words = bytes.length >>> 2;
	if (words < 2) return flipBit(bytes, draw);
	const [a, b] = [draw.below(words) * 4, draw.below(words) * 4];
	const kept = bytes.readUInt32LE(a);
	bytes.writeUInt32LE(bytes.readUInt32LE(b), a);
	bytes.writeUInt32LE(kept, b);
	return bytes;
}

/** A page that was never written. */
function zeroRun(bytes: Buffer, draw: Draw): Buffer {
	const from = draw.below(bytes.length);
	return bytes.fill(draw.pick([0, 0xff]), from, Math.min(bytes.length, from + 1 + draw.below(4096)));
}

function truncate(bytes: Buffer, draw: Draw): Buffer {
	return bytes.subarray(0, draw.below(bytes.length));
}

function extend(bytes: Buffer, draw: Draw): Buffer {
	return Buffer.concat([bytes, Buffer.alloc(1 + draw.below(4096), draw.below(256))]);
}

/** Damages what follows the header and makes the header's checksums fit. */
function underSoundChecksums(damage: Damage): Damage {
	return (bytes, draw) => {
		if (bytes.length <= HEADER_BYTES) return bytes;
		damage(bytes.subarray(HEADER_BYTES), draw);
		bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), PAYLOAD_CRC);
		bytes.writeUInt32LE(crc32(bytes.subarray(0, HEADER_CRC)), HEADER_CRC);
		return bytes;
	};
}

/** Every kind of damage by its name in the report. */
export const DAMAGES: readonly (readonly [name: string, damage: Damage])[] = [
	["bit flipped", flipBit],
	["word overwritten", writeWord],
	["many words overwritten", writeManyWords],
	["words swapped", swapWords],
	["page blank", zeroRun],
	["truncated", truncate],
	["extended", extend],
	["word overwritten, checksums fitted", underSoundChecksums(writeWord)],
	["many words overwritten, checksums fitted", underSoundChecksums(writeManyWords)],
	["bit flipped, checksums fitted", underSoundChecksums(flipBit)],
];
