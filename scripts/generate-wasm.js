// Assembles each WebAssembly source into a module of its name in the folder `generated` beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";

const wabt = await openWabt();

for (const folder of ["../engine/kernels/", "../builder/csv/kernels/", "../builder/compile/kernels/"]) {
	const kernels = fileURLToPath(new URL(folder, import.meta.url));
	for (const source of readdirSync(kernels).filter((name) => name.endsWith(".wat"))) {
		const name = source.slice(0, -".wat".length);
		const module = wabt.parseWat(source, readFileSync(`${kernels}${source}`, "utf8"), {
			simd: true,
			bulk_memory: true,
		});
		module.validate();
		const base64 = Buffer.from(module.toBinary({}).buffer).toString("base64");
		writeFileSync(
			`${kernels}generated/${name}.ts`,
			[
				`/** The module assembled from ../${source} by scripts/generate-wasm.js, in base64. */`,
				"",
				// With a type, or the declarations would repeat the text.
				`export const ${name.toUpperCase().replaceAll("-", "_")}_MODULE: string =`,
				`\t"${base64}";`,
				"",
			].join("\n"),
		);
	}
}
