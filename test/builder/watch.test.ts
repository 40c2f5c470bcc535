/** Watched folders: which drops are built and when, and recovery from a kill at any step. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Webhook } from "standardwebhooks";
import { buildMonth } from "../../builder/build/build-month.js";
import type { BuildOptions } from "../../builder/build/build-options.js";
import { BuildError } from "../../builder/errors.js";
import { whileLocked } from "../../builder/months/publish.js";
import { pruneMonth } from "../../builder/months/retire.js";
import { describeMonth, describeRetired, openPublished } from "../../builder/published-months.js";
import { Journal, type JournalEvent } from "../../builder/watch/journal.js";
import { readRules } from "../../builder/watch/rules.js";
import { Watcher } from "../../builder/watch/watcher.js";
import { isPublicAddress, WebhookSender } from "../../builder/watch/webhook.js";
import { verifySnapshot } from "../oracle/verify-snapshot.js";
import { BUILDER, type BuilderFolder, builderFolder, csv, published, stateRows } from "./builder-process.js";
import { BUILT } from "./built-month.js";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const KILL = fileURLToPath(new URL("./kill-at-step.js", import.meta.url));

const NOW_RULE = {
	match: "*.csv",
	publish: "now",
	complete: "rename",
	accept: [...["churn", "total", "states"]],
};

function rulesFile(builder: BuilderFolder, ...rules: object[]): string {
	return builder.write("rules.json", JSON.stringify({ rules, pollSeconds: 0.05, restSeconds: 0 }));
}

function eventsOf({ data }: BuilderFolder): readonly JournalEvent[] {
	return new Journal(data, () => new Date()).read();
}

function kindsOf(builder: BuilderFolder): string[] {
	return eventsOf(builder).map(({ event, month }) => `${event} ${month}`);
}

test("drops are built by the first rule that fits, once, and held months wait for their release", async (t) => {
	const builder = builderFolder(t);
	builder.write("in/a-2026-10.csv", csv(stateRows("CA", 12)));
	builder.write("in/held-2026-11.csv", csv(stateRows("CA", 13)));
	builder.write("in/b-2026-12.csv.part", "half");
	builder.write("in/notes.txt", "no rule");
	builder.write("in/no-month.csv", csv(stateRows("CA", 1)));
	const rules = rulesFile(builder, { match: "held-*", complete: "rename", accept: ["churn"] }, NOW_RULE);
	const watch = ["watch", join(builder.folder, "in"), "--rules", rules, "--once"];
	const first = await builder.run(...watch);
	assert.equal(first.code, 1, first.stderr);
	assert.match(first.stderr, /^no rule is for b?.*notes\.txt/m);
	assert.match(first.stderr, /^builder: .*\/in: refused: no-month\.csv$/m);
	assert.deepEqual(kindsOf(builder), [
		...["building 2026-10", "published 2026-10", "building 2026-11", "held 2026-11"],
		"refused null",
	]);
	assert.match(eventsOf(builder)[4].message, /no file's name has one/);
	assert.deepEqual(published(builder.data), ["2026-10"]);
	const again = await builder.run(...watch);
	assert.deepEqual([again.code, again.stdout], [0, ""]);
	const diff = await builder.json<{ new: number }>("diff", "2026-10", "2026-11", "--held");
	assert.equal(diff.new, 1);
	assert.equal((await builder.json<unknown[]>("list", "--held")).length, 1);
	await builder.json("release", "2026-11");
	assert.deepEqual(published(builder.data), ["2026-10", "2026-11"]);
	assert.equal((await builder.json<unknown[]>("verify")).length, 2);
	const twice = await builder.run("release", "2026-11");
	assert.match(twice.stderr, /2026-11 is not held/);
	assert.equal(kindsOf(builder).at(-1), "released 2026-11");
	// A new drop of a published month is refused, and the refusal is delivered.
	builder.write("in/a-2026-10.csv", csv(stateRows("CA", 11)));
	await builder.run(...watch);
	assert.match(
		eventsOf(builder).at(-1)?.message ?? "",
		/2026-10 is already published; "replace": true in its rule/,
	);
});

/** A watcher with a clock of its own, whose builds are `build`. */
function watcherOf(
	builder: BuilderFolder,
	rules: object,
	clock: { ms: number },
	build: (o: BuildOptions) => void,
) {
	const file = builder.write("rules.json", JSON.stringify({ rules: [rules], restSeconds: 60 }));
	const now = () => new Date(clock.ms);
	const remarks: string[] = [];
	const watcher = new Watcher({
		...{
			folder: join(builder.folder, "in"),
			dataFolder: builder.data,
			rules: readRules(file),
			threads: null,
		},
		...{ journal: new Journal(builder.data, now), rowStore: false, now, onEvent: () => undefined },
		...{ signal: new AbortController().signal, sendNotices: async () => undefined },
		onRemark: (remark) => remarks.push(remark),
		build: async (options) => {
			build(options);
			options.confirm?.();
			return BUILT;
		},
	});
	return { watcher, remarks };
}

