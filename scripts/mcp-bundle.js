// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the client fills these in
// Packs the bridge for stdio as an MCP bundle, which desktop clients install by one click:
// `npm run mcp:bundle -- rollcall.mcpb`. Uses @anthropic-ai/mcpb, which checks the manifest; downloads nothing.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packExtension } from "@anthropic-ai/mcpb/cli";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { TOOLS } = await import(join(root, "dist/server/mcp/tools.js"));

/** What the bridge needs; these import one another and modules of Node alone. */
const FILES = ["bundle-main.js", "stdio-bridge.js", "json-rpc.js", "lines.js", "protocol.js"];

const manifest = {
	manifest_version: "0.3",
	name: "rollcall",
	display_name: "Rollcall: real-estate license records",
	version,
	description: "Search, verify and count real-estate licenses of US states and Canadian provinces.",
	author: { name: "Rollcall" },
	server: {
		type: "node",
		entry_point: "server/bundle-main.js",
		mcp_config: {
			command: "node",
			args: ["${__dirname}/server/bundle-main.js"],
			env: { ROLLCALL_URL: "${user_config.url}", ROLLCALL_KEY: "${user_config.key}" },
		},
	},
	tools: TOOLS.map(({ listed }) => ({ name: listed.name, description: listed.title })),
	tools_generated: true,
	prompts_generated: true,
	compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } },
	user_config: {
		url: {
			type: "string",
			title: "Address",
			description: "Address of the tool server, such as https://api.example.com/mcp",
			required: true,
		},
		key: { type: "string", title: "API key", description: "Your key", required: true, sensitive: true },
	},
};

const [output, ...others] = process.argv.slice(2);
if (output === undefined || !output.endsWith(".mcpb") || others.length > 0) {
	process.stderr.write("usage: npm run mcp:bundle -- FILE.mcpb\n");
	process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "rollcall-mcpb-"));
try {
	mkdirSync(join(folder, "server"));
	for (const file of FILES) copyFileSync(join(root, "dist/server/mcp", file), join(folder, "server", file));
	writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest, null, "\t"));
	writeFileSync(
		join(folder, "package.json"),
		JSON.stringify({ name: "rollcall-mcp", version, type: "module" }),
	);
	const packed = await packExtension({ extensionPath: folder, outputPath: resolve(output), silent: true });
	if (!packed) process.exitCode = 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
