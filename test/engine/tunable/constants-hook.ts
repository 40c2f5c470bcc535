/**
 * A module loader hook under which constants can be changed: `export const NAME =` of the modules below becomes
 * `export let NAME =`, and each of them exports a function `retune` that assigns. Importers see a changed value
 * at once, since imports are live bindings. So thresholds that take months of hundreds of thousands of rows can be
 * lowered to months of a few hundred, and a cost model can be bent until it prefers each path in turn, without a
 * setting in the programs.
 *
 * Registered with `register()` of `node:module` before anything of the engine is imported.
 */

import type { LoadHook } from "node:module";

const TUNABLE = ["/engine/tuning.js", "/formats/layout.js"];

const EXPORTED_CONSTANT = /^export const ([A-Z][A-Z0-9_]*) = /gm;

export const load: LoadHook = async (url, context, nextLoad) => {
	const loaded = await nextLoad(url, context);
	if (!TUNABLE.some((path) => url.endsWith(path))) return loaded;
	const source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
	const names = [...source.matchAll(EXPORTED_CONSTANT)].map(([, name]) => name);
	const setters = names.map((name) => `${name}: (value) => { ${name} = value; }`);
	const readers = names.map((name) => `${name}: () => ${name}`);
	return {
		...loaded,
		source: `${source.replaceAll(EXPORTED_CONSTANT, "export let $1 = ")}
const setters = { ${setters.join(", ")} };
const readers = { ${readers.join(", ")} };
export function retune(values) {
	for (const [name, value] of Object.entries(values)) setters[name](value);
}
export function tuned() {
	return Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read()]));
}
`,
	};
};