test("a drop is built once its size and time are at rest, and not where it changes meanwhile", async (t) => {
	const builder = builderFolder(t);
	const path = builder.write("in/a-2026-10.csv", "half");
	const clock = { ms: Date.now() };
	let writes = false;
	const builds: string[] = [];
	const { watcher, remarks } = watcherOf(builder, { match: "*" }, clock, ({ files }) => {
		builds.push(files[0]);
		if (writes) appendFileSync(path, "more");
		if (builds.length === 2) throw new BuildError("another_builder", "another builder is at work");
	});
	const lookAfter = async (seconds: number) => {
		clock.ms += 1000 * seconds;
		return watcher.look();
	};
	assert.equal(await lookAfter(0), true);
	appendFileSync(path, " a line");
	utimesSync(path, clock.ms / 1000 + 30, clock.ms / 1000 + 30);
	assert.equal(await lookAfter(61), true);
	assert.deepEqual(builds, [], "it changed since the look before");
	writes = true;
	assert.equal(await lookAfter(61), true);
	assert.equal(builds.length, 1, "it is built, and changes while it is built");
	assert.equal(remarks.length, 1);
	assert.match(remarks[0], /a-2026-10\.csv waits: .*it changed while it was built/);
	writes = false;
	utimesSync(path, clock.ms / 1000, clock.ms / 1000);
	await lookAfter(1);
	assert.equal(await lookAfter(61), true, "another builder is at work");
	assert.equal(await lookAfter(61), false);
	assert.equal(builds.length, 3);
	assert.equal(await lookAfter(61), false);
	assert.equal(builds.length, 3);
	const ended = new Journal(builder.data, () => new Date())
		.read()
		.filter(({ event }) => event !== "building");
	assert.deepEqual(
		ended.map(({ event }) => event),
		["published"],
	);
});

test("a folder that vanishes after it was found is waited for, and told once", async (t) => {
	const builder = builderFolder(t);
	const clock = { ms: Date.now() };
	const builds: string[] = [];
	const { watcher, remarks } = watcherOf(builder, { match: "*" }, clock, ({ files }) => {
		builds.push(files[0]);
	});
	const lookAfter = async (seconds: number) => {
		clock.ms += 1000 * seconds;
		return watcher.look();
	};
	await assert.rejects(watcher.look(), { code: "missing_file" }, "not found at all: its name may be wrong");
	const folder = join(builder.folder, "in");
	builder.write("in/a-2026-10.csv", "rows");
	assert.equal(await lookAfter(0), true);
	for (let times = 1; times <= 2; times++) {
		renameSync(folder, `${folder}-away`);
		assert.equal(await lookAfter(10), true);
		assert.equal(await lookAfter(10), true);
		renameSync(`${folder}-away`, folder);
		const gone = `${folder}: no such file; it is looked for again`;
		const expected = [gone, `${folder} can be read again`];
		assert.equal(await lookAfter(times === 2 ? 61 : 0), times !== 2);
		assert.deepEqual(remarks, times === 1 ? expected : [...expected, ...expected]);
	}
	assert.equal(builds.length, 1);
});

test("a folder that vanishes while a drop is built leaves the drop waiting", async (t) => {
	const builder = builderFolder(t);
	const path = builder.write("in/a-2026-10.csv", "rows");
	const clock = { ms: Date.now() + 3_600_000 };
	const folder = join(builder.folder, "in");
	const { watcher, remarks } = watcherOf(builder, { match: "*", complete: "rename" }, clock, () => {
		renameSync(folder, `${folder}-away`);
		throw new BuildError("missing_file", "no such file", { file: path });
	});
	assert.equal(await watcher.look(), true);
	assert.equal(await watcher.look(), true);
	assert.match(remarks.join("\n"), /^a-2026-10\.csv waits: .*no such file\n.*; it is looked for again$/);
	assert.deepEqual(kindsOf(builder), ["building 2026-10"]);
});

/** Runs the watcher in this process until no drop is waiting. */
async function watchHere(builder: BuilderFolder, rules: string): Promise<void> {
	const now = () => new Date();
	const watcher = new Watcher({
		...{
			folder: join(builder.folder, "in"),
			dataFolder: builder.data,
			rules: readRules(rules),
			threads: null,
		},
		...{ journal: new Journal(builder.data, now), rowStore: false, now, onEvent: () => undefined },
		...{ signal: new AbortController().signal, sendNotices: async () => undefined },
		...{ build: buildMonth, onRemark: (remark: string) => assert.fail(remark) },
	});
	assert.equal(await watcher.look(), false);
}

