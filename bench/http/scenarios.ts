/** The scenarios of the HTTP benchmark and their targets, each against its constant twin. */

import type { Snapshot } from "../../engine/index.js";
import {
	DEFAULT_PAGE,
	DistinctPaths,
	MIXED_SHAPES,
	mixedPaths,
	ONE_BY_ID,
	ONE_BY_LICENSE_NUMBER,
	ONE_BY_TOOL,
	PAGE_SHAPES,
	pagesOfStates,
	pathsOf,
	SEARCH_BY_TOOL,
	type Shape,
	STATS_BY_TOOL,
	Values,
} from "./requests.js";
import type { Scenario } from "./rounds.js";
import type { TwinProcess } from "./twin-process.js";

const SEED = 20_261;
const CONNECTIONS = 16;
/** Distinct rows requested: more than the caches remember, so that no request is recognised as repeated. */
const ROWS_ASKED = 200_000;
const IN_TURN = `, ${ROWS_ASKED.toLocaleString("en-US")} in turn`;
/** Target rate of one core for agents that call `get_license` continuously. */
const TOOL_CALLS_PER_SECOND_MIN = 30_000;
/** Requests of the mix that repeat: questions that many clients ask. */
const MIXED_REQUESTS = 2_000;
/** Enough requests that few repeat while a cache remembers them. */
const MIXED_REQUESTS_ANEW = 200_000;
/** Pages requested once; and further ones, whose mean size is that of the twin's body. */
const PAGES_ASKED = 200_000;
/** The same where nothing is selected, which is several times as fast. */
const UNSELECTED_PAGES_ASKED = 600_000;
const PAGES_SAMPLED = 300;
/** Rows of a state whose pages are requested once without selecting: as many as there are on the last of them. */
const UNSELECTED_ROWS_MIN = 42_000;
/** Delay between a connection's requests where both sides get the same load, in milliseconds. */
const EQUAL_LOAD_WAIT_MS = 16;
/** Bytes and header fields of an answer of one row; and work beside what the library does, in microseconds. */
const ROW_PATH = "/constant?1017,8";
const WORK_US = [4, 6, 8];
const SMALL = ["/small"];
const EMPTY = ["/empty"];

const FAST = { connections: CONNECTIONS, waitMs: 0 };
/** What is said of requests that are sent again and again, most of which the response cache answers. */
const REPEATED = ", repeated";
const MIX = `mix of ${MIXED_SHAPES.length} shapes${REPEATED}`;
const SMALL_RATE = { ...FAST, twinPaths: SMALL, target: { of: "rate", atLeast: 0.6 } } as const;

/** A scenario that is built when it is run: paths take seconds to draw. */
export interface Planned {
	readonly name: string;
	build(): Scenario | Promise<Scenario>;
}

type Built = Omit<Scenario, "name">;

