/** OpenTelemetry spans, where they are configured, and nothing of them where they are not. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
	type Context,
	SpanKind,
	type SpanOptions,
	type Tracer,
	type TracerProvider,
	trace,
} from "@opentelemetry/api";
import { allOf, type Observer } from "../../server/api/observer.js";
import { overBothTransports, ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

interface Made {
	readonly name: string;
	readonly options: SpanOptions;
	readonly parent: string | undefined;
	ended: number;
	failed: boolean;
}

const spans: Made[] = [];
const tracer = {
	startSpan(name: string, options: SpanOptions, context: Context) {
		const made: Made = {
			name,
			options,
			parent: trace.getSpanContext(context)?.traceId,
			ended: 0,
			failed: false,
		};
		spans.push(made);
		return {
			setStatus: () => {
				made.failed = true;
			},
			end: (time: number) => {
				made.ended = time;
			},
		};
	},
};
let tracersMade = 0;
const provider: TracerProvider = {
	getTracer() {
		tracersMade++;
		return tracer as unknown as Tracer;
	},
};
trace.setGlobalTracerProvider(provider);

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

overBothTransports(
	"spans",
	(served) => {
		test("an answer is a span in the trace that the client named, with route, status and times", async () => {
			const key = await served().key();
			spans.length = 0;
			const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
			const { headers: answered } = await served().request("/v1/states", key, { headers });
			await served().request("/v1/licenses?limit=0", key);
			await served().request("/nowhere?name=secret", key);
			assert.deepEqual(
				spans.map(({ name, parent }) => [name, parent]),
				[
					["GET /v1/states", TRACE_ID],
					["GET /v1/licenses", undefined],
					["GET", undefined],
				],
			);
			const [{ options, ended, failed }] = spans;
			assert.equal(options.kind, SpanKind.SERVER);
			assert.equal(options.attributes?.["http.route"], "/v1/states");
			assert.equal(options.attributes?.["http.response.status_code"], 200);
			assert.equal(options.attributes?.["rollcall.request_id"], answered.get("x-request-id"));
			assert.equal(failed, false);
			assert.ok((options.startTime as number) <= ended && ended - (options.startTime as number) < 5_000);
			const told = JSON.stringify(spans);
			assert.ok(!told.includes(key) && !told.includes("secret"), "neither key nor query");
		});
	},
	{ spans: true },
);

test("an unknown method is an attribute of its span and not its name, over node", async () => {
	const served = await ServedFixture.start("node", { spans: true });
	spans.length = 0;
	await served.request("/v1/health", null, { method: "BREW" });
	await served.close();
	const [{ name, options }] = spans;
	assert.equal(name, "HTTP /v1/health");
	assert.equal(options.attributes?.["http.request.method"], "_OTHER");
	assert.equal(options.attributes?.["http.request.method_original"], "BREW");
});

overBothTransports("no spans", (served) => {
	test("none are made where they are not configured, nor what would make them", async () => {
		const key = await served().key();
		spans.length = 0;
		const before = tracersMade;
		const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
		await served().request("/v1/states", key, { headers });
		assert.deepEqual(spans, []);
		const without = await ServedFixture.start(ANY_TRANSPORT);
		await without.close();
		assert.equal(tracersMade, before);
		const traced = await ServedFixture.start(ANY_TRANSPORT, { spans: true });
		await traced.close();
		assert.equal(tracersMade, before + 1);
	});
});

test("an answer costs a call for each observer that is configured, and none for spans that are not", () => {
	const metrics: Observer = { answered: () => undefined, worked: () => undefined, limited: () => undefined };
	assert.equal(allOf([]), null);
	assert.equal(allOf([metrics]), metrics, "called itself, with nothing between");
});

test("a server without spans does not load the package", () => {
	const app = new URL("../../server/app.js", import.meta.url).href;
	const code = `await import(${JSON.stringify(app)}); const { createRequire } = await import("node:module"); const require = createRequire(${JSON.stringify(fileURLToPath(import.meta.url))}); console.log(Object.keys(require.cache).filter((path) => path.includes("@opentelemetry/api") ).length);`;
	const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
		encoding: "utf8",
	});
	assert.deepEqual([status, stdout], [0, "0\n"]);
});
