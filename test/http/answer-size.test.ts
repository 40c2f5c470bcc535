/**
 * No answer is larger than docs/API.md §5.6 says, none is cut short, and the memory that a large one took is
 * released. Rows here are 24 KB each, so a page of 1,000 would be three times the bound.
 */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { ANSWER_BYTES_MAX, AnswerTooLarge, ApiError } from "../../server/api/errors.js";
import { LONG_ANSWERS, StreamLimit } from "../../server/api/stream-limit.js";
import type { Scope } from "../../server/keys/key.js";
import type { ThreadParts } from "../../server/thread-service.js";
import type { DropRow } from "./drop-rows.js";
import { publish, ServedFixture } from "./served.js";
import { ANY_TRANSPORT, TRANSPORTS, whyNotOver } from "./transports.js";

const ROWS = 1_100;
/** As long as the builder lets a cell be. */
const LONG = "x".repeat(4_096);
const MIB = 1 << 20;

function longRow(i: number): DropRow {
	return {
		state: "CA",
		member_state_license_number: `CA-${i}`,
		member_full_name: LONG,
		member_address: LONG,
		member_city: LONG,
		office_name: LONG,
		office_broker_name: LONG,
		member_type: LONG,
	};
}

async function longMonth(): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-long-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	await publish(
		folder,
		"2026-11",
		Array.from({ length: ROWS }, (_, i) => longRow(i)),
	);
	await publish(folder, "2026-10", [{ state: "CA", member_state_license_number: "CA-gone" }]);
	return folder;
}

for (const transport of TRANSPORTS) {
	describe(`the size of an answer, over ${transport}`, { skip: whyNotOver(transport) }, () => {
		let served: ServedFixture;
		before(async () => {
			served = await ServedFixture.start(transport, { data: await longMonth() });
		});
		after(() => served?.close());

		const renderBytes = () => {
			served.scheduler.tick();
			return served.metrics.gauge("render_bytes")[0];
		};
		const key = (scope: Partial<Scope> = {}) => served.key({ scope });

		test("is bounded: a page that would exceed it is a 400 that names what to change", async () => {
			const text = await key();
			const masked = await served.key({ tier: "trial", rate_limits: { per_minute: 100 } });
			for (const query of [
				"",
				"&format=csv",
				"&format=ndjson",
				"&fields=id,member_city,office_name,member_type",
			])
				for (const asking of [text, masked]) {
					const refused = await served.refused(`/v1/licenses?limit=1000${query}`, asking);
					assert.deepEqual(
						[refused.status, refused.code, refused.param],
						[400, "invalid_parameter", "limit"],
					);
					assert.match(refused.message, /8 MiB; ask for fewer rows with limit/);
				}
			assert.ok(renderBytes() <= 5 * ANSWER_BYTES_MAX, `${renderBytes()} bytes of render memory`);
		});

		test("up to the bound is whole, in every format, and releases its memory after the next", async () => {
			const text = await key();
			for (const format of ["json", "csv", "ndjson"]) {
				const { status, text: body } = await served.request(`/v1/licenses?limit=300&format=${format}`, text);
				assert.equal(status, 200);
				assert.ok(body.length > 7 * MIB && body.length < ANSWER_BYTES_MAX, `${body.length} bytes`);
				if (format === "json") assert.equal(JSON.parse(body).data.length, 300);
				else assert.equal(body.trimEnd().split("\n").length, format === "csv" ? 301 : 300);
			}
			assert.ok(renderBytes() > 7 * MIB, "the figure shows what the large answers took");
			for (let i = 0; i < 2; i++) await served.request("/v1/licenses?limit=1", text);
			assert.ok(renderBytes() < 4 * MIB, `${renderBytes()} bytes of render memory kept`);
		});

		test("of tools is an error that an agent can act on", async () => {
			const text = await key();
			const call = { name: "search_licenses", arguments: { limit: 1000, detail: "full" } };
			const { status, text: body } = await served.request("/mcp", text, {
				method: "POST",
				headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
				body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
			});
			assert.equal(status, 200);
			assert.ok(body.length < MIB, `${body.length} bytes`);
		});

		test("of a walk is as many rows as asked for, in pieces that fit", async () => {
			const text = await key({ bulk: true });
			const { status, text: body } = await served.request(
				"/v1/licenses?cursor=*&format=ndjson&limit=100000",
				text,
			);
			assert.equal(status, 200);
			assert.equal(body.trimEnd().split("\n").length, ROWS);
			assert.ok(renderBytes() <= 5 * ANSWER_BYTES_MAX, `${renderBytes()} bytes of render memory`);
			await served.request("/v1/licenses?limit=1", text);
		});

		test("of a walk has no bound for few rows either, but that of a page has", async () => {
			const text = await key({ bulk: true });
			const quota = { per_minute: null, per_day: null, monthly_quota: 50 };
			const metered = await served.key({ scope: { bulk: true }, rate_limits: quota });
			for (const path of ["/v1/licenses", "/v1/changes?kind=new"])
				for (const format of ["csv", "ndjson"]) {
					const page = `${path}${path.includes("?") ? "&" : "?"}format=${format}&limit=1000`;
					const { status, text: body, headers } = await served.request(`${page}&cursor=*`, metered);
					assert.equal(status, 200, body.slice(0, 200));
					assert.ok(body.length > 2 * ANSWER_BYTES_MAX, `${body.length} bytes`);
					assert.equal(body.trimEnd().split("\n").length, format === "csv" ? 1_001 : 1_000);
					assert.equal(headers.get("content-length"), null, "it is not held whole");
					const refused = await served.refused(page, text);
					assert.deepEqual([refused.status, refused.param], [400, "limit"]);
				}
			const { headers } = await served.request("/v1/me", metered);
			assert.equal(headers.get("x-quota-used"), "5");
			assert.equal(served.metrics.gauge("streams")[0], 0);
			await served.request("/v1/licenses?limit=1", text);
		});

		test("a key has a few walks at a time, and those beyond count toward nothing", async () => {
			const rate_limits = { per_minute: 1_000, per_day: null, monthly_quota: null };
			const text = await served.key({ scope: { bulk: true }, rate_limits });
			const url = `http://127.0.0.1:${served.port}/v1/licenses?cursor=*&format=csv&limit=2000&fields=member_city,office_name,member_type`;
			const headers = { authorization: `Bearer ${text}` };
			// 13 MB each, of which nothing is read.
			const answers = await Promise.all(
				Array.from({ length: 3 * LONG_ANSWERS.perKeyMax }, () => fetch(url, { headers })),
			);
			const refused = answers.filter(({ status }) => status === 429);
			const done = answers.filter(({ status }) => status === 200).length;
			assert.equal(done + refused.length, answers.length);
			assert.ok(done >= LONG_ANSWERS.perKeyMax, `${done} done`);
			// node:net accepts one connection a turn, so walks may end before the next begins.
			if (transport === "uws") assert.ok(refused.length > 0, "none refused");
			for (const answer of refused) {
				assert.equal(answer.headers.get("retry-after"), "1");
				assert.match(await answer.text(), /the most at a time/);
			}
			for (const answer of answers) if (answer.status === 200) await answer.body?.cancel();
			const after = await served.request("/v1/me", text);
			// 1,100 rows are two requests.
			assert.equal(Number(after.headers.get("ratelimit-remaining")), 1_000 - 2 * done - 1);
			assert.equal(served.metrics.gauge("streams")[0], 0);
		});

		test("walks beyond those of all keys count toward nothing either", async () => {
			const text = await served.key({
				scope: { bulk: true },
				rate_limits: { per_minute: null, per_day: null, monthly_quota: 50 },
			});
			const walk = "/v1/licenses?cursor=*&format=csv&limit=2000";
			const { streams } = (served.app as unknown as { readonly parts: ThreadParts }).parts;
			const ends = Array.from({ length: LONG_ANSWERS.totalMax }, (_, i) => streams.begin(`key ${i}`));
			await served.request("/v1/me", text);
			const refused = await served.refused(walk, text);
			assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
			assert.equal(refused.headers.get("x-quota-used"), "1");
			for (const end of ends) end();
			assert.equal((await served.request("/v1/me", text)).headers.get("x-quota-used"), "2");
		});

		test("a walk that a limit refuses counts toward nothing, and frees its place", async () => {
			const rate_limits = { per_minute: 3, per_day: null, monthly_quota: null };
			const text = await served.key({ scope: { bulk: true }, rate_limits });
			const walk = "/v1/licenses?cursor=*&format=csv&fields=id&limit=2000";
			assert.equal((await served.request(walk, text)).status, 200);
			for (let i = 0; i < 2 * LONG_ANSWERS.perKeyMax; i++)
				assert.equal((await served.refused(walk, text)).code, "rate_limited");
			assert.equal((await served.request("/v1/me", text)).headers.get("ratelimit-remaining"), "0");
		});
	});
}

