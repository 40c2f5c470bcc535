/**
 * Imported before a conformance suite on Node 20: the suites import `globSync` of Node 22's `fs` for commands
 * that the tests do not use, and would not load without it.
 */

import { register } from "node:module";

const SOURCE = `
	export * from "node:fs";
	export { default } from "node:fs";
	export function globSync() { throw new Error("globSync is of Node 22"); }
`;

const HOOKS = `
	const FS = "rollcall-test:fs";
	export function resolve(specifier, context, next) {
		const isSuite = /\\/conformance[^/]*\\/dist\\//.test(context.parentURL ?? "");
		return specifier === "fs" && isSuite ? { url: FS, shortCircuit: true } : next(specifier, context);
	}
	export function load(url, context, next) {
		if (url !== FS) return next(url, context);
		return { format: "module", source: ${JSON.stringify(SOURCE)}, shortCircuit: true };
	}
`;

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);
