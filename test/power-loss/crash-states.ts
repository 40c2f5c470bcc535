/** Which of the states that a disk may be in after a power loss are played: all of few, else a choice of them. */

import { createHash } from "node:crypto";
import { Draw } from "../oracle/draw.js";
import { type Disk, type EntryChange, LOSSES, type Tree } from "./disk.js";

/** Pending changes of entries of which every subset is played. */
const ALL_SUBSETS_MAX = 5;
/** Subsets drawn of more. */
const SUBSETS_DRAWN = 8;
/** What no command and no server reads: what is being written or removed, and reports. */
const UNSEEN = /^(?:staging|rejects|reports)$|\/\.[^/]*$/;

/** A state with what tells it from others: all but what lies in staging. */
export interface CrashState {
	readonly at: number;
	readonly tree: Tree;
	readonly key: string;
}

/**
 * States after change number `at`, each at least once. `thorough`: every choice; else those in which at most one
 * change is missing, and all contents that are pending are zeros.
 */
export function* crashStates(disk: Disk, at: number, thorough: boolean): Generator<CrashState> {
	const { entries, files } = disk.seenPending(at, UNSEEN);
	const all = new Set(disk.pendingEntries(at));
	const state = (tree: Tree): CrashState => ({ at, tree, key: keyOf(tree) });
	const losses = files.size === 0 ? (["whole"] as const) : thorough ? LOSSES : (["whole", "zeros"] as const);
	for (const missing of missingOf(entries, thorough, at)) {
		const kept = missing.size === 0 ? all : new Set([...all].filter((change) => !missing.has(change)));
		for (const loss of losses) yield state(disk.treeAt(at, kept, () => loss));
	}
	// Each file alone.
	for (const file of files.size > 1 ? files : [])
		yield state(disk.treeAt(at, all, (each) => (each === file ? "zeros" : "whole")));
}

function missingOf(entries: readonly EntryChange[], thorough: boolean, seed: number): Set<EntryChange>[] {
	if (thorough && entries.length <= ALL_SUBSETS_MAX)
		return Array.from(
			{ length: 2 ** entries.length },
			(_, bits) => new Set(entries.filter((_change, i) => ((bits >> i) & 1) === 1)),
		);
	const alone = entries.map((change) => new Set([change]));
	if (!thorough) return [new Set(), ...alone];
	const others = alone.map(([change]) => new Set(entries.filter((each) => each !== change)));
	const ends = entries.map((_, i) => new Set(entries.slice(i)));
	const random = new Draw(seed, 0);
	const drawn = Array.from(
		{ length: SUBSETS_DRAWN },
		() => new Set(entries.filter(() => random.below(2) === 0)),
	);
	return [new Set(), ...alone, ...others, ...ends, ...drawn];
}

const digests = new WeakMap<Buffer, string>();

/** Digest of a file's content. */
export function digestOf(content: Buffer): string {
	let digest = digests.get(content);
	if (digest === undefined) {
		digest = createHash("sha256").update(content).digest("hex");
		digests.set(content, digest);
	}
	return digest;
}

/** Whether a path is below an unseen one, or one. */
export function isUnseen(path: string): boolean {
	const names = path.split("/");
	return names.some((_, i) => UNSEEN.test(names.slice(0, i + 1).join("/")));
}

function keyOf(tree: Tree): string {
	const seen = [...tree].filter(([path]) => !isUnseen(path));
	const lines = seen.map(([path, content]) => `${path} ${content === null ? "" : digestOf(content)}`);
	return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}