test("all keys together have a bound too, and what ends makes room once", () => {
	const limit = new StreamLimit(LONG_ANSWERS);
	const ends = Array.from({ length: LONG_ANSWERS.totalMax }, (_, i) => limit.begin(`key ${i}`));
	assert.throws(
		() => limit.begin("another"),
		(error) => error instanceof ApiError && error.code === "unavailable",
	);
	ends[0]();
	ends[0]();
	assert.equal(limit.inProgress, LONG_ANSWERS.totalMax - 1);
	limit.begin("another")();
	for (const end of ends) end();
	assert.equal(limit.inProgress, 0);
});

test("an endpoint without pages names what makes its answer smaller", async () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-long-values-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	const quotes = (i: number) => `${i}`.padEnd(4_096, '"');
	const rows = Array.from({ length: 1_100 }, (_, i) => ({
		state: "CA",
		member_state_license_number: `${i}`,
		member_license_status: quotes(i),
		member_type: quotes(i),
	}));
	await publish(folder, "2026-11", rows);
	const served = await ServedFixture.start(ANY_TRANSPORT, { data: folder });
	try {
		const key = await served.key();
		for (const [path, param, message] of [
			["/v1/stats", "state", /more than 8 MiB; ask for one state with state$/],
			["/v1/aggregate?by=license_status,member_type&top=1000", "top", /; ask for fewer groups with top$/],
		] as const) {
			const refused = await served.refused(path, key);
			assert.deepEqual([refused.status, refused.code, refused.param], [400, "invalid_parameter", param]);
			assert.match(refused.message, message);
		}
	} finally {
		await served.close();
	}
	assert.match(
		new AnswerTooLarge(["license", "snapshot", "fields"]).message,
		/; ask for fewer licenses, or for/,
	);
	assert.equal(new AnswerTooLarge([]).message, "the answer would take more than 8 MiB");
});
