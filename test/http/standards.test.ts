/** What the API takes from standards beside its own contract: problem details, trace context, links, security.txt. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { traceContextOf } from "../../server/api/responses/trace-context.js";
import { licensesResponse, problemResponse } from "../../server/api/schemas/endpoint-responses.js";
import { BODY_BYTES_MAX } from "../../server/mcp/body-receiver.js";
import { overBothTransports } from "./served.js";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

test("a traceparent is read by W3C Trace Context, and an invalid one counts as absent", () => {
	assert.deepEqual(traceContextOf(TRACEPARENT), { traceId: TRACE_ID, spanId: "00f067aa0ba902b7", flags: 1 });
	assert.equal(
		traceContextOf(TRACEPARENT.replace(/^00/, "cc"))?.traceId,
		TRACE_ID,
		"later versions are read",
	);
	assert.equal(traceContextOf(`${TRACEPARENT.replace(/^00/, "cc")}-more`)?.traceId, TRACE_ID);
	for (const invalid of [
		"",
		TRACEPARENT.replace(/^00/, "ff"),
		`${TRACEPARENT}-more`,
		TRACEPARENT.toUpperCase(),
		`00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
		`00-${TRACE_ID}-${"0".repeat(16)}-01`,
		`${TRACEPARENT}, ${TRACEPARENT}`,
		`00-${TRACE_ID}\r\nX: y-00f067aa0ba902b7-01`,
	])
		assert.equal(traceContextOf(invalid), null, invalid);
});

overBothTransports(
	"standards",
	(served) => {
		test("an error is problem details where Accept names them, else the contract's body", async () => {
			const key = await served().key();
			const ask = async (accept: string, path = "/v1/licenses?limit=0") => {
				const { status, headers, text } = await served().request(path, key, { headers: { accept } });
				assert.equal(status, path === "/nowhere" ? 404 : 400);
				return { type: headers.get("content-type"), id: headers.get("x-request-id"), body: JSON.parse(text) };
			};
			for (const accept of [
				"application/problem+json",
				"application/json, application/problem+json;q=0.5",
				"application/problem+json;charset=utf-8, application/json",
			]) {
				const { type, id, body } = await ask(accept);
				assert.equal(type, "application/problem+json");
				assert.deepEqual(problemResponse.parse(body), {
					type: "urn:rollcall:problem:invalid_parameter",
					title: "Bad Request",
					status: 400,
					detail: body.detail,
					instance: `urn:rollcall:request:${id}`,
					code: "invalid_parameter",
					param: "limit",
				});
				assert.match(body.detail, /^limit must be/);
			}
			for (const accept of ["*/*", "application/json", "application/*", "application/problem+json;q=0"]) {
				const { type, body } = await ask(accept);
				assert.match(type ?? "", /^application\/json/);
				assert.equal(body.error.code, "invalid_parameter", accept);
			}
			assert.equal((await ask("application/problem+json", "/nowhere")).body.title, "Not Found");
			const sound = await served().request("/v1/states", key, {
				headers: { accept: "application/problem+json" },
			});
			assert.match(sound.headers.get("content-type") ?? "", /^application\/json/);
		});

		test("a message that is too long for the tool server is a problem too, as the document says", async () => {
			const headers = {
				accept: "application/json, application/problem+json",
				"content-type": "application/json",
			};
			const body = " ".repeat(BODY_BYTES_MAX + 1);
			const { status, text } = await served().request("/mcp", await served().key(), {
				method: "POST",
				headers,
				body,
			});
			assert.deepEqual([status, problemResponse.parse(JSON.parse(text)).code], [413, "payload_too_large"]);
		});

		test("an error names the trace that the request belongs to, where it names one", async () => {
			const key = await served().key();
			const traced = { headers: { traceparent: TRACEPARENT } };
			const { text } = await served().request("/v1/licenses?limit=0", key, traced);
			assert.equal(JSON.parse(text).error.trace_id, TRACE_ID);
			const both = { headers: { ...traced.headers, accept: "application/problem+json" } };
			const problem = await served().request("/v1/licenses?limit=0", key, both);
			assert.equal(JSON.parse(problem.text).trace_id, TRACE_ID);
			const wrong = { headers: { traceparent: "00-nonsense" } };
			const untraced = await served().request("/v1/licenses?limit=0", key, wrong);
			assert.deepEqual(Object.keys(JSON.parse(untraced.text).error), ["code", "message", "param"]);
		});

		test("Link leads from page to page and back, over the same query", async () => {
			const key = await served().key();
			const begin = "/v1/licenses?state=CA,TX&sort=member_last_name&limit=40";
			const follow = async (
				path: string,
				rel: string,
			): Promise<{ ids: unknown[]; next: string | undefined; back: string | undefined }> => {
				const { headers, text } = await served().request(path, key);
				const { data } = licensesResponse.parse(JSON.parse(text));
				const target = (name: string) =>
					new RegExp(`<([^>]*)>; rel="${name}"`).exec(headers.get("link") ?? "")?.[1];
				assert.equal(target(rel) === undefined, headers.get("link")?.includes(`rel="${rel}"`) !== true);
				return { ids: data.map(({ id }) => id), next: target("next"), back: target("prev") };
			};
			const seen: unknown[] = [];
			let path: string | undefined = begin;
			let last = begin;
			// Twice each, since the second answer comes from a cache.
			for (; path !== undefined; path = (await follow(path, "next")).next) {
				seen.push(...(await follow(path, "next")).ids);
				last = path;
			}
			const whole = await served().request(begin.replace("limit=40", "limit=1000"), key);
			const { data } = licensesResponse.parse(JSON.parse(whole.text));
			assert.deepEqual(
				seen,
				data.map(({ id }) => id),
			);
			assert.equal(whole.headers.get("link"), null, "one page has no others");
			let steps = 0;
			for (let at: string | undefined = last; at !== undefined; at = (await follow(at, "prev")).back) steps++;
			assert.equal(steps, Math.ceil(data.length / 40));
			const csv = await served().request(`${begin}&format=csv`, key);
			assert.match(csv.headers.get("link") ?? "", /<\/v1\/licenses\?[^>]*&format=csv&page=2>; rel="next"/);
		});

		test("Link has no target past the depth cap", async () => {
			const key = await served().key();
			const deep = await served().request("/v1/licenses?limit=1&page=50000", key);
			assert.doesNotMatch(deep.headers.get("link") ?? "", /rel="next"/);
		});

		test("Link percent-encodes what a header or a target could not hold, and knows page by any spelling", async () => {
			const key = await served().key();
			const linkOf = async (query: string) =>
				(await served().request(`/v1/licenses?limit=1&${query}`, key)).headers.get("link");
			assert.equal(
				await linkOf("city_not=a|b[{^`}]\\é&p%61ge=2"),
				['page=3>; rel="next"', 'page=1>; rel="prev"']
					.map((end) => `</v1/licenses?limit=1&city_not=a%7Cb%5B%7B%5E%60%7D%5D%5C%C3%A9&${end}`)
					.join(", "),
			);
			assert.equal(await linkOf("p%61ge=1"), '</v1/licenses?limit=1&page=2>; rel="next"');
			assert.match((await linkOf("city_not=%22%3E%20+&page=%32")) ?? "", /&city_not=%22%3E%20\+&page=3>/);
		});

		test("Link keeps the head of a response below what clients and proxies read, rel=next before rel=prev", async () => {
			const key = await served().key();
			const relsOf = async (length: number, page: number) => {
				const value = `&city_not=${"x".repeat(900)}`;
				const query = `limit=1&page=${page}${value.repeat(length / 900)}`;
				const { status, headers } = await served().request(`/v1/licenses?${query}`, key);
				assert.equal(status, 200);
				return [...(headers.get("link") ?? "").matchAll(/rel="(\w+)"/g)].map(([, rel]) => rel);
			};
			assert.deepEqual(await relsOf(3600, 10), ["next", "prev"]);
			assert.deepEqual(await relsOf(7200, 10), ["next"]);
			assert.deepEqual(await relsOf(15_300, 10), []);
		});

		test("security.txt says where to report, and until when it is good", async () => {
			const { status, headers, text } = await served().request("/.well-known/security.txt");
			assert.equal(status, 200);
			assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
			assert.match(text, /^Contact: mailto:security@example\.com$/m);
			const expires = Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? "");
			const days = (expires - served().clock.now()) / 86_400_000;
			assert.ok(days > 30 && days < 365, `${days} days`);
			assert.equal(
				(await served().request("/.well-known/security.txt", null, { method: "POST" })).status,
				405,
			);
		});
	},
	{ security_contact: "mailto:security@example.com" },
);
