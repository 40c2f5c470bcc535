/**
 * The dependencies: nothing unlisted, no unlisted install scripts, none that reports installations, nothing without
 * a permissive licence.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface Locked {
	readonly version: string;
	readonly name?: string;
	readonly resolved?: string;
	readonly integrity?: string;
	readonly license?: string;
	readonly dev?: boolean;
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
	readonly hasInstallScript?: boolean;
}

interface Component {
	readonly name: string;
	readonly version: string;
	readonly hashes: readonly { readonly alg: string; readonly content: string }[];
	readonly licenses: readonly unknown[];
}

function json<T>(path: string): T {
	return JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;
}

const { allowScripts } = json<{ allowScripts: Record<string, boolean> }>("package.json");
const locked = Object.entries(
	json<{ packages: Record<string, Locked> }>("package-lock.json").packages,
).filter(([path]) => path !== "");

function nameOf([path, entry]: readonly [string, Locked]): string {
	return entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

test("only listed packages run a script at install, and each is listed for that", () => {
	const scripted = locked.filter(([, entry]) => entry.hasInstallScript === true).map(nameOf);
	assert.deepEqual([...new Set(scripted)].sort(), Object.keys(allowScripts).sort());
});

/** A package for development of which an installation has copies of these files, in dist/server/reference/browser/. */
const COPIED = "swagger-ui-dist";
const COPIED_FILES = [
	"LICENSE",
	"NOTICE",
	"swagger-ui-bundle.js",
	"swagger-ui-bundle.js.LICENSE.txt",
	"swagger-ui.css",
];

const byPath = new Map(locked);

/** Where the package at `path` finds `name`: in its own folder or in those around it. Undefined: it is not locked. */
function resolvedFrom(path: string, name: string): string | undefined {
	const own = path === "" ? `node_modules/${name}` : `${path}/node_modules/${name}`;
	if (byPath.has(own) || path === "") return byPath.has(own) ? own : undefined;
	return resolvedFrom(path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/"))), name);
}

/** Paths of the packages that `npm i -g` installs: what the package needs or can use, and what those do. */
function installedTree(): Set<string> {
	const found = new Set<string>();
	const follow = (path: string, { dependencies, optionalDependencies }: Partial<Locked>) => {
		for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
			const next = resolvedFrom(path, name);
			if (next === undefined || found.has(next)) continue;
			found.add(next);
			follow(next, byPath.get(next) ?? {});
		}
	};
	follow("", json<Locked>("package.json"));
	return found;
}

test("no package with a script that is denied, as @scarf/scarf, is installed with the product", () => {
	const tree = installedTree();
	assert.ok(tree.has("node_modules/lmdb") && tree.size > 40, `${tree.size} packages`);
	const denied = Object.keys(allowScripts).filter((name) => !allowScripts[name]);
	assert.ok(denied.includes("@scarf/scarf"));
	const installed = [...tree].map((path) => nameOf([path, byPath.get(path) as Locked]));
	assert.deepEqual(
		installed.filter((name) => denied.includes(name) || name === COPIED),
		[],
	);
	const development = [...tree].filter((path) => byPath.get(path)?.dev === true);
	assert.deepEqual(development, [], "the walk finds nothing that npm omits");
});

test("the files of Swagger UI are copied unchanged, with their licences", () => {
	const folder = join(ROOT, "dist/server/reference/browser");
	assert.deepEqual(readdirSync(folder).sort(), COPIED_FILES);
	for (const name of COPIED_FILES)
		assert.ok(
			readFileSync(join(folder, name)).equals(readFileSync(join(ROOT, "node_modules", COPIED, name))),
			name,
		);
});

test("every package comes from a registry with its checksum, none from a URL", () => {
	const odd = locked.filter(
		([, { resolved, integrity }]) => resolved !== undefined || !/^sha512-/.test(integrity ?? ""),
	);
	assert.deepEqual(odd.map(nameOf), []);
});

/** Whether an installation has files of a package. */
function isShipped(entry: readonly [string, Locked]): boolean {
	return entry[1].dev !== true || nameOf(entry) === COPIED;
}

/** Folders whose programs are installed. */
const INSTALLED = ["bench", "builder", "cli", "engine", "formats", "server"];

test("what is installed imports packages that are installed with it", () => {
	const { dependencies, optionalDependencies, peerDependencies } =
		json<Record<string, Record<string, string>>>("package.json");
	const installed = new Set(
		[dependencies, optionalDependencies, peerDependencies].flatMap((packages) => Object.keys(packages)),
	);
	const files = INSTALLED.flatMap((folder) =>
		readdirSync(join(ROOT, "dist", folder), { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".js") && !path.split(sep).includes("browser"))
			.map((path) => join("dist", folder, path)),
	);
	const missing = files.flatMap((file) => {
		const imports = readFileSync(join(ROOT, file), "utf8").matchAll(
			/^(?:import|export)[^;"]*?from "([^".][^"]*)"|\bimport\("([^".][^"]*)"\)/gm,
		);
		return [...imports]
			.map(([, fixed, later]) => fixed ?? later)
			.filter((name) => !name.startsWith("node:"))
			.map((name) => name.split("/", name.startsWith("@") ? 2 : 1).join("/"))
			.filter((name) => !installed.has(name))
			.map((name) => `${file} imports ${name}`);
	});
	assert.ok(files.length > 100);
	assert.deepEqual(missing, []);
});

/** Licences that require attribution at most. */
const PERMISSIVE = /^(MIT(-0)?|ISC|0BSD|BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|Zlib|Unlicense)$/;

/**
 * Whether all licences that apply together are permissive; a choice between several is reviewed by a
 * person.
 */
function isPermissive(expression: string): boolean {
	return expression.split(" AND ").every((licence) => PERMISSIVE.test(licence));
}

test("everything that the product runs is under a permissive licence", () => {
	const others = locked
		.filter((entry) => isShipped(entry) && !isPermissive(entry[1].license ?? ""))
		.map((entry) => `${nameOf(entry)}: ${entry[1].license}`);
	assert.deepEqual(others, []);
});

test("the bill of materials lists exactly the locked packages of which an installation has files", () => {
	const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "scripts/sbom.js")], {
		encoding: "utf8",
	});
	assert.equal(status, 0);
	const bill = JSON.parse(stdout) as { bomFormat: string; components: Component[] };
	assert.equal(bill.bomFormat, "CycloneDX");
	const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
	const expected = locked.filter(isShipped).map((entry) => `${nameOf(entry)}@${entry[1].version}`);
	assert.deepEqual(listed.sort(), [...new Set(expected)].sort());
	for (const { name, hashes, licenses } of bill.components) {
		assert.match(hashes[0].content, /^[0-9a-f]{128}$/, name);
		assert.equal(licenses.length, 1, name);
	}
});
