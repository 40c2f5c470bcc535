/**
 * Files that pages load: our own from the compiled `browser` folders (scripts/compile.js copies them), and those of
 * packages. Each is read once, and browsers may cache it for an hour.
 */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageRoute } from "./page-server.js";

const TYPES = { css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8" } as const;

/** How long a browser may keep a file, in seconds. */
const LIFETIME_SECONDS = 3_600;

/** The route of a file of ours; `folder` is relative to `server/`. */
export function ownFile(path: string, folder: string, name: string): PageRoute {
	return fileRoute(path, fileURLToPath(new URL(`../${folder}/browser/${name}`, import.meta.url)));
}

/** The routes of what scripts of charts and tables load. */
export function scriptFiles(): PageRoute[] {
	return [
		ownFile("/pages/ask-service.js", "pages", "ask-service.js"),
		packageFile("/pages/uplot.js", "uplot", "dist/uPlot.esm.js"),
		packageFile("/pages/uplot.css", "uplot", "dist/uPlot.min.css"),
	];
}

/** The route of a file of the package `name`, at `file` below the package's folder. */
export function packageFile(path: string, name: string, file: string): PageRoute {
	const require = createRequire(import.meta.url);
	// Packages that export no package.json are found by their main file, which lies in dist/.
	const main = require.resolve(name);
	const root = main.slice(
		0,
		main.lastIndexOf(join("node_modules", name)) + join("node_modules", name).length,
	);
	return fileRoute(path, join(dirname(join(root, "package.json")), file));
}

function fileRoute(path: string, file: string): PageRoute {
	const body = readFileSync(file);
	const type = file.endsWith(".css") ? TYPES.css : TYPES.js;
	return {
		method: "GET",
		path,
		counted: false,
		answer: () => ({
			status: 200,
			type,
			body,
			headers: { "Cache-Control": `public, max-age=${LIFETIME_SECONDS}` },
		}),
	};
}
