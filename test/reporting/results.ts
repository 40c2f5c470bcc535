/**
 * A reporter of node:test for the runner: each test's result as a line of JSON, and at the end the processor time.
 * What is left out is what a person reads (readable.ts).
 */

import type { TestEvent } from "node:test/reporters";
import { millisecondsOfChildren } from "./processor-time.js";

/** The result of one test or suite. */
export interface Result {
	readonly name: string;
	/** The file that calls `test()`, which may be shared by several test files. */
	readonly file: string;
	readonly passed: boolean;
	readonly isSuite: boolean;
	readonly todo: boolean;
	/** A skipped test's reason, "" where it gives none; null: it ran. */
	readonly skipped: string | null;
}

/** The last line: seconds of processor time of the file's process and of those it has started and waited for. */
export interface Cost {
	readonly processorSeconds: number;
}

/** The line of a test that has ended. */
export function resultLine({ type, data }: Extract<TestEvent, { type: "test:pass" | "test:fail" }>): string {
	const { skip, todo } = data;
	const result: Result = {
		name: data.name,
		file: data.file ?? "",
		passed: type === "test:pass",
		isSuite: data.details.type === "suite",
		todo: todo !== undefined,
		skipped: skip === undefined ? null : typeof skip === "string" ? skip : "",
	};
	return `${JSON.stringify(result)}\n`;
}

/** The last line, of this process. */
export function costLine(): string {
	const { user, system } = process.cpuUsage();
	const cost: Cost = { processorSeconds: (user + system) / 1e6 + (millisecondsOfChildren() ?? 0) / 1_000 };
	return `${JSON.stringify(cost)}\n`;
}

export default async function* results(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	for await (const event of events)
		if (event.type === "test:pass" || event.type === "test:fail") yield resultLine(event);
	yield costLine();
}
