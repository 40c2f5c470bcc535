/** Streams of `subscriptions/listen`: by the protocol's own client, and event by event. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { HEARTBEAT_MS, Subscriptions } from "../../server/mcp/subscriptions.js";
import { RequestPending } from "../../server/request-pending.js";
import { describedAnswer } from "../http/document-check.js";
import { monthRows } from "../http/drop-rows.js";
import { overBothTransports, publish, type ServedFixture } from "../http/served.js";
import { CLIENT_INFO, JSON_HEADERS } from "./tool-client.js";

const VERSION = "2026-07-28";
const META = {
	"io.modelcontextprotocol/protocolVersion": VERSION,
	"io.modelcontextprotocol/clientCapabilities": {},
};
const ID = "io.modelcontextprotocol/subscriptionId";
const HOUR_MS = 3_600_000;

interface Message {
	readonly method?: string;
	readonly params?: Record<string, unknown>;
	readonly result?: Record<string, unknown>;
}

/** A stream, read event by event. */
class Stream {
	private text = "";

	private constructor(
		readonly response: Response,
		private readonly abort: AbortController,
	) {}

	private reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

	static async open(
		served: ServedFixture,
		key: string,
		filter: unknown,
		headers: Record<string, string> = {},
		id = "s1",
	): Promise<Stream> {
		const abort = new AbortController();
		const response = await fetch(`http://127.0.0.1:${served.port}/mcp`, {
			method: "POST",
			headers: {
				...JSON_HEADERS,
				authorization: `Bearer ${key}`,
				"mcp-protocol-version": VERSION,
				"mcp-method": "subscriptions/listen",
				...headers,
			},
			body: JSON.stringify({
				jsonrpc: "2.0",
				id,
				method: "subscriptions/listen",
				params: { notifications: filter, _meta: META },
			}),
			signal: abort.signal,
		});
		return new Stream(response, abort);
	}

	/** The next event, comments included; null: the stream has ended. */
	async block(): Promise<string | null> {
		for (;;) {
			const end = this.text.indexOf("\n\n");
			if (end >= 0) {
				const block = this.text.slice(0, end);
				this.text = this.text.slice(end + 2);
				return block;
			}
			this.reader ??= this.response.body?.getReader();
			const { value, done } = (await this.reader?.read()) ?? { value: undefined, done: true };
			if (done) return null;
			this.text += Buffer.from(value as Uint8Array).toString("utf8");
		}
	}

	async message(): Promise<Message> {
		for (;;) {
			const block = await this.block();
			assert.ok(block !== null, "the stream has ended");
			const data = /^data: (.*)$/m.exec(block)?.[1];
			if (data !== undefined) return JSON.parse(data) as Message;
		}
	}

	close(): void {
		this.abort.abort();
	}
}

