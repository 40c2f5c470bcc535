/** `mcp-stdio`: a tool server on standard streams, in front of one over HTTP. */

import { Command, InvalidArgumentError, Option } from "commander";

interface BridgeCommandOptions {
	readonly url: URL;
	readonly key?: string;
}

/** `mcp-stdio`. */
export function mcpStdioCommand(): Command {
	return new Command("mcp-stdio")
		.description("speak MCP on stdin and stdout, and hand every message to a running server")
		.addOption(
			new Option("--url <url>", "address of the tool server")
				.env("ROLLCALL_URL")
				.argParser(toolServerUrl)
				.default(new URL("http://127.0.0.1:8080/mcp"), "http://127.0.0.1:8080/mcp"),
		)
		.addOption(
			new Option("--key <key>", "API key; in the environment it stays out of process lists").env(
				"ROLLCALL_KEY",
			),
		)
		.action(async ({ url, key }: BridgeCommandOptions, command: Command) => {
			if (key === undefined || key.trim() === "")
				command.error("error: no key: give one as ROLLCALL_KEY in the environment, or by --key");
			const { StdioBridge } = await import("../mcp/stdio-bridge.js");
			await new StdioBridge({ url, key, input: process.stdin, output: process.stdout }).run();
		});
}

/** A bare address means its `/mcp`. */
function toolServerUrl(text: string): URL {
	if (!URL.canParse(text))
		throw new InvalidArgumentError("It must be an address such as http://127.0.0.1:8080/mcp.");
	const url = new URL(text);
	if (url.protocol !== "http:" && url.protocol !== "https:")
		throw new InvalidArgumentError("It must begin with http:// or https://.");
	if (url.pathname === "/") url.pathname = "/mcp";
	return url;
}
