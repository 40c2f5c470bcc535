/**
 * What the indexes of names and license numbers and the groups of statuses and types cost a build, in CPU time: a
 * build under the sampling profiler of Node, of which the samples below their modules are counted. Writing the
 * columns of the groups is not among them: it runs the code of every other column.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runBuilder } from "./run-builder.js";

/** Modules whose calls count. */
const MODULES = /\/builder\/compile\/(?:write-names|write-numbers|derive-groups)\.js$/;
/** The frame of a thread that waits. */
const IDLE = "(idle)";

/** Milliseconds of all threads. */
export interface QuestionCpu {
	readonly added: number;
	readonly rest: number;
}

interface ProfileNode {
	readonly id: number;
	readonly callFrame: { readonly functionName: string; readonly url: string };
	readonly children?: readonly number[];
}

/** The profile of one thread; times are in microseconds. */
interface Profile {
	readonly nodes: readonly ProfileNode[];
	readonly samples: readonly number[];
	readonly timeDeltas: readonly number[];
}

/** Builds `drop` into `dataFolder`, as {@link runBuilder}; profiles are kept in `folder` meanwhile, which is emptied. */
export async function questionCpu(
	drop: string,
	dataFolder: string,
	rowStore: boolean,
	folder: string,
): Promise<QuestionCpu> {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	await runBuilder(drop, dataFolder, rowStore, null, ["--cpu-prof", `--cpu-prof-dir=${folder}`]);
	let [added, all] = [0, 0];
	for (const file of readdirSync(folder)) {
		const profile = JSON.parse(readFileSync(join(folder, file), "utf8")) as Profile;
		const counted = nodesBelow(profile);
		const idle = new Set(
			profile.nodes.flatMap(({ id, callFrame }) => (callFrame.functionName === IDLE ? [id] : [])),
		);
		for (const [i, node] of profile.samples.entries()) {
			if (idle.has(node)) continue;
			all += profile.timeDeltas[i];
			if (counted.has(node)) added += profile.timeDeltas[i];
		}
	}
	rmSync(folder, { recursive: true });
	return { added: added / 1000, rest: (all - added) / 1000 };
}

/** The nodes of calls of the modules and of all that these call. Nodes follow the node that calls them. */
function nodesBelow({ nodes }: Profile): ReadonlySet<number> {
	const below = new Set<number>();
	for (const { id, callFrame, children } of nodes) {
		if (MODULES.test(callFrame.url)) below.add(id);
		if (below.has(id)) for (const child of children ?? []) below.add(child);
	}
	return below;
}
