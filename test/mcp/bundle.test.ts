/** The bundle for desktop clients, as one installs and starts it, and the registry's description of the server. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { unpackExtension, validateManifest } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { z } from "zod";
import { SERVER_INFO } from "../../server/mcp/protocol.js";
import { TOOL_NAMES } from "../../server/mcp/tools.js";
import { ROOT } from "../docs/runnable-blocks.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { CLIENT_INFO, callOk } from "./tool-client.js";

const BUNDLE_BYTES_MAX = 100_000;

const scratch = mkdtempSync(join(tmpdir(), "rollcall-bundle-"));
const bundle = join(scratch, "rollcall.mcpb");
const folder = join(scratch, "unpacked");

interface Manifest {
	readonly version: string;
	readonly tools: readonly { readonly name: string }[];
	readonly user_config: Readonly<
		Record<string, { readonly required?: boolean; readonly sensitive?: boolean }>
	>;
	readonly server: {
		readonly mcp_config: {
			readonly command: string;
			readonly args: string[];
			readonly env: Record<string, string>;
		};
	};
}

let manifest: Manifest;
before(async () => {
	const made = spawnSync(process.execPath, [join(ROOT, "scripts/mcp-bundle.js"), bundle], {
		encoding: "utf8",
	});
	assert.equal(made.status, 0, made.stderr + made.stdout);
	assert.equal(await unpackExtension({ mcpbPath: bundle, outputDir: folder, silent: true }), true);
	manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
});
after(() => rmSync(scratch, { recursive: true, force: true }));

test("the bundle's manifest is valid by mcpb's own check, and names the tools and the version", () => {
	assert.equal(validateManifest(join(folder, "manifest.json")), true);
	assert.deepEqual(
		manifest.tools.map(({ name }) => name),
		TOOL_NAMES,
	);
	assert.equal(manifest.version, JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
	assert.equal(manifest.user_config.key.sensitive, true);
	assert.ok(readFileSync(bundle).length <= BUNDLE_BYTES_MAX);
});

/** Texts of the manifest as a client fills them in. */
function filled(text: string, given: Readonly<Record<string, string>>): string {
	return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => given[name] ?? assert.fail(name));
}

test("a client that installs the bundle calls tools through it", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const { command, args, env } = manifest.server.mcp_config;
	const given = {
		__dirname: folder,
		"user_config.url": `http://127.0.0.1:${served.port}`,
		"user_config.key": await served.key(),
	};
	const client = new Client(CLIENT_INFO);
	await client.connect(
		new StdioClientTransport({
			command,
			args: args.map((text) => filled(text, given)),
			env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text, given)])),
			// Nothing of this checkout is near.
			cwd: scratch,
		}),
	);
	t.after(() => client.close());
	assert.equal((await client.listTools()).tools.length, TOOL_NAMES.length);
	assert.match(JSON.stringify(await callOk(client, "whoami")), /enterprise/);
});

test("without an address or a key the bundle's program says which setting is missing", () => {
	const main = join(folder, "server/bundle-main.js");
	for (const [env, says] of [
		[{ ROLLCALL_KEY: "k" }, /ROLLCALL_URL/],
		[{ ROLLCALL_URL: "ftp://a/", ROLLCALL_KEY: "k" }, /ROLLCALL_URL/],
		[{ ROLLCALL_URL: "https://a/" }, /ROLLCALL_KEY/],
	] as const) {
		const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: "utf8", input: "" });
		assert.equal(status, 2);
		assert.match(stderr, says);
	}
});

/** What the registry's schema and its publisher ask of a server with remotes alone. */
const registered = z.strictObject({
	$schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
	name: z
		.string()
		.min(3)
		.max(200)
		.regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
	title: z.string().min(1).max(100),
	description: z.string().min(1).max(100),
	version: z
		.string()
		.max(255)
		.regex(/^\d+\.\d+\.\d+$/),
	remotes: z
		.array(
			z.strictObject({
				type: z.literal("streamable-http"),
				url: z.url({ protocol: /^https$/ }),
				headers: z.array(
					z.strictObject({
						name: z.literal("Authorization"),
						description: z.string(),
						isRequired: z.literal(true),
						isSecret: z.literal(true),
					}),
				),
			}),
		)
		.min(1),
});

test("server.json has what the registry asks for, and this version", () => {
	const described = registered.parse(JSON.parse(readFileSync(join(ROOT, "server.json"), "utf8")));
	assert.equal(described.version, SERVER_INFO.version);
});

test("what is no file of a bundle is refused, and nothing is written", () => {
	for (const given of [[], ["--help"], [join(scratch, "folder")], [bundle, "more"]]) {
		const refused = spawnSync(process.execPath, [join(ROOT, "scripts/mcp-bundle.js"), ...given], {
			encoding: "utf8",
			cwd: scratch,
		});
		assert.equal(refused.status, 2, given.join(" "));
		assert.equal(refused.stderr, "usage: npm run mcp:bundle -- FILE.mcpb\n");
	}
	assert.deepEqual(
		readdirSync(scratch).filter((name) => name.startsWith("-") || name === "folder" || name === "more"),
		[],
	);
});
