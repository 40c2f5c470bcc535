/**
 * What a disk may hold after a power loss, given a trace of changes.
 *
 * The model (after ALICE, "All File Systems Are Not Created Equal", OSDI 2014):
 * - An entry of a folder (made, renamed, removed) is durable once the folder is synced; a rename is atomic and
 *   durable once the folder it leads to is. Until then any subset of such changes may be on disk, in order for
 *   each name.
 * - A file's content is durable once the file is synced. Until then it may be on disk as it was at the last
 *   sync, empty, cut in half, of zeros, or whole.
 *
 * A node is a file or folder, whatever its names.
 */

import { basename, dirname } from "node:path";
import type { Change } from "./trace.js";

interface Node {
	readonly isFolder: boolean;
}

/** Sets the entry `name` of a folder; null removes it. */
interface Entry {
	readonly folder: Node;
	readonly name: string;
	readonly node: Node | null;
}

/** A change of entries that is on disk as a whole or not at all. */
export interface EntryChange {
	readonly at: number;
	readonly entries: readonly Entry[];
	/** Number of the change that made it durable; Infinity: none did. */
	durableAt: number;
}

interface ContentChange {
	readonly at: number;
	readonly node: Node;
	readonly content: Buffer;
	durableAt: number;
}

/** How content that was not synced may be found. */
export type Loss = "whole" | "before" | "empty" | "half" | "zeros";
export const LOSSES: readonly Loss[] = ["whole", "before", "empty", "half", "zeros"];

/** Files of a folder by relative path; null: a folder. */
export type Tree = ReadonlyMap<string, Buffer | null>;

export class Disk {
	private readonly root: Node = { isFolder: true };
	private readonly entries = new Map<Node, Map<string, Node>>([[this.root, new Map()]]);
	readonly entryChanges: EntryChange[] = [];
	private readonly contents = new Map<Node, ContentChange[]>();
	private at = -1;

	/**
	 * The disk that `changes` were made on, whose paths are below `folder`. Where a command begins, all before is
	 * durable. `lost`: the number of a sync that does nothing.
	 */
	constructor(
		private readonly folder: string,
		changes: readonly Change[],
		lost = -1,
	) {
		for (const [at, change] of changes.entries()) {
			this.at = at;
			if (at !== lost) this.apply(change);
			else if (change.kind === "sync" && change.content !== null)
				this.write(change.path, Buffer.from(change.content, "base64"));
		}
	}

	/** Changes of entries that may be missing after change number `at`. */
	pendingEntries(at: number): EntryChange[] {
		return this.entryChanges.filter((change) => change.at <= at && change.durableAt > at);
	}

	/** Of what is pending after change number `at`, what concerns files and folders whose paths are not `unseen`. */
	seenPending(at: number, unseen: RegExp): { entries: EntryChange[]; files: Set<Node> } {
		const pending = this.pendingEntries(at);
		const seen = new Set<Node>();
		for (const kept of [new Set(pending), new Set<EntryChange>()]) this.reach(at, kept, unseen, seen);
		const files = [...this.contents].filter(
			([node, list]) => seen.has(node) && list.some((each) => each.at <= at && each.durableAt > at),
		);
		return {
			entries: pending.filter(({ entries }) => entries.some(({ folder }) => seen.has(folder))),
			files: new Set(files.map(([node]) => node)),
		};
	}

	/** Adds the nodes whose paths are not `unseen` to `seen`. */
	private reach(at: number, kept: ReadonlySet<EntryChange>, unseen: RegExp, seen: Set<Node>): void {
		const folders = this.foldersAt(at, kept);
		const add = (node: Node, path: string): void => {
			seen.add(node);
			for (const [name, child] of folders.get(node) ?? []) {
				if (!unseen.test(`${path}${name}`)) add(child, `${path}${name}/`);
			}
		};
		add(this.root, "");
	}

	/** What is on disk after change number `at` if of the pending entries only `kept` are, and files are as `lossOf` says. */
	treeAt(at: number, kept: ReadonlySet<EntryChange>, lossOf: (file: Node) => Loss): Tree {
		const folders = this.foldersAt(at, kept);
		const tree = new Map<string, Buffer | null>();
		const list = (folder: Node, path: string): void => {
			for (const [name, node] of folders.get(folder) ?? []) {
				const whole = path === "" ? name : `${path}/${name}`;
				tree.set(whole, node.isFolder ? null : this.contentAt(node, at, lossOf));
				if (node.isFolder) list(node, whole);
			}
		};
		list(this.root, "");
		return tree;
	}

