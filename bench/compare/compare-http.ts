/**
 * Compares two servers over HTTP by the CPU time that a request costs, in rounds of which each starts both anew
 * (compare-servers.ts). The answers to the first of each side's requests are compared by their bytes.
 */

import { openLibrary } from "../../engine/index.js";
import { compareServers } from "../http/compare-servers.js";
import { SERVER_CORE } from "../http/load.js";
import {
	DEFAULT_PAGE,
	DistinctPaths,
	ONE_BY_ID,
	ONE_BY_LICENSE_NUMBER,
	PAGE_SHAPES,
	pathsOf,
	Values,
} from "../http/requests.js";
import { ServerSide, type ServerSideOptions } from "../http/server-side.js";
import type { ComparedTimes, CompareOptions } from "./compare-engines.js";
import { comparedTimes } from "./compare-engines.js";
import type { ReadySide } from "./engine-side.js";

export interface ComparedRequests {
	readonly asked: string;
	/** CPU time of a request in microseconds. */
	readonly cpuUs: ComparedTimes;
	readonly sameBytes: boolean;
}

/** Paths drawn that a server is not to be asked twice in a round. */
const PATHS = 150_000;
/** Answers of each question that are compared. */
const COMPARED_ANSWERS = 20;
const PAGES = "pages asked once";
const PAGES_GZIP = "pages asked once, gzip";

/** Runs all rounds over the months of the sides, of `seconds` a side and question. Needs wrk. */
export async function compareHttp(
	sides: readonly [ReadySide, ReadySide],
	{ rounds, seed, shape, threshold }: Omit<CompareOptions, "draws" | "p99Threshold">,
	seconds: number,
): Promise<ComparedRequests[]> {
	const servers = sides.map(
		(side): ServerSideOptions => ({
			name: side.text,
			dataFolder: side.data,
			node: side.node,
			nodeFlags: side.nodeFlags,
			checkout: side.folder,
			environment: side.environment,
			flags: ["--workers", "1", ...side.serverFlags],
			core: SERVER_CORE,
		}),
	);
	const questions = questionsOf(sides[1].data, seed, shape);
	const same = await sameAnswers(servers, questions);
	const acceptEncoding = new Map([[PAGES_GZIP, "gzip"]]);
	const once = new Set([PAGES, PAGES_GZIP]);
	const compared = await compareServers(servers, questions, { rounds, seconds, acceptEncoding, once });
	return compared.map(({ what, rounds: rates }) => ({
		asked: what,
		cpuUs: comparedTimes(
			rates.map((round) => round.map((rate) => 1e6 / rate)),
			threshold,
		),
		sameBytes: same.has(what),
	}));
}

/** Paths by question; of those whose name contains one of `texts`, or of all. */
function questionsOf(
	dataFolder: string,
	seed: number,
	texts: readonly string[],
): Map<string, readonly string[]> {
	const { latest } = openLibrary({ dataFolder });
	if (latest === null) throw new Error(`${dataFolder} has no published month`);
	const values = new Values(latest, seed);
	const pages = new DistinctPaths(PAGE_SHAPES, values);
	const draws: readonly (readonly [string, () => readonly string[]])[] = [
		["default page", () => [DEFAULT_PAGE.path(values)]],
		["one row by id", () => pathsOf(ONE_BY_ID, values, PATHS)],
		["one row by license number", () => pathsOf(ONE_BY_LICENSE_NUMBER, values, PATHS)],
		[PAGES, () => pages.next(PATHS)],
		[PAGES_GZIP, () => pages.next(PATHS)],
	];
	const wanted = draws.filter(([what]) => texts.length === 0 || texts.some((text) => what.includes(text)));
	if (wanted.length === 0)
		throw new RangeError(`no question over HTTP is named ${texts.join(" or ")} (--shape)`);
	return new Map(wanted.map(([what, draw]) => [what, draw()]));
}

/** The questions whose last paths, which are asked last, both servers answer with the same bytes. */
async function sameAnswers(
	sides: readonly ServerSideOptions[],
	questions: ReadonlyMap<string, readonly string[]>,
): Promise<Set<string>> {
	const servers: ServerSide[] = [];
	try {
		for (const side of sides) servers.push(await ServerSide.start(side));
		const same = new Set(questions.keys());
		for (const [what, paths] of questions) {
			for (const server of servers) await server.untilServing(paths[0]);
			for (const path of paths.slice(-COMPARED_ANSWERS)) {
				const [a, b] = await Promise.all(servers.map((server) => answerOf(server, path)));
				if (a !== b) same.delete(what);
			}
		}
		return same;
	} finally {
		for (const server of servers) await server.stop();
	}
}

async function answerOf({ port, authorization }: ServerSide, path: string): Promise<string> {
	const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
	return `${answer.status} ${await answer.text()}`;
}
