/**
 * A reporter of node:test for the runner: each test's result as a line of JSON. What is left out is what a
 * person reads (readable.ts).
 */

import type { TestEvent } from "node:test/reporters";

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

export default async function* results(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	for await (const { type, data } of events) {
		if (type !== "test:pass" && type !== "test:fail") continue;
		const { skip, todo } = data;
		const result: Result = {
			name: data.name,
			file: data.file ?? "",
			passed: type === "test:pass",
			isSuite: data.details.type === "suite",
			todo: todo !== undefined,
			skipped: skip === undefined ? null : typeof skip === "string" ? skip : "",
		};
		yield `${JSON.stringify(result)}\n`;
	}
}
