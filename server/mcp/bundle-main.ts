/** The program of the bundle for desktop clients: the bridge, with the settings that the client asked its user for. */

import { StdioBridge } from "./stdio-bridge.js";

const { ROLLCALL_URL = "", ROLLCALL_KEY = "" } = process.env;
const isAddress = /^https?:\/\//.test(ROLLCALL_URL) && URL.canParse(ROLLCALL_URL);
if (isAddress && ROLLCALL_KEY !== "") {
	const url = new URL(ROLLCALL_URL);
	// A bare address means its `/mcp`.
	if (url.pathname === "/") url.pathname = "/mcp";
	await new StdioBridge({ url, key: ROLLCALL_KEY, input: process.stdin, output: process.stdout }).run();
} else {
	const missing = isAddress
		? "ROLLCALL_KEY is not set"
		: "ROLLCALL_URL must be the address of a tool server, such as https://api.example.com/mcp";
	process.stderr.write(`rollcall: ${missing}\n`);
	process.exitCode = 2;
}
