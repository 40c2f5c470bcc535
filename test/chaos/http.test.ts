/**
 * Hostile bytes over both transports: every case of the table as one packet and cut into packets at
 * random places, with the hidden request right behind it. No answer may be one that the case does
 * not allow, none may come from a hidden request, and the server keeps serving.
 */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { fuzzRuns, tellSeed } from "../oracle/seeded.js";
import { type Attempt, attempts } from "./http/attempts.js";
import { HOSTILE_CASES } from "./http/cases.js";
import { provoke, verdict } from "./http/judge.js";

/** Connections at a time. */
const CONNECTIONS = 24;
async function defeats(port: number, todo: Iterator<Attempt>): Promise<string[]> {
	const found: string[] = [];
	const work = async () => {
		for (let next = todo.next(); next.done !== true; next = todo.next()) {
			const { from, segments, mutant } = next.value;
			const reaction = await provoke(port, segments);
			const problem = mutant ? faultOfAny(reaction.statuses) : verdict(from.allowed, reaction);
			if (problem !== null)
				found.push(`${from.name}: ${problem}; sent ${JSON.stringify(segments).slice(0, 600)}`);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, work));
	return found;
}

/** What is wrong with answers to bytes that may mean anything. */
function faultOfAny(statuses: readonly number[]): string | null {
	const fault = statuses.find((status) => status === 500);
	return fault === undefined ? null : `a fault of ours: ${fault}`;
}

for (const transport of transportsHere("hostile bytes")) {
	describe(`hostile bytes, over ${transport}`, () => {
		let served: ServedFixture;
		before(async () => {
			served = await ServedFixture.start(transport);
		});
		after(() => served.close());

		test("no case and no mutant of one gets an answer it must not get", async (t) => {
			const cases = HOSTILE_CASES.filter((c) => c.lostOn !== transport);
			const mutants = fuzzRuns(150);
			tellSeed(t, 2 * cases.length + mutants);
			const found = await defeats(served.port, attempts(cases, mutants));
			t.diagnostic(`${transport}: tried ${2 * cases.length + mutants}, lost ${found.length}`);
			assert.deepEqual(found, []);
			assert.equal((await served.request("/v1/health")).status, 200, "the server goes on");
		});

		test("the cases listed as lost are lost, so that a parser that refuses them is noticed", async () => {
			for (const { name, bytes, allowed } of HOSTILE_CASES.filter((c) => c.lostOn === transport))
				assert.notEqual(verdict(allowed, await provoke(served.port, [bytes])), null, name);
		});

		test("the judge sees a hidden request that is answered", async () => {
			const both = HOSTILE_CASES.find((c) => c.name === "a plain GET");
			const hidden = HOSTILE_CASES.find((c) => c.name === "GET with a body");
			assert.ok(both !== undefined && hidden !== undefined);
			const pipelined = both.bytes + hidden.bytes.slice(hidden.bytes.indexOf("\r\n\r\n") + 4);
			assert.match(verdict("served", await provoke(served.port, [pipelined])) ?? "", /hidden request/);
		});

		test("an empty Authorization is not rescued by a good X-API-Key", async () => {
			const key = await served.key();
			const { statuses } = await provoke(served.port, [
				`GET /v1/me HTTP/1.1\r\nHost: a\r\nAuthorization:\r\nX-API-Key: ${key}\r\n\r\n`,
			]);
			assert.deepEqual(statuses, [401]);
		});
	});
}
