/**
 * When each test file of a run starts. One place more than there are processors runs files one after the other,
 * since most wait for servers and children much of their time; files that wait most of their time come first, in
 * one of these places, so that the others compute beside them, of those the long ones first. Two more places start a
 * file only while a processor is idle, so that waiting does not make a run longer than its processor time.
 */

import { availableParallelism, cpus } from "node:os";
import { sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Parts of the paths of files that compute longest for a process of their own: they come after processes of several
 * files, so that none of them starts where little is left to run beside it.
 */
const LONG = [
	"object-store/faults",
	"bench/bulk",
	"chaos/cost",
	"docs/commands",
	"builder/faults",
	"package/package",
	"chaos/access-columns",
	"serve/bench-http",
	"serve/supervisor",
	"fuzz/",
	"power-loss/",
	"signup/signup",
	"signup/mail-queue",
	"eval/",
	"limits/concurrency",
	"serve/workers",
];
/** Parts of the paths of files that wait, for timers and for processes, most of their time. */
const WAITING = [
	"chaos/soak",
	"shared-state/",
	"object-store/index-lock",
	"serve/backpressure",
	"chaos/idle",
	"chaos/slow",
	"chaos/proxy",
	"chaos/rolling",
	"chaos/storage",
	"signup/browser",
	"serve/streaming",
	"serve/pipelining",
	"serve/connections",
	"clients/",
	"deploy/",
];
/** Places that start a file only while processors are idle. */
const IDLE_PLACES = 2;
/** Idle processors from which on such a place starts a file: 0.3 of two is 85 % busy. */
const IDLE_PROCESSORS_MIN = 0.3;
/** Time over which idleness is measured. A file that has just started is busy within it. */
const MEASURED_MS = 1_500;

/** Runs each of `groups`, files that share a process, by `run`, which never rejects. */
export async function runScheduled(
	groups: readonly string[][],
	run: (files: readonly string[]) => Promise<void>,
): Promise<void> {
	const waiting = groups.filter((group) => isAmong(WAITING, group));
	const rest = groups.filter((group) => !isAmong(WAITING, group));
	const computing = [
		...rest.filter((group) => group.length > 1),
		...rest.filter((group) => group.length === 1 && isAmong(LONG, group)),
		...rest.filter((group) => group.length === 1 && !isAmong(LONG, group)),
	];
	const nextWaiting = () => waiting.shift() ?? computing.shift();
	const runPlace = async (next: () => readonly string[] | undefined): Promise<void> => {
		for (let group = next(); group !== undefined; group = next()) await run(group);
	};
	const runIdlePlaces = async (): Promise<void> => {
		const running = new Set<Promise<void>>();
		while (waiting.length + computing.length > 0) {
			if ((await idleProcessors()) < IDLE_PROCESSORS_MIN || running.size === IDLE_PLACES) continue;
			const group = nextWaiting();
			if (group === undefined) break;
			const ended = run(group).then(() => void running.delete(ended));
			running.add(ended);
		}
		await Promise.all(running);
	};
	const computingPlaces = Array.from({ length: availableParallelism() }, () =>
		runPlace(() => computing.shift() ?? waiting.shift()),
	);
	await Promise.all([...computingPlaces, runPlace(nextWaiting), runIdlePlaces()]);
}

function isAmong(parts: readonly string[], [file = ""]: readonly string[]): boolean {
	const path = file.split(sep).join("/");
	return parts.some((part) => path.includes(`/${part}`));
}

/** Processors that were idle on average while this waited. */
async function idleProcessors(): Promise<number> {
	const before = processorTimes();
	await delay(MEASURED_MS);
	const after = processorTimes();
	return (cpus().length * (after.idle - before.idle)) / Math.max(after.total - before.total, 1);
}

/** Milliseconds of all processors since the machine started, idle and in all. */
function processorTimes(): { readonly idle: number; readonly total: number } {
	const times = cpus().map((processor) => processor.times);
	const idle = times.reduce((sum, time) => sum + time.idle, 0);
	const total = times.reduce(
		(sum, { user, nice, sys, idle: own, irq }) => sum + user + nice + sys + own + irq,
		0,
	);
	return { idle, total };
}
