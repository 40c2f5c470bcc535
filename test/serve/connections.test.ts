/**
 * Connections are limited in total and per address, over both transports: what is too much is refused
 * visibly, the rest is served, and descriptors remain for files.
 */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { descriptorLimit, openDescriptors, reserveOf } from "../../server/http/descriptors.js";
import { censusOf } from "../../server/http/socket-census.js";
import { fixtureFolder, ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { ServerProcess } from "./server-process.js";

const HEALTH = "GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n";
/** Another client, on this machine. */
const ELSEWHERE = "127.0.0.2";

interface Client {
	readonly socket: Socket;
	text(): string;
	/** Whether the connection was made and is open. */
	open(): boolean;
}

async function client(port: number, localAddress = "127.0.0.1"): Promise<Client> {
	const socket = connect({ port, host: "127.0.0.1", localAddress });
	let text = "";
	let open = true;
	socket.setEncoding("latin1").on("data", (chunk: string) => {
		text += chunk;
	});
	// A reset or a refusal shows in the close.
	socket.on("error", () => undefined);
	socket.on("close", () => {
		open = false;
	});
	await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
	return { socket, text: () => text, open: () => open };
}

/** The status of /v1/health on the client's connection; 0: it was closed, or nothing came within two seconds. */
async function health({ socket, text, open }: Client): Promise<number> {
	const before = text().length;
	if (open()) socket.write(HEALTH);
	for (let i = 0; i < 100 && text().length === before && open(); i++) await delay(20);
	return Number(/HTTP\/1\.1 (\d{3})/.exec(text().slice(before))?.[1] ?? 0);
}

function destroyAll(clients: readonly Client[]): void {
	for (const { socket } of clients) socket.destroy();
}

/** The status of /v1/health on a connection of its own. */
async function healthAnew(port: number): Promise<number> {
	const one = await client(port);
	const status = await health(one);
	one.socket.destroy();
	return status;
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
	for (let i = 0; i < 250; i++) {
		if (await holds()) return;
		await delay(20);
	}
	assert.fail(`${what} within five seconds`);
}

for (const transport of transportsHere("limits on connections")) {
	test(`connections of one address past the limit are refused, others served, over ${transport}`, async (t) => {
		// With a proxy named, clients on this machine count like any other.
		const settings = { connections_per_address: 20, trusted_proxies: ["10.9.9.9"] };
		const served = await ServedFixture.start(transport, settings);
		t.after(() => served.close());
		const clients: Client[] = [];
		for (let i = 0; i < 25; i++) clients.push(await client(served.port));
		t.after(() => destroyAll(clients));
		const last = clients[24];
		// uWebSockets.js says nothing of connections: they are counted once a second.
		await until(async () => {
			const status = await health(last.open() ? last : await client(served.port));
			return status === 503 || (status === 0 && last.text().includes("503"));
		}, "a connection too many is refused with 503");
		assert.match(last.text(), /\r\nRetry-After: 1\r\n/);
		await until(() => !last.open(), "and closed");
		const other = await client(served.port, ELSEWHERE);
		assert.equal(await health(other), 200, "another address is served");
		other.socket.destroy();
		destroyAll(clients);
		await until(async () => (await healthAnew(served.port)) === 200, "the address is served again");
	});

	test(`a trusted proxy may have any number of connections, over ${transport}`, async (t) => {
		const settings = { connections_per_address: 5, trusted_proxies: ["127.0.0.1"] };
		const served = await ServedFixture.start(transport, settings);
		t.after(() => served.close());
		const clients = await Promise.all(Array.from({ length: 20 }, () => client(served.port)));
		await delay(1_200);
		for (const one of clients) assert.equal(await health(one), 200);
		destroyAll(clients);
	});

	test(`connections past the limit of the process are refused, over ${transport}`, async (t) => {
		const served = await ServedFixture.start(transport, { connections_max: 30 });
		t.after(() => served.close());
		const first = await client(served.port);
		const clients: Client[] = [];
		// In steps, since a burst is accepted before it is counted.
		for (let i = 0; i < 120; i++) {
			clients.push(await client(served.port));
			if (i % 10 === 0) await delay(30);
		}
		await delay(100);
		// The other ends of these connections are descriptors of this process too.
		const open = clients.filter((one) => one.open()).length;
		assert.ok(open < 60, `${open} connections are open`);
		assert.equal(await health(first), 200, "who is connected is served");
		assert.ok(served.app.load.shed > 0, "refusals are counted");
		destroyAll(clients);
		await until(async () => (await healthAnew(served.port)) === 200, "the next is served");
		first.socket.destroy();
	});

	test(`at the limit of descriptors the server neither spins nor loses its database, over ${transport}`, async (t) => {
		const folder = await fixtureFolder();
		t.after(() => rmSync(folder, { recursive: true, force: true }));
		const flags = ["--transport", transport, "--workers", "1"];
		const server = await ServerProcess.startLimited(t, 400, folder, ...flags);
		const first = await client(server.port);
		const clients = await Promise.all(Array.from({ length: 700 }, () => client(server.port)));
		t.after(() => destroyAll(clients));
		assert.equal(await health(first), 200, "who is connected is served, and the database answers");
		// Those past the limit are refused in the first second; a server that spins goes on.
		await delay(1_000);
		const begun = cpuTicks(server.servingPid);
		await delay(1_000);
		const share = (cpuTicks(server.servingPid) - begun) / 100;
		t.diagnostic(
			`${transport}: ${(100 * share).toFixed(0)} % of a core beside ${clients.length} connections`,
		);
		assert.ok(share < 0.5, `${share} of a core`);
		destroyAll(clients);
		await until(async () => (await healthAnew(server.port)) === 200, "connections are accepted again");
	});
}

/** Hundredths of a second that the process has run. */
function cpuTicks(pid: number): number {
	const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
		.replace(/\(.*\)/, "()")
		.split(" ");
	return Number(fields[11]) + Number(fields[12]);
}

test("descriptors are counted, and an eighth of them is reserved for files", {
	skip: openDescriptors() === null,
}, async (t) => {
	const before = openDescriptors() ?? 0;
	const served = await ServedFixture.start("node");
	t.after(() => served.close());
	const one = await client(served.port);
	assert.equal(await health(one), 200);
	assert.ok((openDescriptors() ?? 0) >= before + 2);
	assert.ok((descriptorLimit() ?? 0) > before);
	assert.deepEqual([64, 256, 1_024, 20_000, 1_000_000].map(reserveOf), [32, 128, 128, 2_500, 4_096]);
	const census = await censusOf(served.port);
	assert.equal(census.find(({ address }) => address === "127.0.0.1")?.connections, 1);
	one.socket.destroy();
});
