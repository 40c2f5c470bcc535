// Bundles the programs that the server's processes and threads begin with, below dist/server/bundle/: Node takes
// half the CPU time to load them, and each thread loads them anew. server/entry-points.ts lists them and chooses
// between a bundle and the modules that it was made of.
import { readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SERVER = fileURLToPath(new URL("../dist/server", import.meta.url));
/** Where the bundles are. */
export const BUNDLES = join(SERVER, "bundle");

/** Packages of many small modules, which go into the bundles. The others are loaded from node_modules. */
const BUNDLED_PACKAGES = /^(zod|flatbuffers)(\/|$)/;

/** Gives each module, in bundles in `folder`, the address that it has by itself: it finds files by it. */
function ownAddresses(folder) {
	return {
		name: "own-addresses",
		setup({ onLoad }) {
			onLoad({ filter: /[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
				if (path.includes("node_modules")) return undefined;
				const address = `(new URL(${JSON.stringify(relative(folder, path))}, import.meta.url).href)`;
				return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", address), loader: "js" };
			});
		},
	};
}

/** Leaves packages that are not to be bundled to Node. */
const leavePackages = {
	name: "leave-packages",
	setup({ onResolve }) {
		onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
			kind === "entry-point" || BUNDLED_PACKAGES.test(path) ? undefined : { path, external: true },
		);
	},
};

/** Leaves out the messages of zod that are not in English, a third of a bundle: no program chooses a language. */
const englishMessages = {
	name: "english-messages",
	setup({ onLoad }) {
		onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
			contents: 'export { default as en } from "./en.js";',
			loader: "js",
		}));
	},
};

/** Makes the bundles of what has been compiled, unless nothing was compiled since they were made. */
export async function bundle() {
	const { ENTRY_POINTS, isCurrent } = await import("../dist/server/entry-points.js");
	if (ENTRY_POINTS.every(isCurrent)) return;
	rmSync(BUNDLES, { recursive: true, force: true });
	await Promise.all(
		ENTRY_POINTS.map((entry) => {
			const folder = dirname(entry);
			return build({
				entryPoints: { [entry.slice(0, -".js".length)]: join(SERVER, entry) },
				outdir: BUNDLES,
				bundle: true,
				// What is imported on demand is in files of its own.
				splitting: true,
				chunkNames: join(folder, "[name]-[hash]"),
				format: "esm",
				platform: "node",
				target: "node20",
				charset: "utf8",
				plugins: [leavePackages, englishMessages, ownAddresses(join(BUNDLES, folder))],
			});
		}),
	);
}
