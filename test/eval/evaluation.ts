/**
 * An evaluation: makes or takes months, computes the truths of all tasks from their drops, has the scripted
 * policies answer over HTTP, and compares.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { buildMonth } from "../../builder/build/build-month.js";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { type KeyOptions, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { Draw } from "../oracle/draw.js";
import { growthAndDecline, lostLicenses, newLicenses, officeChanges } from "./change-tasks.js";
import {
	activeByState,
	activeWords,
	emailShare,
	exports,
	issuesByYear,
	largeOffices,
	topBrokerages,
	zipPrefix,
} from "./count-tasks.js";
import { Drop } from "./drop.js";
import { guessedArguments, guessedTools, pastedNumbers } from "./guess-tasks.js";
import {
	accents,
	brokersExpiring,
	misspellings,
	oneLicense,
	particles,
	roster,
	severalStates,
	verification,
} from "./people-tasks.js";
import { NotDescribedError, Session } from "./session.js";
import type { Task, TaskKey, TaskMaker, World } from "./task.js";
import { bounds, citySpellings, numberSpellings, officeSpellings, refusals } from "./trap-tasks.js";

const MAKERS: readonly TaskMaker[] = [
	oneLicense,
	topBrokerages,
	lostLicenses,
	verification,
	brokersExpiring,
	activeByState,
	accents,
	particles,
	misspellings,
	largeOffices,
	activeWords,
	newLicenses,
	roster,
	officeChanges,
	zipPrefix,
	severalStates,
	exports,
	issuesByYear,
	emailShare,
	citySpellings,
	numberSpellings,
	officeSpellings,
	refusals,
	bounds,
	guessedArguments,
	guessedTools,
	pastedNumbers,
	growthAndDecline,
];

const TEXAS = { countries: [], states: ["TX"] };
const KEYS: Readonly<Record<TaskKey, KeyOptions>> = {
	full: {},
	trial: { tier: "trial" },
	texas: { scope: { geography: TEXAS } },
	latest: { scope: { history: { mode: "latest" } } },
	slow: { rate_limits: { per_minute: 2 } },
};

/** `right`: the truth; `missing`: it was not found out; `misled`: anything else. */
export type Verdict = "right" | "missing" | "misled";

export interface Outcome {
	readonly name: string;
	readonly verdict: Verdict;
	readonly calls: number;
	readonly tokens: number;
	/** Why the verdict is not `right`. */
	readonly reason: string;
}

/** Where the months are: drops with the data folder that they are published in. */
export interface Months {
	readonly data: string;
	/** Drops by month, oldest first. */
	readonly drops: readonly { readonly month: string; readonly path: string }[];
	remove(): void;
}

export interface Sizes {
	readonly rows: number;
	readonly seed: number;
	readonly months: readonly string[];
}

/** Writes drops and publishes them in a folder of their own. */
export async function makeMonths({ rows, seed, months }: Sizes): Promise<Months> {
	const data = mkdtempSync(join(tmpdir(), "rollcall-eval-"));
	const out = join(data, "drops");
	const remove = () => rmSync(data, { recursive: true, force: true });
	try {
		await synthesize({ rows, months, seed, out });
		const drops = months.map((month) => ({ month, path: join(out, dropName(month)) }));
		for (const { month, path } of drops) {
			await buildMonth({
				files: [path],
				dataFolder: data,
				month,
				maps: [],
				dateFormat: null,
				accept: new Set(),
				dryRun: false,
				rowStore: false,
				threads: rows < 100_000 ? 1 : null,
				now: () => new Date(`${month}-28T00:00:00Z`),
			});
		}
		return { data, drops, remove };
	} catch (error) {
		remove();
		throw error;
	}
}

export async function tasksOf({ drops: files }: Pick<Months, "drops">, seed: number): Promise<Task[]> {
	const drops: Drop[] = [];
	for (const { month, path } of files) drops.push(await Drop.read(path, month));
	const latest = drops[drops.length - 1];
	const sizes = latest.count(latest.where({}), (row) => latest.value(row, "state"));
	const states = Object.keys(sizes).sort((a, b) => sizes[a] - sizes[b] || (a < b ? -1 : 1));
	const base = { drops, latest, previous: drops[drops.length - 2], oldest: drops[0], states };
	// Each kind draws by itself, so that a new kind leaves the subjects of the others as they are.
	return MAKERS.flatMap((make, i) => make({ ...base, draw: new Draw(seed, i) } satisfies World));
}

/** A name for each task that no other has. */
export function namesOf(tasks: readonly Task[]): string[] {
	const seen = new Map<string, number>();
	return tasks.map(({ kind }) => {
		const count = (seen.get(kind) ?? 0) + 1;
		seen.set(kind, count);
		return `${kind} ${count}`;
	});
}

/** Has every task answered. The service is closed at the end, the months are left. */
export async function evaluate(data: string, tasks: readonly Task[]): Promise<Outcome[]> {
	const served = await ServedFixture.start(ANY_TRANSPORT, { data, mcp_messages_per_minute: 0 });
	try {
		const names = namesOf(tasks);
		const outcomes: Outcome[] = [];
		for (const [i, task] of tasks.entries()) outcomes.push(await answered(served, names[i], task));
		return outcomes;
	} finally {
		await served.stop();
	}
}

async function answered(served: ServedFixture, name: string, task: Task): Promise<Outcome> {
	const session = await Session.open(served, await served.key(KEYS[task.key]));
	let answer: unknown = null;
	let reason = "";
	try {
		answer = await task.answer(session);
	} catch (error) {
		// A policy can only be stopped by what the tools lack.
		if (!(error instanceof NotDescribedError)) throw error;
		reason = error.message;
	}
	const { calls, tokens } = session;
	if (isDeepStrictEqual(answer, task.truth)) return { name, verdict: "right", calls, tokens, reason: "" };
	const verdict = answer === null || answer === undefined ? "missing" : "misled";
	reason ||= `${JSON.stringify(answer)?.slice(0, 300)} where the truth is ${JSON.stringify(task.truth).slice(0, 300)}`;
	return { name, verdict, calls, tokens, reason };
}
