// Assembles each WebAssembly source in engine/kernels into a module of its name in engine/kernels/generated.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";

const kernels = fileURLToPath(new URL("../engine/kernels/", import.meta.url));
const wabt = await openWabt();

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
			`export const ${name.toUpperCase().replaceAll("-", "_")}_MODULE =`,
			`\t"${base64}";`,
			"",
		].join("\n"),
	);
}
