// Regenerates formats/schema/generated from formats/schema/catalog.fbs.
// Needs flatc: Debian's package flatbuffers-compiler.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const schema = fileURLToPath(new URL("../formats/schema/catalog.fbs", import.meta.url));
const generated = fileURLToPath(new URL("../formats/schema/generated", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "rollcall-flatc-"));
try {
	execFileSync("flatc", ["--ts", "-o", scratch, schema], { stdio: "inherit" });
	const source = join(scratch, "rollcall");
	for (const name of readdirSync(source)) {
		const text = readFileSync(join(source, name), "utf8");
		// Node's ES modules want the file's ending, and the files lie side by side.
		writeFileSync(join(generated, name), text.replaceAll(/'\.\.\/rollcall\/([a-z-]+)'/g, "'./$1.js'"));
	}
} finally {
	rmSync(scratch, { recursive: true });
}