test("wherever a watcher that replaces months is killed, the next one publishes each drop once", async (t) => {
	const builder = builderFolder(t);
	const folder = join(builder.folder, "in");
	const { data } = builder;
	mkdirSync(folder);
	const rules = rulesFile(builder, { ...NOW_RULE, match: "a-*", replace: true });
	const drop = (rows: number) => csv(stateRows("CA", rows));
	await builder.json("build", builder.write("a-2026-10.csv", drop(10)), "--no-row-store");
	const args = ["watch", folder, "--data", data, "--rules", rules, "--once", "--no-row-store"];
	let kills = 0;
	for (let n = 1, killed = true; killed; n++) {
		writeFileSync(join(folder, ".a.part"), drop(10 + n));
		renameSync(join(folder, ".a.part"), join(folder, "a-2026-10.csv"));
		const before = eventsOf(builder).length;
		const { signal, status, stderr } = spawnSync(process.execPath, ["--import", KILL, BUILDER, ...args], {
			env: { ...process.env, ROLLCALL_KILL_AT: String(n) },
			encoding: "utf8",
		});
		killed = signal === "SIGKILL";
		if (killed) kills++;
		else assert.equal(status, 0, stderr);
		const place = `killed before step ${n}`;
		if (killed) {
			// At every moment the month is there, the old one or the new.
			const rows = describeMonth(data, "2026-10").rows;
			assert.ok(rows === 9 + n || rows === 10 + n, `${place}: ${rows} rows`);
			await watchHere(builder, rules);
		}
		const ends = eventsOf(builder)
			.slice(before)
			.filter(({ event }) => event !== "building");
		assert.deepEqual(
			ends.map(({ event }) => event),
			["published"],
			place,
		);
		verifySnapshot(openPublished(data, "2026-10"));
		assert.equal(describeMonth(data, "2026-10").rows, 10 + n, place);
		await whileLocked(data, () => undefined);
		assert.equal(describeRetired(data, "2026-10").rows, 9 + n, place);
		pruneMonth(data, "2026-10");
	}
	assert.ok(kills >= 4, `${kills} kills`);
});

test("notices are signed, sent until taken, and never to private addresses unless allowed", async (t) => {
	const builder = builderFolder(t);
	const taken: { type: string; data: Record<string, unknown> }[] = [];
	const ids: unknown[] = [];
	let answers = 0;
	const server = createServer(async (request, response) => {
		let body = "";
		for await (const piece of request) body += piece;
		ids.push(request.headers["webhook-id"]);
		response.statusCode = ++answers === 1 ? 500 : 204;
		if (answers > 1)
			taken.push(new Webhook(SECRET).verify(body, request.headers as Record<string, string>) as never);
		response.end();
	}).listen(0, "127.0.0.1");
	t.after(() => server.close());
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	builder.write("secret", `${SECRET}\n`);
	builder.write("in/a-2026-10.csv", csv(stateRows("CA", 12)));
	const write = (allowPrivate: boolean) =>
		builder.write(
			"rules.json",
			JSON.stringify({
				...{ rules: [NOW_RULE], pollSeconds: 0.05, restSeconds: 0 },
				webhook: { url, secretFile: "secret", allowPrivate },
			}),
		);
	const watch = ["watch", join(builder.folder, "in"), "--rules", write(false), "--once"];
	const refused = await builder.run(...watch);
	assert.match(refused.stderr, /127\.0\.0\.1, which is not on the public internet: set "allowPrivate"/);
	assert.deepEqual(eventsOf(builder), []);
	write(true);
	for (let i = 0; i < 3; i++) assert.equal((await builder.run(...watch)).code, 0);
	assert.deepEqual(
		taken.map(({ type, data }) => [type, data.month, data.rows]),
		[["month.published", "2026-10", 12]],
	);
	assert.equal(ids.length, 2);
	assert.equal(ids[0], ids[1], "the same notice, sent again");
	// A name that leads to this machine is refused when the connection is made.
	const rule = { url: url.replace("127.0.0.1", "localhost"), secretFile: join(builder.folder, "secret") };
	const sender = new WebhookSender({ ...rule, allowPrivate: false });
	assert.match(
		(await sender.send({ id: "msg_1", at: new Date(), body: "{}" })) ?? "",
		/not on the public internet/,
	);
	assert.equal(ids.length, 2);
});

test("a receiver that switches protocols has not accepted a notice", async (t) => {
	const builder = builderFolder(t);
	const secretFile = builder.write("secret", SECRET);
	const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
	const server = createTcpServer((socket) => socket.on("error", () => undefined).end(switching));
	server.listen(0, "127.0.0.1");
	t.after(() => server.close());
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
	const sender = new WebhookSender({ url, secretFile, allowPrivate: true });
	const sending = sender.send({ id: "msg_1", at: new Date(), body: "{}" });
	const fault = await Promise.race([sending, delay(5_000, "it is still waiting", { ref: false })]);
	assert.match(fault ?? "", /closed the connection without an answer/);
});

test("private, local and special addresses are not public", () => {
	const special =
		"0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 ::1 :: ::ffff:10.0.0.1 ::ffff:8.8.8.8 fe80::1 fc00::1 ff02::1 64:ff9b::a00:1 2001:db8::1 2002:a00:1:: nonsense";
	for (const address of special.split(" ")) assert.equal(isPublicAddress(address), false, address);
	for (const address of ["8.8.8.8", "172.32.0.1", "2606:4700::1111"])
		assert.equal(isPublicAddress(address), true, address);
});
