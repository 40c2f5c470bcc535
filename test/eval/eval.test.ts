/**
 * The evaluation of the tools over small months, held against the baseline, and what the tools may cost an
 * agent's context (docs/AGENTS.md).
 */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { post, request } from "../mcp/tool-client.js";
import { BASELINE_MONTHS, readBaseline, worseThan } from "./baseline.js";
import { evaluate, type Months, makeMonths, type Outcome, tasksOf } from "./evaluation.js";
import { CHOSEN, compareForms } from "./forms.js";
import { Session, tokensOf } from "./session.js";

const TASKS_MIN = 60;
const CALLS_MAX = 3;
const TOKENS_MAX = 3_000;
const LIST_CHARACTERS_MAX = 12_000;
const SEARCH_TOKENS_MAX = 1_300;
const STATS_TOKENS_MAX = 1_500;

let months: Months;
let outcomes: Outcome[];
before(async () => {
	months = await makeMonths(BASELINE_MONTHS);
	outcomes = await evaluate(months.data, await tasksOf(months, BASELINE_MONTHS.seed));
});
after(() => months?.remove());

test("no task is worse than in the baseline", () => {
	assert.ok(outcomes.length >= TASKS_MIN);
	assert.deepEqual(worseThan(readBaseline(), outcomes), []);
});

test("every task is answered rightly within three calls and 3,000 tokens", () => {
	for (const { name, verdict, calls, tokens, reason } of outcomes) {
		assert.equal(verdict, "right", `${name}: ${reason}`);
		assert.ok(calls <= CALLS_MAX && tokens <= TOKENS_MAX, `${name}: ${calls} calls, ${tokens} tokens`);
	}
});

test("what is worse than the baseline is found: a verdict, a call, tokens, a task that is gone or new", () => {
	const [first, ...rest] = outcomes;
	const worse = (changed: Partial<Outcome>) =>
		worseThan(readBaseline(), [{ ...first, ...changed }, ...rest]).length;
	assert.equal(worse({}), 0);
	assert.equal(worse({ verdict: "misled" }), 1);
	assert.equal(worse({ verdict: "missing" }), 1);
	assert.equal(worse({ calls: first.calls + 1 }), 1);
	assert.equal(worse({ tokens: Math.ceil(first.tokens * 1.06) }), 1);
	assert.equal(worse({ name: "another" }), 2);
});

test("the list of tools, a default search and statistics fit their budgets; no form of rows that is read without doubt costs less", async () => {
	const served = await ServedFixture.start(ANY_TRANSPORT, { data: months.data });
	try {
		const key = await served.key();
		const { text } = await post(served, key, request("tools/list"));
		assert.ok(text.length <= LIST_CHARACTERS_MAX, `tools/list has ${text.length} characters`);
		for (const [name, args, most] of [
			["search_licenses", {}, SEARCH_TOKENS_MAX],
			["search_licenses", { state: "CA", status_group: "active" }, SEARCH_TOKENS_MAX],
			["get_stats", {}, STATS_TOKENS_MAX],
		] as const) {
			const session = await Session.open(served, key);
			await session.call(name, args);
			assert.ok(session.tokens <= most, `${name} ${JSON.stringify(args)}: ${session.tokens} tokens`);
		}
		assert.ok(tokensOf(text) > 0);
		const forms = await compareForms(await Session.open(served, key));
		const fit = forms.filter((form) => form.exact && form.together).sort((a, b) => a.tokens - b.tokens);
		assert.equal(fit[0].name, CHOSEN, JSON.stringify(forms));
	} finally {
		await served.stop();
	}
});
