/** The dependencies: nothing unlisted, no unlisted install scripts, nothing without a permissive licence. */

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

test("every package comes from a registry with its checksum, none from a URL", () => {
	const odd = locked.filter(
		([, { resolved, integrity }]) => resolved !== undefined || !/^sha512-/.test(integrity ?? ""),
	);
	assert.deepEqual(odd.map(nameOf), []);
});

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
		.filter(([, { dev, license }]) => dev !== true && !isPermissive(license ?? ""))
		.map((entry) => `${nameOf(entry)}: ${entry[1].license}`);
	assert.deepEqual(others, []);
});

test("the bill of materials lists exactly the locked packages that are not for development only", () => {
	const { status, stdout } = spawnSync(process.execPath, [join(ROOT, "scripts/sbom.js")], {
		encoding: "utf8",
	});
	assert.equal(status, 0);
	const bill = JSON.parse(stdout) as { bomFormat: string; components: Component[] };
	assert.equal(bill.bomFormat, "CycloneDX");
	const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
	const expected = locked
		.filter(([, entry]) => entry.dev !== true)
		.map((entry) => `${nameOf(entry)}@${entry[1].version}`);
	assert.deepEqual(listed.sort(), [...new Set(expected)].sort());
	for (const { name, hashes, licenses } of bill.components) {
		assert.match(hashes[0].content, /^[0-9a-f]{128}$/, name);
		assert.equal(licenses.length, 1, name);
	}
});