overBothTransports("subscriptions", (served) => {
	test("the protocol's client is notified when a month is published, of what it asked for alone", async (t) => {
		const client = new Client(CLIENT_INFO, { versionNegotiation: { mode: { pin: VERSION } } });
		t.after(() => client.close());
		const headers = { authorization: `Bearer ${await served().key()}` };
		const url = new URL(`http://127.0.0.1:${served().port}/mcp`);
		await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
		const updated = new Promise<string>((resolve) => {
			client.setNotificationHandler("notifications/resources/updated", ({ params }) => resolve(params.uri));
		});
		const before = await client.readResource({ uri: "rollcall://snapshots" });
		const { honoredFilter, close } = await client.listen({
			toolsListChanged: true,
			resourceSubscriptions: ["rollcall://snapshots", "rollcall://columns", "rollcall://nothing"],
		});
		assert.deepEqual(honoredFilter, { resourceSubscriptions: ["rollcall://snapshots"] });
		await publish(served().dataFolder, "2026-12", monthRows("2026-11"));
		await served().reload();
		assert.equal(await updated, "rollcall://snapshots");
		const [content] = (await client.readResource({ uri: "rollcall://snapshots" })).contents;
		const [was] = before.contents;
		assert.ok("text" in content && "text" in was);
		assert.equal(JSON.parse(content.text).data[0].snapshot, "2026-12");
		assert.notEqual(JSON.parse(was.text).data[0].snapshot, "2026-12");
		await close();
	});

	test("a stream begins with its acknowledgement, carries its id, and lives by comments", async () => {
		const stream = await Stream.open(served(), await served().key(), {
			resourceSubscriptions: ["rollcall://vocabulary", "rollcall://vocabulary/CA"],
		});
		assert.equal(stream.response.status, 200);
		assert.equal(stream.response.headers.get("content-type"), "text/event-stream");
		assert.ok("text/event-stream" in (describedAnswer("POST", "/mcp", 200)?.content ?? {}), "as documented");
		assert.match(stream.response.headers.get("cache-control") ?? "", /no-store/);
		const { method, params } = await stream.message();
		assert.equal(method, "notifications/subscriptions/acknowledged");
		assert.deepEqual(params, {
			_meta: { [ID]: "s1" },
			notifications: { resourceSubscriptions: ["rollcall://vocabulary", "rollcall://vocabulary/CA"] },
		});
		served().scheduler.tick();
		assert.equal(await stream.block(), ":");
		stream.close();
	});

	test("a stream ends with a result after an hour, and when its key is no longer accepted", async () => {
		const key = await served().key();
		const stream = await Stream.open(served(), key, {});
		assert.deepEqual((await stream.message()).params, { _meta: { [ID]: "s1" }, notifications: {} });
		served().clock.nowMs += HOUR_MS;
		served().scheduler.tick();
		const { result } = await stream.message();
		assert.equal(result?.resultType, "complete");
		assert.equal((result?._meta as Record<string, unknown> | undefined)?.[ID], "s1");
		assert.equal(await stream.block(), null);

		const short = await served().key({ lifetimeMs: 10 * HEARTBEAT_MS });
		const ending = await Stream.open(served(), short, {});
		await ending.message();
		served().clock.nowMs += 10 * HEARTBEAT_MS;
		served().scheduler.tick();
		assert.equal((await ending.message()).result?.resultType, "complete");
		assert.equal(await ending.block(), null);
	});

	test("a key has two streams at most, and a closed one makes room", async () => {
		const key = await served().key();
		const [first, second] = [await Stream.open(served(), key, {}), await Stream.open(served(), key, {})];
		const { response } = await Stream.open(served(), key, {});
		assert.equal(response.status, 429);
		assert.match(await response.text(), /receiving 2 streams of notifications/);
		first.close();
		for (let tries = 0; tries < 100; tries++) {
			served().scheduler.tick();
			const again = await Stream.open(served(), key, {});
			again.close();
			if (again.response.status === 200) return second.close();
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
		assert.fail("a closed stream makes no room");
	});

	test("what cannot be a stream is refused with a reason", async () => {
		const key = await served().key();
		const refused = async (filter: unknown, headers = {}, id = "s1") => {
			const { response } = await Stream.open(served(), key, filter, headers, id);
			return [
				response.status,
				((await response.json()) as { error: { message: string } }).error.message,
			] as const;
		};
		for (const [filter, says] of [
			[undefined, /notifications must be an object/],
			[{ resourceSubscriptions: "rollcall://snapshots" }, /must be a list/],
			[{ resourceSubscriptions: Array(101).fill("x") }, /up to 100/],
		] as const)
			assert.match((await refused(filter))[1], says);
		// Each of up to a hundred notifications repeats the id.
		assert.match((await refused({}, {}, "x".repeat(201)))[1], /id of a stream may have 200 characters/);
		const [status, message] = await refused({}, { accept: "application/json" });
		assert.equal(status, 406);
		assert.match(message, /text\/event-stream/);
	});
});

test("a stream outlasts a heartbeat at which it is not known whether its key is accepted", async () => {
	const subscriptions = new Subscriptions();
	let fault: Error | null = new RequestPending(Promise.resolve(), "");
	const check = () => {
		if (fault !== null) throw fault;
	};
	const stream = subscriptions.open({ id: "s1", uris: [], keyId: "key", nowMs: 0, check });
	assert.match(String(await stream.next()), /acknowledged/);
	subscriptions.beat(1);
	assert.equal(String(await stream.next()), ":\n\n");
	fault = new Error("revoked");
	subscriptions.beat(2);
	assert.match(String(await stream.next()), /"resultType":"complete"/);
	assert.equal(await stream.next(), null);
});
