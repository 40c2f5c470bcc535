// Compiles the TypeScript sources into dist/, again only what changed since the last time, and copies the files
// that browsers load, which are plain CSS and JavaScript, beside them, those of packages (copied-packages.js) too,
// then bundles the server (bundle.js). Output whose source is gone is removed; where output is missing, everything
// is compiled anew.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import zlib from "node:zlib";
import { BUNDLES, bundle } from "./bundle.js";
import { COPIED_PACKAGES } from "./copied-packages.js";

// npm only warns of `engines`, and the programs' failed imports would name no version.
if (zlib.crc32 === undefined) {
	process.stderr.write(`compile: needs Node 20.15, 22.2 or later; this is ${process.versions.node}\n`);
	process.exit(1);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const { include } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));

/** Paths of the files below `folder`, relative to the root. */
function filesBelow(folder) {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

const sources = include
	.flatMap((folder) => filesBelow(join(root, folder)))
	.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
	.map((path) => path.slice(root.length, -".ts".length));
const compiled = new Set(sources.map((path) => join(dist, path)));
const output = filesBelow(dist);
const present = new Set(output);
if (
	!present.has(join(dist, ".tsbuildinfo")) ||
	sources.some((path) => !present.has(join(dist, `${path}.js`)))
) {
	rmSync(dist, { recursive: true, force: true });
} else {
	const gone = output.filter(
		(path) =>
			/\.(js|js\.map|d\.ts)$/.test(path) &&
			!path.startsWith(BUNDLES) &&
			!compiled.has(path.replace(/\.(js|js\.map|d\.ts)$/, "")),
	);
	for (const path of gone) rmSync(path);
}
const { status } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", root], {
	stdio: "inherit",
});
for (const folder of readdirSync(join(root, "server"), { recursive: true, encoding: "utf8" })) {
	if (!/[\\/]browser$/.test(folder)) continue;
	cpSync(join(root, "server", folder), join(dist, "server", folder), { recursive: true });
}
for (const { from, to, files } of COPIED_PACKAGES)
	for (const file of files) cpSync(join(root, "node_modules", from, file), join(dist, to, file));
if (status !== 0) process.exit(status ?? 1);
await bundle();
