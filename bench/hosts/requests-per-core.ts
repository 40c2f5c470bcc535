/** What sharing limits costs a server over HTTP: requests per second of CPU time, alone and with leases. */

import { openLibrary } from "../../engine/index.js";
import { type CompareOptions, type Comparison, compareServers } from "../http/compare-servers.js";
import { SERVER_CORE } from "../http/load.js";
import { DEFAULT_PAGE, ONE_BY_ID, pathsOf, Values } from "../http/requests.js";

const SEED = 5;
const ROWS_ASKED = 50_000;

/**
 * Compares a server that shares limits at `shared` with one that is alone, over the newest month of `data`. A second one
 * that is alone shows how far two equal servers differ.
 */
export function requestsPerCore(
	shared: string,
	data: string,
	options: CompareOptions,
): Promise<Comparison[]> {
	const { latest } = openLibrary({ dataFolder: data });
	if (latest === null) throw new Error(`${data} has no published month`);
	const values = new Values(latest, SEED);
	const side = { dataFolder: data, node: process.execPath, core: SERVER_CORE };
	return compareServers(
		[
			{ ...side, name: "alone", flags: ["--workers", "1"] },
			{ ...side, name: "alone again", flags: ["--workers", "1"] },
			{ ...side, name: "shared", flags: ["--workers", "1", "--shared", shared] },
		],
		new Map([
			["default page", [DEFAULT_PAGE.path(values)]],
			["one row by id", pathsOf(ONE_BY_ID, values, ROWS_ASKED)],
			["the key's own data", ["/v1/me"]],
		]),
		options,
	);
}
