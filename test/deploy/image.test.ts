/**
 * The image of deploy/Containerfile, built as it stands there by buildah and run as its user. No network: stand-ins for
 * the two base images are made of this machine's Node, npm and libraries, and packages come from a registry on the
 * loopback. `npm run test:install` does it.
 */

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { findProgram } from "../chaos/proxy/proxy-process.js";
import { ROOT } from "../docs/runnable-blocks.js";
import { fuzzRuns } from "../oracle/seeded.js";
import { LockRegistry } from "../package/lock-registry.js";

const BUILD_MS_MAX = 300_000;
const CONTAINERFILE = join(ROOT, "deploy/Containerfile");
const UNPRIVILEGED = 65_532;

function obstacle(): string | false {
	if (fuzzRuns(0) === 0) return "a minute of building an image; `npm run test:install` runs it";
	if (process.platform !== "linux" || process.getuid?.() !== 0) return "building without a daemon needs root";
	return findProgram("buildah") === undefined && "buildah is not installed (apt-get install buildah)";
}

const scratch = mkdtempSync(join(tmpdir(), "rollcall-image-"));
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

/** Runs buildah with a store of its own, without namespaces that a container may lack. Resolves to what it prints. */
async function buildah(command: string, ...args: readonly string[]): Promise<string> {
	const store = [
		"--storage-driver",
		"vfs",
		"--root",
		join(scratch, "store"),
		"--runroot",
		join(scratch, "run"),
	];
	const alone = ["build", "run"].includes(command) ? ["--isolation", "chroot", "--network", "host"] : [];
	const options = { timeout: BUILD_MS_MAX, maxBuffer: 1 << 24 };
	const { stdout } = await promisify(execFile)("buildah", [...store, command, ...alone, ...args], options);
	return stdout.trim();
}

/** The base images that the Containerfile names, in order. */
function baseImages(): string[] {
	return [...readFileSync(CONTAINERFILE, "utf8").matchAll(/^FROM (\S+)/gm)].map(([, name]) => name);
}

/** A root folder with `programs` at their paths and the libraries they need. */
function rootWith(name: string, programs: ReadonlyMap<string, string>): string {
	const root = join(scratch, name);
	const put = (from: string, to: string) => {
		mkdirSync(join(root, dirname(to)), { recursive: true });
		copyFileSync(from, join(root, to));
	};
	for (const [to, from] of programs) {
		put(from, to);
		const needed = execFileSync("ldd", [from], { encoding: "utf8" });
		for (const [library] of needed.matchAll(/\/\S+\.so[.\d]*/g)) put(library, library);
	}
	mkdirSync(join(root, "tmp"));
	mkdirSync(join(root, "etc"));
	writeFileSync(
		join(root, "etc/passwd"),
		`root:x:0:0::/root:/bin/sh\nnonroot:x:${UNPRIVILEGED}:${UNPRIVILEGED}::/tmp:/bin/sh\n`,
	);
	return root;
}

async function makeBase(image: string, root: string, ...instructions: readonly string[]): Promise<void> {
	const file = `${root}.Containerfile`;
	writeFileSync(file, ["FROM scratch", "COPY . /", ...instructions, ""].join("\n"));
	await buildah("build", "-t", image, "-f", file, root);
}

/** Makes stand-ins for the base images: one with Node, npm and a shell, one with Node alone. */
async function makeBases(registry: string): Promise<void> {
	const [full, bare] = baseImages();
	const npm = join(dirname(realpathSync(findProgram("npm") ?? "")), "..");
	assert.ok(existsSync(join(npm, "bin/npm-cli.js")), npm);
	const node = process.execPath;
	const shell = realpathSync("/bin/sh");
	const fullRoot = rootWith(
		"full",
		new Map([
			["/usr/local/bin/node", node],
			["/bin/sh", shell],
			["/usr/bin/env", "/usr/bin/env"],
		]),
	);
	cpSync(npm, join(fullRoot, "usr/local/lib/node_modules/npm"), { recursive: true });
	symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(fullRoot, "usr/local/bin/npm"));
	await makeBase(
		full,
		fullRoot,
		"ENV PATH=/usr/local/bin:/usr/bin:/bin",
		`ENV npm_config_registry=${registry}`,
	);
	await makeBase(bare, rootWith("bare", new Map([["/nodejs/bin/node", node]])));
}

test("the image is built as the Containerfile says, and its unprivileged user runs the command", {
	skip: obstacle(),
}, async () => {
	const registry = await LockRegistry.start();
	after(() => registry.close());
	await makeBases(registry.url);
	const context = join(scratch, "context");
	mkdirSync(context);
	const npm = { cwd: ROOT, timeout: BUILD_MS_MAX };
	await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", context], npm);
	await buildah("build", "-t", "rollcall", "-f", CONTAINERFILE, context);

	const container = await buildah("from", "rollcall");
	const data = join(scratch, "data");
	mkdirSync(data);
	chownSync(data, UNPRIVILEGED, UNPRIVILEGED);
	const inside = (...command: readonly string[]) =>
		buildah("run", "-v", `${data}:/data`, container, "--", ...command);
	const rollcall = (...args: readonly string[]) =>
		inside("/nodejs/bin/node", "/opt/rollcall/dist/cli/main.js", ...args);
	assert.match(await rollcall("--help"), /^Usage: rollcall <command>/);
	assert.equal(await inside("/nodejs/bin/node", "-p", "process.getuid()"), String(UNPRIVILEGED));
	const made = await rollcall("server", "keys", "create", "--data", "/data", "--tier", "demo", "--json");
	assert.match((JSON.parse(made) as { key: string }).key, /^\w+$/);
	const mode =
		"import('/opt/rollcall/dist/formats/index.js').then((formats) => console.log(formats.mappingMode()))";
	assert.equal(await inside("/nodejs/bin/node", "-e", mode), "mmap");
	await assert.rejects(inside("/bin/sh", "-c", "true"), "an image without a shell");
});
