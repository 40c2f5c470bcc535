// Compiles the addon (formats/addon/), which maps files among other things, into native/, with the C compiler of this
// machine and the headers of node-api-headers: nothing is downloaded. Runs at install. A binary that loads,
// as a packed release carries one, is left as it is. Without a compiler the install succeeds, with one line
// that says what is missing: the server then reads months into memory.
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL("..", import.meta.url));
const target = `${root}native/addon-${process.platform}-${process.arch}.node`;
const anew = process.argv.includes("--force");

/** Why the binary cannot be loaded; null: it can. */
function fault(path) {
	try {
		return require(path).gather === undefined ? "it is of an earlier version" : null;
	} catch (error) {
		return error.message.split("\n")[0];
	}
}

function compile(compiler, output) {
	const { include_dir } = require("node-api-headers");
	const link =
		process.platform === "darwin"
			? ["-bundle", "-undefined", "dynamic_lookup"]
			: // Never unloaded, since its thread may still run when the last thread that loaded it has ended.
				["-shared", "-nostdlib", "-Wl,-z,relro,-z,now,-z,nodelete"];
	const flags = [
		"-O2",
		"-fPIC",
		"-Wall",
		"-Wextra",
		"-fvisibility=hidden",
		"-fno-stack-protector",
		"-DNAPI_VERSION=8",
	];
	const sources = ["addon", "mapping", "gather", "crc32"].map((name) => `${root}formats/addon/${name}.c`);
	const args = [...flags, `-I${include_dir}`, ...sources, ...link, "-o", output];
	const { status, error, stderr } = spawnSync(compiler, args, { encoding: "utf8" });
	if (error !== undefined) return error.code === "ENOENT" ? `no ${compiler}` : error.message;
	return status === 0 ? fault(output) : stderr.trim().split("\n")[0];
}

function build() {
	if (!anew && fault(target) === null) return;
	mkdirSync(`${root}native`, { recursive: true });
	const made = target.replace(/node$/, `${process.pid}.node`);
	const faults = [];
	for (const compiler of process.env.CC === undefined ? ["cc", "gcc", "clang"] : [process.env.CC]) {
		const found = compile(compiler, made);
		if (found === null) {
			renameSync(made, target);
			return;
		}
		faults.push(`${compiler}: ${found}`);
	}
	rmSync(made, { force: true });
	console.error(
		`rollcall: files will be read into memory instead of mapped, since the addon was not compiled (${faults.join("; ")}). Install a C compiler (Debian: apt-get install gcc libc6-dev) and run: node ${root}scripts/build-addon.js`,
	);
}

if (process.platform === "win32") console.error("rollcall: files are read into memory on Windows");
else build();
