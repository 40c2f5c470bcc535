/**
 * Which uWebSockets.js binary is used: the first of those installed that answers a request in a process of its own.
 * Modules of JavaScript stand for binaries that fail in ways that no binary here does.
 */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BINARY, candidates, search } from "../../server/http/uws-library.js";
import { scratchFolder } from "../keys/scratch.js";
import { whyNotOver } from "./transports.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** An HTTP server of Node with the functions that the loader uses, which answers by `status`. */
const answering = (status: string) => `
	const { createServer } = require("node:net");
	const server = createServer((socket) => socket.end("HTTP/1.1 ${status}\\r\\ncontent-length: 0\\r\\n\\r\\n"));
	exports.App = () => ({ any() {}, listen: (host, port, done) => server.listen(port, host, () => done({})) });
	exports.us_socket_local_port = () => server.address().port;
	exports.us_listen_socket_close = () => server.close();`;
const CRASHING = `process.kill(process.pid, "SIGSEGV"); for (;;);`;
const SILENT = `exports.App = () => ({ any() {}, listen() { setInterval(() => {}, 1000); } });`;

function moduleOf(t: TestContext, code: string): string {
	const file = join(scratchFolder(t), "binary.cjs");
	writeFileSync(file, code);
	return file;
}

/** Why `file` alone is not used. */
function reasonFor(file: string, answerMsMax?: number): string {
	const found = search([file], answerMsMax);
	assert.ok("reason" in found, "it is used");
	assert.ok(found.reason.startsWith(`${file}: `), found.reason);
	return found.reason.slice(file.length + 2);
}

test("a binary that crashes, does not answer, or answers by an error is not used, and the reason says so", (t) => {
	assert.equal(reasonFor(moduleOf(t, CRASHING)), "it ended with SIGSEGV");
	assert.equal(reasonFor(moduleOf(t, SILENT), 300), "it did not answer within 300 ms");
	assert.equal(reasonFor(moduleOf(t, answering("500 Oops"))), "Error: it does not answer");
	assert.equal(reasonFor(moduleOf(t, "process.exit(3)")), "it ended with code 3");
	assert.equal(reasonFor(moduleOf(t, "exports.App = 1")), "TypeError: uws.App is not a function");
});

test("a file that is no binary is not used", (t) => {
	const file = join(scratchFolder(t), BINARY);
	writeFileSync(file, "<html>404: Not Found</html>\n".repeat(100));
	assert.match(reasonFor(file), /^Error: .*(invalid ELF header|not a mach-o file|not valid)/i);
});

const BINARIES = join(ROOT, "node_modules/uWebSockets.js/binaries");

test("a binary of another Node version is not used", { skip: whyNotOver("uws") }, () => {
	const system = `uws_${process.platform}_${process.arch}_`;
	const other = readdirSync(BINARIES).find((name) => name.startsWith(system) && name !== BINARY);
	assert.ok(other !== undefined);
	assert.match(reasonFor(join(BINARIES, other)), /^Error: .*/);
});

test("the first that answers is used, whatever those before it do", (t) => {
	const [crashing, first, second] = [CRASHING, answering("200 OK"), answering("200 OK")].map((code) =>
		moduleOf(t, code),
	);
	assert.deepEqual(search([crashing, first, second]), { file: first });
});

test("where none is used, the reason names each, or says what file is missing", (t) => {
	const [crashing, ending] = [CRASHING, "process.exit(3)"].map((code) => moduleOf(t, code));
	assert.deepEqual(search([crashing, ending]), {
		reason: `${crashing}: it ended with SIGSEGV; ${ending}: it ended with code 3`,
	});
	assert.deepEqual(search([]), { reason: `no binary ${BINARY} is installed` });
});

/** A package folder with `packages`, each of whose entry and binary are named by their paths. */
function packageFolder(
	t: TestContext,
	packages: Readonly<Record<string, readonly [string, string]>>,
): string {
	const root = realpathSync(scratchFolder(t));
	for (const [name, [main, binary]] of Object.entries(packages)) {
		const folder = join(root, "node_modules", name);
		for (const file of [main, binary]) {
			mkdirSync(join(folder, file, ".."), { recursive: true });
			writeFileSync(join(folder, file), "");
		}
		writeFileSync(join(folder, "package.json"), JSON.stringify({ name, main }));
	}
	return root;
}

/** The unofficial package keeps its binaries beside the folder of its entry; the author's, in it. */
const UNOFFICIAL = ["src/uws.js", `binaries/${BINARY}`] as const;
const OFFICIAL = ["uws.js", BINARY] as const;

/** Paths of the binaries of `root`, below it. */
function candidatesIn(root: string): string[] {
	return candidates(root).map((file) => relative(root, file));
}

test("the folder uws/ comes before the package uWebSockets.js, and that before uwebsockets", (t) => {
	const root = packageFolder(t, { "uWebSockets.js": UNOFFICIAL, uwebsockets: OFFICIAL });
	mkdirSync(join(root, "uws"));
	writeFileSync(join(root, "uws", BINARY), "");
	assert.deepEqual(candidatesIn(root), [
		`uws/${BINARY}`,
		`node_modules/uWebSockets.js/binaries/${BINARY}`,
		`node_modules/uwebsockets/${BINARY}`,
	]);
});

test("the author's release is found in the place of the unofficial one, and other systems' binaries are not tried", (t) => {
	assert.deepEqual(candidatesIn(packageFolder(t, { "uWebSockets.js": OFFICIAL })), [
		`node_modules/uWebSockets.js/${BINARY}`,
	]);
	assert.deepEqual(candidatesIn(packageFolder(t, { uwebsockets: OFFICIAL })), [
		`node_modules/uwebsockets/${BINARY}`,
	]);
	const other = packageFolder(t, { uwebsockets: ["uws.js", "uws_plan9_vax_1.node"] });
	assert.deepEqual(candidatesIn(other), []);
});
