/** What a data folder holds, for comparison; anything in it that is not whole is an error. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { heldMonths, openHeld, readHeld } from "../../builder/months/held-months.js";
import { retiredFolder, retiredMonths } from "../../builder/months/retire.js";
import { readRetiredManifest } from "../../builder/months/switch-month.js";
import {
	CATALOG_FILE,
	changesFolder,
	EXPORTS_FOLDER,
	hex,
	openChanges,
	publications,
	readExportManifest,
	readManifest,
	SnapshotFiles,
	snapshotFolder,
	storedExportName,
} from "../../formats/index.js";
import { verifySnapshot } from "../oracle/verify-snapshot.js";
import { digestOf } from "./crash-states.js";
import type { Tree } from "./disk.js";

/** Folders that have been verified, by their content. */
const verified = new Set<string>();

/** The months that servers see, oldest first, as month and digest: each verified, with its changes from the one before. */
export function served(data: string, tree: Tree): string[] {
	const months = [...publications(data).keys()].sort();
	const opened = months.map((month) => {
		const { catalog, crc } = openWhole(snapshotFolder(data, month), data, tree);
		return { month, rows: catalog.rows, crc, digest: hex(crc) };
	});
	for (const [i, to] of opened.entries()) {
		const from = opened[i - 1];
		if (from === undefined) continue;
		const changes = openChanges(changesFolder(data, from, to), from, to, "shared-memory");
		assert.ok(changes !== null, `changes from ${from.month} to ${to.month}`);
	}
	return opened.map(({ month, digest }) => `${month}.${digest}`);
}

/** What commands see: published, retired and held months with their manifests, exports and keys. */
export function everything(data: string, tree: Tree): string[] {
	const published = served(data, tree);
	const manifests = [...publications(data).keys()].sort().map((month) => {
		const manifest = readManifest(data, month);
		assert.ok(manifest !== null, `${month} has a manifest`);
		const { rows } = SnapshotFiles.open(snapshotFolder(data, month), "shared-memory").catalog;
		assert.equal(manifest.rows, rows, `the manifest of ${month} is its own`);
		return `published ${month} ${manifest.built_at}`;
	});
	const digests = [...published];
	const retired = retiredMonths(data).map((month) => {
		const { crc } = openWhole(retiredFolder(data, month), data, tree);
		const isReplaced = publications(data).has(month);
		const manifest = isReplaced ? readRetiredManifest(data, month) : readManifest(data, month);
		assert.ok(manifest !== null, `the retired ${month} has a manifest`);
		digests.push(`${month}.${hex(crc)}`);
		return `retired ${month} ${hex(crc)} ${manifest.built_at}`;
	});
	const held = heldMonths(data).map((month) => {
		const { crc } = openWhole(openHeld(data, month).folder, data, tree);
		return `held ${month} ${hex(crc)} ${readHeld(data, month)?.manifest.built_at}`;
	});
	requireWholeChanges(data);
	return [...published, ...manifests, ...retired, ...held, ...exported(data, digests), ...keys(data)];
}

function openWhole(folder: string, data: string, tree: Tree): SnapshotFiles {
	const files = SnapshotFiles.open(folder, "shared-memory");
	const key = contentKey(folder, data, tree);
	if (verified.has(key)) return files;
	verifySnapshot(files);
	verified.add(key);
	return files;
}

/** What the folder was made of. A folder that a command has moved has no key, and is verified anew. */
function contentKey(folder: string, data: string, tree: Tree): string {
	const path = folder.slice(data.length + 1);
	const within = [...tree].filter(([each]) => each.startsWith(`${path}/`));
	if (within.length === 0) return folder;
	const lines = within.map(([each, content]) => `${each.slice(path.length)} ${content && digestOf(content)}`);
	return createHash("sha256").update(lines.sort().join("\n")).digest("hex");
}

/** A folder of changes is used again when its months return, so no part of one may be left. */
function requireWholeChanges(data: string): void {
	const folder = join(data, "changes");
	for (const name of existsSync(folder) ? readdirSync(folder) : []) {
		if (!existsSync(join(folder, name, CATALOG_FILE))) continue;
		const files = SnapshotFiles.open(join(folder, name), "shared-memory");
		files.verify();
		files.verifyRowStore();
	}
}

/** The exports of the months `digests`, each file compared with its manifest. Others are removed at leisure. */
function exported(data: string, digests: readonly string[]): string[] {
	const folder = join(data, EXPORTS_FOLDER);
	const names = existsSync(folder) ? readdirSync(folder) : [];
	return names.sort().flatMap((name) => {
		if (!digests.includes(name)) return [];
		const manifest = readExportManifest(join(folder, name));
		return (manifest?.files ?? []).map((file) => {
			const bytes = readFileSync(join(folder, name, storedExportName(file)));
			assert.equal(createHash("sha256").update(bytes).digest("hex"), file.sha256, name);
			return `exported ${name} ${file.sha256}`;
		});
	});
}

/** The keys and their backups, by their bytes. */
function keys(data: string): string[] {
	const names = ["keys/data.mdb", ...readdirSync(data).filter((name) => name.endsWith(".backup"))];
	return names
		.filter((name) => existsSync(join(data, name)))
		.map((name) => `${name} ${digestOf(readFileSync(join(data, name)))}`);
}

/** Names that the model and the disk may differ in: what LMDB writes in native code. */
export const UNTRACED = new Set(["data.mdb", "lock.mdb"]);

/** Files and folders below `folder`; folders come before what they hold. */
export function treeOf(folder: string): Tree {
	const tree = new Map<string, Buffer | null>();
	const list = (path: string): void => {
		for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
			const whole = path === "" ? entry.name : `${path}/${entry.name}`;
			tree.set(whole, entry.isDirectory() ? null : readFileSync(join(folder, whole)));
			if (entry.isDirectory()) list(whole);
		}
	};
	if (existsSync(folder)) list("");
	return tree;
}