	private foldersAt(at: number, kept: ReadonlySet<EntryChange>): Map<Node, Map<string, Node>> {
		const folders = new Map<Node, Map<string, Node>>();
		for (const change of this.entryChanges) {
			if (change.at > at) break;
			if (change.durableAt > at && !kept.has(change)) continue;
			for (const { folder, name, node } of change.entries) {
				const entries = folders.get(folder) ?? new Map<string, Node>();
				folders.set(folder, entries);
				if (node === null) entries.delete(name);
				else entries.set(name, node);
			}
		}
		return folders;
	}

	private contentAt(file: Node, at: number, lossOf: (file: Node) => Loss): Buffer {
		const written = (this.contents.get(file) ?? []).filter((content) => content.at <= at);
		const durable = written.findLast((content) => content.durableAt <= at)?.content ?? Buffer.alloc(0);
		const last = written.at(-1);
		if (last === undefined || last.durableAt <= at) return durable;
		switch (lossOf(file)) {
			case "whole":
				return last.content;
			case "before":
				return durable;
			case "empty":
				return Buffer.alloc(0);
			case "half":
				return last.content.subarray(0, last.content.length >>> 1);
			case "zeros":
				return Buffer.alloc(last.content.length);
		}
	}

	private apply(change: Change): void {
		switch (change.kind) {
			case "make-file":
			case "make-folder":
				if (this.find(change.path) === undefined) this.make(change.path, change.kind === "make-folder");
				return;
			case "content":
				this.write(change.path, Buffer.from(change.content, "base64"));
				return;
			case "remove":
				if (this.find(change.path) !== undefined) this.change([this.entry(change.path, null)]);
				return;
			case "link":
				this.change([this.entry(change.path, this.findOrMake(change.from))]);
				return;
			case "rename": {
				const node = this.findOrMake(change.from);
				// What is last is what a sync of its folder makes durable.
				this.change([this.entry(change.from, null), this.entry(change.path, node)]);
				return;
			}
			case "sync":
				this.sync(change.path, change.content);
				return;
			case "begin":
				for (const each of [...this.entryChanges, ...[...this.contents.values()].flat()])
					each.durableAt = Math.min(each.durableAt, this.at);
				return;
			case "end":
		}
	}

	private sync(path: string, content: string | null): void {
		const node = path === this.folder ? this.root : this.findOrMake(path, content === null);
		if (content === null) {
			for (const change of this.entryChanges) {
				if (change.entries.at(-1)?.folder === node && change.durableAt > this.at) change.durableAt = this.at;
			}
			return;
		}
		this.write(path, Buffer.from(content, "base64"));
		for (const written of this.contents.get(node) ?? []) {
			if (written.durableAt > this.at) written.durableAt = this.at;
		}
	}

	private write(path: string, content: Buffer): void {
		const node = this.findOrMake(path);
		const written = this.contents.get(node) ?? [];
		this.contents.set(node, written);
		if (written.at(-1)?.content.equals(content) === true) return;
		written.push({ at: this.at, node, content, durableAt: Number.POSITIVE_INFINITY });
	}

	private make(path: string, isFolder: boolean): Node {
		const node = { isFolder };
		if (isFolder) this.entries.set(node, new Map());
		this.change([this.entry(path, node)]);
		return node;
	}

	/** Libraries make files in native code, which are first seen when they are synced or renamed. */
	private findOrMake(path: string, isFolder = false): Node {
		return this.find(path) ?? this.make(path, isFolder);
	}

	private find(path: string): Node | undefined {
		let node: Node | undefined = this.root;
		for (const name of path.slice(this.folder.length + 1).split("/")) {
			if (node === undefined) return undefined;
			node = this.entries.get(node)?.get(name);
		}
		return node;
	}

	private entry(path: string, node: Node | null): Entry {
		const parent = dirname(path);
		const folder = parent === this.folder ? this.root : this.findOrMake(parent, true);
		return { folder, name: basename(path), node };
	}

	private change(entries: readonly Entry[]): void {
		this.entryChanges.push({ at: this.at, entries, durableAt: Number.POSITIVE_INFINITY });
		for (const { folder, name, node } of entries) {
			if (node === null) this.entries.get(folder)?.delete(name);
			else this.entries.get(folder)?.set(name, node);
		}
	}
}
