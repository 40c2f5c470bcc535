/** What sharing limits costs a server over HTTP: requests per second of CPU time, alone and with leases. */

import { openLibrary } from "../../engine/index.js";
import { type Interval, medianInterval } from "../compare/interval.js";
import { type CompareOptions, compareServers } from "../http/compare-servers.js";
import { SERVER_CORE } from "../http/load.js";
import { DEFAULT_PAGE, ONE_BY_ID, pathsOf, Values } from "../http/requests.js";

const SEED = 5;
const ROWS_ASKED = 50_000;

export const SHARED_QUESTIONS = ["page", "row", "me"] as const;
export type SharedQuestion = (typeof SHARED_QUESTIONS)[number];

export interface SharedComparison {
	/** What was asked. */
	readonly what: string;
	/** Requests per second of CPU time of each round: of two servers that are alone, and of one that shares. */
	readonly rounds: readonly (readonly number[])[];
	/** How far two equal servers differ: the second that is alone, to the first. */
	readonly control: Interval;
	/** The one that shares, to the geometric mean of the two that are alone. */
	readonly shared: Interval;
}

/** Compares a server that shares limits at `shared` with two that are alone, over the newest month of `data`. */
export async function requestsPerCore(
	shared: string,
	data: string,
	asked: readonly SharedQuestion[],
	options: CompareOptions,
): Promise<SharedComparison[]> {
	const { latest } = openLibrary({ dataFolder: data });
	if (latest === null) throw new Error(`${data} has no published month`);
	const values = new Values(latest, SEED);
	const side = { dataFolder: data, node: process.execPath, core: SERVER_CORE };
	const questions: Record<SharedQuestion, readonly [string, readonly string[]]> = {
		page: ["default page", [DEFAULT_PAGE.path(values)]],
		row: ["one row by id", pathsOf(ONE_BY_ID, values, ROWS_ASKED)],
		me: ["the key's own data", ["/v1/me"]],
	};
	const compared = await compareServers(
		[
			{ ...side, name: "alone", flags: ["--workers", "1"] },
			{ ...side, name: "alone again", flags: ["--workers", "1"] },
			{ ...side, name: "shared", flags: ["--workers", "1", "--shared", shared] },
		],
		new Map(asked.map((question) => questions[question])),
		options,
	);
	return compared.map(({ what, rounds }) => ({
		what,
		rounds,
		control: medianInterval(rounds.map(([alone, again]) => again / alone)),
		shared: medianInterval(rounds.map(([alone, again, sharing]) => sharing / Math.sqrt(alone * again))),
	}));
}
