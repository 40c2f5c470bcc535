/**
 * Ends processes with all that they have started, also what left their group of processes or outlived its parent.
 * Linux lists every process with its environment, in which a mark is inherited; elsewhere a group is all that is known.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Variable that processes inherit: the marks of those that have started them, separated by commas. */
const VARIABLE = "STARTED_IN_ROLLCALL_TESTS";
const PROCESSES = "/proc";
/** How often what was started meanwhile is looked for, and the pause before; killed processes end within it. */
const ROUNDS_MAX = 100;
const ROUND_MS = 20;

interface Listed {
	readonly pid: number;
	readonly parent: number;
	readonly session: number;
	readonly isMarked: boolean;
}

/** `environment` of a process that {@link endStarted} finds by `mark`, with those it starts. */
export function markedEnvironment(environment: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv {
	const marks = environment[VARIABLE];
	return { ...environment, [VARIABLE]: marks === undefined ? mark : `${marks},${mark}` };
}

/** Kills `leaders`, each of a process group, their descendants, and what has one of `marks`; returns when they have ended, or after 2 s. */
export function endStarted(leaders: readonly number[], marks: readonly string[]): void {
	for (const pid of leaders) kill(-pid);
	endFound(leaders, marks);
}

/** The same of what this process has started, directly or by others; `mark` finds what has outlived its parent. */
export function endDescendants(mark: string): void {
	endFound([process.pid], [mark]);
}

function endFound(ancestors: readonly number[], marks: readonly string[]): void {
	for (let round = 0; round < ROUNDS_MAX; round++) {
		const found = listStarted(ancestors, marks);
		if (found.length === 0) return;
		for (const pid of found) kill(pid);
		// Nothing else is to happen in this process before they have ended.
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ROUND_MS);
	}
}

/** Those that run, from the marks, sessions and parents of all processes; a session outlives its leader. */
function listStarted(ancestors: readonly number[], marks: readonly string[]): number[] {
	const others = listProcesses(marks).filter(({ pid }) => pid !== process.pid);
	const found = new Set<number>();
	const known = new Set(ancestors);
	for (let before = -1; before !== found.size; ) {
		before = found.size;
		for (const { pid, parent, session, isMarked } of others) {
			if (!isMarked && !known.has(parent) && !known.has(session)) continue;
			found.add(pid);
			known.add(pid);
		}
	}
	return [...found];
}

/** Processes that have not ended; none where the system does not list them. */
function listProcesses(marks: readonly string[]): Listed[] {
	if (!existsSync(`${PROCESSES}/self/environ`)) return [];
	const pids = readdirSync(PROCESSES).filter((name) => /^\d+$/.test(name));
	return pids.map((pid) => readProcess(pid, marks)).filter((one) => one !== null);
}

/** Null where the process has ended. Another user's environment is unreadable, and has no mark. */
function readProcess(pid: string, marks: readonly string[]): Listed | null {
	const stat = readIfThere(`${PROCESSES}/${pid}/stat`);
	// The program's name, in parentheses, may hold spaces.
	const [state, parent, , session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	if (stat === "" || state === "Z" || state === "X") return null;
	const environment = readIfThere(`${PROCESSES}/${pid}/environ`);
	const own = environment.split("\0").find((entry) => entry.startsWith(`${VARIABLE}=`)) ?? "";
	const isMarked = marks.some((mark) => own.includes(mark));
	return { pid: Number(pid), parent: Number(parent), session: Number(session), isMarked };
}

/** Empty where the process has ended, or is another user's. */
function readIfThere(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
			return "";
		throw error;
	}
}

function kill(pid: number): void {
	try {
		process.kill(pid, "SIGKILL");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
	}
}
