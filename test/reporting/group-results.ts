/**
 * The reporter of a process that runs several test files, each as a suite (group-process.ts): each test's result as
 * a line of JSON, then a line with what a person reads of the file, and at the end the processor time.
 */

import { Readable } from "node:stream";
import type { TestEvent } from "node:test/reporters";
import readable from "./readable.js";
import { costLine, resultLine } from "./results.js";

/** Follows the results of a file. */
export interface Reported {
	readonly reported: string;
	readonly text: string;
}

/** Events of node:test that a person's report is made of. */
const SHOWN = new Set<TestEvent["type"]>(["test:start", "test:pass", "test:fail", "test:diagnostic"]);

export default async function* groupResults(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	let shown: TestEvent[] = [];
	for await (const event of events) {
		if (!SHOWN.has(event.type)) continue;
		const { nesting } = event.data as { nesting: number };
		if (nesting > 0) {
			shown.push({ ...event, data: { ...event.data, nesting: nesting - 1 } } as TestEvent);
			if (event.type === "test:pass" || event.type === "test:fail") yield resultLine(event);
		} else if (event.type === "test:pass" || event.type === "test:fail") {
			// The suite of a file fails for itself where the file cannot be loaded, or a hook of it fails.
			if (event.type === "test:fail" && failureOf(event.data.details.error) !== "subtestsFailed") {
				shown.push(event);
				yield resultLine(event);
			}
			const reported: Reported = { reported: event.data.name, text: await textOf(shown) };
			yield `${JSON.stringify(reported)}\n`;
			shown = [];
		}
	}
	yield costLine();
}

function failureOf(error: Error): unknown {
	return "failureType" in error ? error.failureType : undefined;
}

async function textOf(events: readonly TestEvent[]): Promise<string> {
	let text = "";
	for await (const part of readable(Readable.from(events))) text += part;
	return text;
}
