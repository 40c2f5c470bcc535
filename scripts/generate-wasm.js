// Assembles engine/kernels/count-common.wat into engine/kernels/generated/count-common.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openWabt from "wabt";

const source = fileURLToPath(new URL("../engine/kernels/count-common.wat", import.meta.url));
const generated = fileURLToPath(new URL("../engine/kernels/generated/count-common.ts", import.meta.url));

const wabt = await openWabt();
const { buffer } = wabt
	.parseWat("count-common.wat", readFileSync(source, "utf8"), { simd: true })
	.toBinary({});
writeFileSync(
	generated,
	[
		"/** The module assembled from ../count-common.wat by scripts/generate-wasm.js, in base64. */",
		"",
		"export const COUNT_COMMON_MODULE =",
		`\t"${Buffer.from(buffer).toString("base64")}";`,
		"",
	].join("\n"),
);
