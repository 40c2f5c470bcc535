/**
 * Load that does not wait for answers: requests are sent when they are due, as by people who do not
 * know of each other, and each answer's time is counted from when its request was due.
 */

import { AskingConnection } from "./asking-connection.js";

const TICK_MS = 2;

export interface OpenLoopResult {
	/** Times of the answers with 200, in milliseconds, ascending. */
	readonly served: readonly number[];
	/** Times of the answers with 503, in milliseconds, ascending. */
	readonly shed: readonly number[];
	/** 503 without Retry-After, other statuses, broken connections. */
	readonly failures: readonly string[];
	/** Connections at most. */
	readonly connections: number;
}

/** Sends `request` as fast as `clients` connections that wait for their answers can; resolves to requests a second. */
export async function closedLoopRate(
	port: number,
	request: string,
	clients: number,
	seconds: number,
): Promise<number> {
	const begun = performance.now();
	let answers = 0;
	const run = (connection: AskingConnection): Promise<void> =>
		new Promise((resolve) => {
			const again = () =>
				connection.ask(request, ({ status }) => {
					if (status === 200) answers++;
					if (status === 0 || performance.now() - begun > seconds * 1000) resolve();
					else again();
				});
			again();
		});
	const connections = Array.from({ length: clients }, () => new AskingConnection(port));
	await Promise.all(connections.map(run));
	for (const connection of connections) connection.close();
	return (answers * 1000) / (performance.now() - begun);
}

export interface OpenLoad {
	/** A whole one without a body. */
	readonly request: string;
	/** Requests a second. */
	readonly rate: number;
	readonly seconds: number;
	/** Connections that are open beforehand and used in turn; more are opened where none is idle. */
	readonly connections: number;
}

/** Sends `request` at its times, whatever the answers. */
export async function openLoop(
	port: number,
	{ request, rate, seconds, connections }: OpenLoad,
): Promise<OpenLoopResult> {
	const served: number[] = [];
	const shed: number[] = [];
	const failures: string[] = [];
	const idle = await Promise.all(Array.from({ length: connections }, () => openOne(port, request)));
	const all = new Set(idle);
	const total = Math.round(rate * seconds);
	const begun = performance.now();
	let sent = 0;
	let answered = 0;
	const send = (dueMs: number) => {
		let connection = idle.shift();
		while (connection?.closed) connection = idle.shift();
		const used = connection ?? new AskingConnection(port);
		all.add(used);
		used.ask(request, ({ status, retryAfter }) => {
			answered++;
			const ms = performance.now() - dueMs;
			if (status === 200) served.push(ms);
			else if (status === 503 && retryAfter) shed.push(ms);
			else failures.push(`status ${status} after ${ms.toFixed(0)} ms`);
			if (status !== 0) idle.push(used);
		});
	};
	while (answered < total) {
		const due = Math.min(total, Math.floor(((performance.now() - begun) * rate) / 1000));
		for (; sent < due; sent++) send(begun + (sent * 1000) / rate);
		await new Promise((resolve) => setTimeout(resolve, TICK_MS));
	}
	for (const connection of all) connection.close();
	const ascending = (a: number, b: number) => a - b;
	return { served: served.sort(ascending), shed: shed.sort(ascending), failures, connections: all.size };
}

function openOne(port: number, request: string): Promise<AskingConnection> {
	const connection = new AskingConnection(port);
	return new Promise((resolve) => connection.ask(request, () => resolve(connection)));
}
