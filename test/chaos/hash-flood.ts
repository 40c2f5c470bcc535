/**
 * `npm run chaos -- hash-flood [--builder FILE]`: builds two drops of the same size, one of 60,000 license
 * numbers that all have one hash under a multiplicative hash without a seed, and one of random numbers; prints
 * the seconds that each takes. Under a seeded hash the two take the same. `--builder`: the program to build
 * with, such as that of an older checkout; default: this one's.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const NUMBERS = 60_000;
const WORD_CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const IS_WORD = new Uint8Array(256);
for (const character of WORD_CHARACTERS) IS_WORD[character.charCodeAt(0)] = 1;
const BUILDER = fileURLToPath(new URL("../../builder/main.js", import.meta.url));
const BUILD_MS_MAX = 120_000;
/** Another build may take this many times as long before the flood counts as one. */
const RATIO_MAX = 1.5;

function randomWord(): number {
	let word = 0;
	for (let i = 0; i < 4; i++)
		word = (word << 8) | WORD_CHARACTERS.charCodeAt(Math.floor(Math.random() * WORD_CHARACTERS.length));
	return word | 0;
}

function isText(word: number): boolean {
	return (
		IS_WORD[word & 0xff] +
			IS_WORD[(word >>> 8) & 0xff] +
			IS_WORD[(word >>> 16) & 0xff] +
			IS_WORD[word >>> 24] ===
		4
	);
}

function textOf(words: readonly number[]): string {
	const bytes = Buffer.alloc(4 * words.length);
	words.forEach((word, i) => {
		bytes.writeInt32LE(word, 4 * i);
	});
	return bytes.toString("latin1");
}

/**
 * Numbers of twelve characters whose hashes were equal while `hash = (hash ^ word) * constant; hash ^= hash >>>
 * 15` was the step of a word: whatever the first two words leave, the third brings it to one value.
 */
function collidingNumbers(count: number): Set<string> {
	const target = randomWord();
	const found = new Set<string>();
	while (found.size < count) {
		const words = [randomWord(), randomWord()];
		let hash = 12;
		for (const word of words) {
			hash = Math.imul(hash ^ word, 0x9e3779b1);
			hash ^= hash >>> 15;
		}
		const last = hash ^ target;
		if (isText(last)) found.add(textOf([...words, last]));
	}
	return found;
}

function randomNumbers(count: number): Set<string> {
	const found = new Set<string>();
	while (found.size < count) found.add(textOf([randomWord(), randomWord(), randomWord()]));
	return found;
}

/** Seconds that a build of the numbers takes. */
async function secondsOf(builder: string, numbers: Iterable<string>): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-flood-"));
	try {
		const drop = join(folder, "drop-2026-11.csv");
		const lines = Array.from(numbers, (number) => `CA,${number},Active`);
		writeFileSync(drop, `state,member_state_license_number,member_license_status\n${lines.join("\n")}\n`);
		const begun = performance.now();
		const args = [builder, "build", drop, "--data", join(folder, "data"), "--accept", "all"];
		const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: BUILD_MS_MAX });
		if (status !== 0) throw new Error(`the build ended with ${status}: ${stderr}`);
		return (performance.now() - begun) / 1_000;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Exit code 0 where the flood costs no more than random numbers. */
export async function hashFloodCommand(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: { builder: { type: "string", default: BUILDER } },
	});
	const random = await secondsOf(values.builder, randomNumbers(NUMBERS));
	const chosen = await secondsOf(values.builder, collidingNumbers(NUMBERS));
	console.log(`${NUMBERS} random numbers ${random.toFixed(2)} s, chosen ones ${chosen.toFixed(2)} s`);
	return chosen > random * RATIO_MAX ? 1 : 0;
}
