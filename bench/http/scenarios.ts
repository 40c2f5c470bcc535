/** The scenarios of the HTTP benchmark and their targets, each against its constant twin. */

import type { Snapshot } from "../../engine/index.js";
import {
	DEFAULT_PAGE,
	MIXED_SHAPES,
	mixedPaths,
	ONE_BY_ID,
	ONE_BY_LICENSE_NUMBER,
	ONE_BY_TOOL,
	pathsOf,
	Values,
} from "./requests.js";
import type { Scenario } from "./rounds.js";
import type { TwinProcess } from "./twin-process.js";

const SEED = 20_261;
const CONNECTIONS = 16;
/** Distinct rows requested: more than the caches remember, so that no request is recognised as repeated. */
const ROWS_ASKED = 200_000;
/** Target rate of one core for agents that call `get_license` continuously. */
const TOOL_CALLS_PER_SECOND_MIN = 30_000;
/** Requests of the mix that repeat: questions that many clients ask. */
const MIXED_REQUESTS = 2_000;
/** Enough requests that none repeats while a cache remembers it. */
const MIXED_REQUESTS_ANEW = 200_000;
/** Delay between a connection's requests where both sides get the same load, in milliseconds. */
const EQUAL_LOAD_WAIT_MS = 16;
const SMALL = ["/small"];
const EMPTY = ["/empty"];

/** Every scenario over the month under test. When this resolves, the twin holds the bodies it needs. */
export async function scenariosOf(process: TwinProcess, snapshot: Snapshot): Promise<Scenario[]> {
	const values = new Values(snapshot, SEED);
	const page = [DEFAULT_PAGE.path(values)];
	const oneId = [ONE_BY_ID.path(values)];
	const mixed = mixedPaths(values, MIXED_REQUESTS);
	await process.hold([...page, ...mixed]);
	const tag = await tagOf(process, page[0]);
	const fast = { connections: CONNECTIONS, waitMs: 0 };
	const small = { ...fast, twinPaths: SMALL, target: { of: "rate", atLeast: 0.6 } } as const;
	const mix = `mix of ${MIXED_SHAPES.length} shapes`;
	return [
		{ name: "default page", ...fast, paths: page, twinPaths: page, target: { of: "rate", atLeast: 0.6 } },
		{ name: "one row, one id", ...small, paths: oneId },
		{ name: "one row by id", ...small, paths: pathsOf(ONE_BY_ID, values, ROWS_ASKED) },
		{
			name: "one row by license number",
			...small,
			paths: pathsOf(ONE_BY_LICENSE_NUMBER, values, ROWS_ASKED),
		},
		{
			name: "one row by a tool (MCP)",
			...small,
			paths: pathsOf(ONE_BY_TOOL, values, ROWS_ASKED),
			target: { of: "requests", atLeast: TOOL_CALLS_PER_SECOND_MIN },
		},
		{ name: mix, ...fast, paths: mixed, twinPaths: mixed, target: { of: "rate", atLeast: 0.5 } },
		{
			name: "the mix, never asked before",
			...fast,
			paths: mixedPaths(values, MIXED_REQUESTS_ANEW),
			twinPaths: mixed,
			target: null,
		},
		{
			name: `${mix}, equal load`,
			connections: CONNECTIONS,
			waitMs: EQUAL_LOAD_WAIT_MS,
			paths: mixed,
			twinPaths: mixed,
			target: { of: "p99", atMost: 3 },
		},
		{
			name: "304 of the default page",
			...fast,
			paths: page,
			ifNoneMatch: tag,
			twinPaths: EMPTY,
			target: { of: "cpu", atMost: 2 },
		},
	];
}

async function tagOf({ port, authorization }: TwinProcess, path: string): Promise<string> {
	const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
	return headers.get("etag") ?? "";
}