/** Every scenario over the month under test. A scenario's bodies are held by the twin until the next is built. */
export function scenariosOf(process: TwinProcess, snapshot: Snapshot): Planned[] {
	const values = new Values(snapshot, SEED);
	const pages = new DistinctPaths(PAGE_SHAPES, values);
	const page = [DEFAULT_PAGE.path(values)];
	const mixed = mixedPaths(values, MIXED_REQUESTS);
	const planned = (name: string, build: () => Built | Promise<Built>): Planned => ({
		name,
		build: async () => ({ name, ...(await build()) }),
	});
	const once = (name: string, more: Pick<Scenario, "authorization" | "acceptEncoding"> = {}): Planned =>
		planned(`pages asked once${name}`, () => pagesOnce(process, pages, more));
	const byTool = (name: string, shape: Shape, target: Scenario["target"]): Planned =>
		planned(`${name} by a tool (MCP)`, () => ({
			...SMALL_RATE,
			paths: pathsOf(shape, values, ROWS_ASKED),
			target,
		}));
	const bound = (what: string, path: string): Planned =>
		planned(`bound of one row: ${what}`, () => ({
			...SMALL_RATE,
			paths: [path],
			isBound: true,
			target: null,
		}));
	const { masked, narrowed, ten } = process.others;
	return [
		planned(`default page${REPEATED}`, async () => {
			await process.hold(page);
			return { ...FAST, paths: page, twinPaths: page, target: { of: "rate", atLeast: 0.6 } };
		}),
		planned(`one row, one id${REPEATED}`, () => ({ ...SMALL_RATE, paths: [ONE_BY_ID.path(values)] })),
		planned(`one row by id${IN_TURN}`, () => ({
			...SMALL_RATE,
			paths: pathsOf(ONE_BY_ID, values, ROWS_ASKED),
		})),
		planned(`one row by license number${IN_TURN}`, () => ({
			...SMALL_RATE,
			paths: pathsOf(ONE_BY_LICENSE_NUMBER, values, ROWS_ASKED),
		})),
		bound("a row's bytes and headers", ROW_PATH),
		...WORK_US.map((us) => bound(`${us} us of work`, `/work?${us}`)),
		byTool("one row", ONE_BY_TOOL, { of: "requests", atLeast: TOOL_CALLS_PER_SECOND_MIN }),
		byTool("search", SEARCH_BY_TOOL, null),
		byTool("statistics", STATS_BY_TOOL, null),
		planned(MIX, async () => {
			await process.hold(mixed);
			return { ...FAST, paths: mixed, twinPaths: mixed, target: { of: "rate", atLeast: 0.5 } };
		}),
		planned("the mix, mostly unrepeated", async () => {
			await process.hold(mixed);
			const paths = mixedPaths(values, MIXED_REQUESTS_ANEW);
			return { ...FAST, paths, twinPaths: mixed, target: null };
		}),
		once(""),
		once(", gzip", { acceptEncoding: "gzip" }),
		planned("pages asked once, gzip / not compressed", () => ({
			...FAST,
			paths: pages.next(PAGES_ASKED),
			once: true,
			acceptEncoding: "gzip",
			twinPaths: null,
			target: { of: "rate", atLeast: 0.6 },
		})),
		planned("bound of pages asked once: nothing selected", () =>
			pagesOnce(process, unselectedPages(snapshot, values), {}, UNSELECTED_PAGES_ASKED),
		),
		once(", masked", { authorization: masked }),
		once(", narrowed", { authorization: narrowed }),
		once(", ten keys", { authorization: ten }),
		planned(`${MIX}, equal load`, async () => {
			await process.hold(mixed);
			const load = { connections: CONNECTIONS, waitMs: EQUAL_LOAD_WAIT_MS };
			return { ...load, paths: mixed, twinPaths: mixed, target: { of: "p99", atMost: 3 } };
		}),
		planned(`304 of the default page${REPEATED}`, async () => {
			const ifNoneMatch = await tagOf(process, page[0]);
			return { ...FAST, paths: page, ifNoneMatch, twinPaths: EMPTY, target: { of: "cpu", atMost: 2 } };
		}),
	];
}

/** Pages of the month's large states. */
function unselectedPages({ states }: Snapshot, values: Values): DistinctPaths {
	const large = states.filter(({ rows }) => rows >= UNSELECTED_ROWS_MIN);
	const asked = large.length > 0 ? large : states;
	return new DistinctPaths([pagesOfStates(asked.map(({ state }) => state))], values);
}

/** Pages, none of them requested before by any scenario; the twin's body has their mean size, as it is sent. */
async function pagesOnce(
	process: TwinProcess,
	pages: DistinctPaths,
	more: Pick<Scenario, "authorization" | "acceptEncoding">,
	count = PAGES_ASKED,
): Promise<Built> {
	const bytes = await process.meanBytes(pages.next(PAGES_SAMPLED), {
		authorization: more.authorization?.[0] ?? process.authorization,
		"accept-encoding": more.acceptEncoding ?? "identity",
	});
	const paths = pages.next(count);
	return { ...FAST, ...more, paths, once: true, twinPaths: [`/constant?${bytes}`], target: null };
}

async function tagOf({ port, authorization }: TwinProcess, path: string): Promise<string> {
	const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
	return headers.get("etag") ?? "";
}
