/** A reporter of node:test for a person: Node's own `spec`, without the counts that it prints for each file. */

import { Readable } from "node:stream";
import { spec, type TestEvent } from "node:test/reporters";

const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;

async function* withoutCounts(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
	for await (const event of events)
		if (event.type !== "test:diagnostic" || !COUNT.test(event.data.message)) yield event;
}

export default async function* readable(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	for await (const text of Readable.from(withoutCounts(events)).pipe(new spec())) yield String(text);
}
