/**
 * The load generator of a soak, in a process of its own: sends questions over many connections and
 * judges every answer. Offered load is open: a request is due at its time whether earlier ones were
 * answered or not, and its latency counts from then.
 *
 * Started with an IPC channel; load-messages.ts is what it understands.
 */

import { Worker } from "node:worker_threads";
import { Connection, type Received } from "./connection.js";
import { type Allowed, bodyText, either, judge } from "./judge.js";
import { LimitedKey } from "./limited-key.js";
import type { LoadOptions, LoadOrder, LoadReport } from "./load-messages.js";
import type { Question } from "./oracle.js";
import { KEY_CLASSES, type KeyClass } from "./soak-keys.js";
import { Acknowledged, Latencies } from "./tally.js";

const FAULTS_TOLD_MAX = 50;
/** Counts made so long before a kill may be lost, and a margin for the way of the answer. */
const LOSABLE_MS = 250 + 100;
/** An answer that takes longer is lost. */
const ANSWER_MS_MAX = 30_000;

interface Sent {
	readonly question: Question;
	readonly dueMs: number;
	readonly sentMs: number;
	readonly allowed: Allowed;
	/** Usage reported before this was sent. */
	readonly usageBefore: number;
	done: boolean;
}

class LoadGenerator {
	private allowed: Allowed;
	private readonly texts: Record<KeyClass, string>;
	private readonly questions: Question[] = [];
	private next = 0;
	private turn = 0;
	private asked = 0;
	private made = 0;
	/** When requests that wait for a connection were due. */
	private due: number[] = [];
	private readonly connections: Connection[];
	private readonly underWay = new Set<Sent>();
	private readonly limited: LimitedKey;
	private readonly keys = new Map<KeyClass, Acknowledged>(KEY_CLASSES.map((k) => [k, new Acknowledged()]));
	private readonly usageTold = new Map<KeyClass, number>();
	private mode: "idle" | "closed" | "open" = "idle";
	private latencies = new Latencies();
	private stretch = { answered: 0, sheds: 0, cuts: 0 };
	private counts = { sent: 0, answered: 0, sheds: 0, shedsUnannounced: 0, cuts: 0, lost: 0, wrong: 0 };
	private readonly byStatus: Record<string, number> = {};
	private faults = 0;
	private timers: NodeJS.Timeout[] = [];
	private readonly oracle: Worker;

	constructor(private readonly options: LoadOptions) {
		this.allowed = options.allowed;
		this.texts = { ...options.texts };
		this.oracle = new Worker(new URL("./oracle-thread.js", import.meta.url), { workerData: options.oracle });
		this.oracle.on("message", (batch: Question[]) => this.stock(batch));
		this.oracle.once("error", (error) => {
			throw error;
		});
		this.connections = Array.from(
			{ length: options.connections },
			() => new Connection(options.port, (connection) => this.feed(connection)),
		);
		this.limited = new LimitedKey(options.port, options.limitedText, (fault) => this.fault(fault));
		this.timers.push(setInterval(() => this.findLost(), 1_000));
	}

	/** Resolves when there are questions enough to begin. */
	async ready(): Promise<void> {
		while (this.questions.length < this.options.oracle.stock) await pause(50);
	}

	allow(allowed: Allowed): void {
		this.allowed = allowed;
	}

	rotate(key: KeyClass, text: string): void {
		this.texts[key] = text;
	}

	killed(atMs: number): void {
		for (const acknowledged of this.keys.values()) acknowledged.killed(atMs - LOSABLE_MS);
		this.limited.killed();
		this.usageTold.clear();
	}

	/** Answers per second if every connection sends its next request at once. */
	async measure(seconds: number): Promise<number> {
		this.mode = "closed";
		for (const connection of this.connections) this.feed(connection);
		await pause(Math.min(3, seconds / 3) * 1000);
		const [before, begunMs] = [this.counts.answered, performance.now()];
		await pause(seconds * 1000);
		const perSecond = ((this.counts.answered - before) * 1000) / (performance.now() - begunMs);
		this.mode = "idle";
		await this.settled();
		return perSecond;
	}

	/** Begins the load that is judged over time. */
	offer(perSecond: number): void {
		this.mode = "open";
		const begunMs = performance.now();
		let issued = 0;
		const issue = () => {
			const nowMs = performance.now();
			const total = Math.floor(((nowMs - begunMs) / 1000) * perSecond);
			for (; issued < total; issued++) this.due.push(begunMs + (issued * 1000) / perSecond);
			// In turn, so that none rests until the server closes it: that close may cross a request.
			for (let tried = 0; tried < this.connections.length && this.due.length > this.next; tried++) {
				this.turn = (this.turn + 1) % this.connections.length;
				this.feed(this.connections[this.turn]);
			}
		};
		this.timers.push(setInterval(issue, 1));
		const { stretchSeconds } = this.options;
		this.latencies = new Latencies();
		this.stretch = { answered: 0, sheds: 0, cuts: 0 };
		this.timers.push(
			setInterval(() => this.endStretch((performance.now() - begunMs) / 1000), stretchSeconds * 1000),
		);
	}

	/** Waits for requests in flight and reports all counts. */
	async stop(): Promise<LoadReport> {
		this.mode = "idle";
		await this.settled();
		for (const timer of this.timers) clearInterval(timer);
		this.limited.close();
		await this.oracle.terminate();
		for (const connection of this.connections) connection.close();
		const keys = Object.fromEntries(
			[...this.keys].map(([name, { total, unknown, losable }]) => [
				name,
				{ acknowledged: total, unknown, losable },
			]),
		);
		const { minutes, admitted, refused, breaches } = this.limited;
		const { byStatus, made } = this;
		const limited = { minutes, admitted, refused, breaches };
		return { kind: "totals", totals: { ...this.counts, questions: made, byStatus, keys, limited } };
	}

	private async settled(): Promise<void> {
		const untilMs = performance.now() + ANSWER_MS_MAX;
		while (this.underWay.size > 0 && performance.now() < untilMs) await pause(20);
		this.findLost();
	}

	/** New questions replace the oldest, once there are enough. */
	private stock(batch: readonly Question[]): void {
		for (const question of batch) {
			const { stock } = this.options.oracle;
			this.questions[this.made % stock] = question;
			this.made++;
		}
	}

	private feed(connection: Connection): void {
		if (!connection.idle || this.mode === "idle") return;
		if (this.mode === "closed") {
			this.send(connection, performance.now());
			return;
		}
		if (this.next === this.due.length) return;
		const dueMs = this.due[this.next++];
		if (this.next > 4_096) {
			this.due = this.due.slice(this.next);
			this.next = 0;
		}
		this.send(connection, dueMs);
	}

	private send(connection: Connection, dueMs: number): void {
		// A step that shares no factor with the stock visits all of it.
		this.asked = (this.asked + 7_919) % this.questions.length;
		const question = this.questions[this.asked];
		const { key } = question.ask;
		const usageBefore = key === null ? 0 : (this.usageTold.get(key) ?? 0);
		const sent: Sent = {
			question,
			dueMs,
			sentMs: performance.now(),
			allowed: this.allowed,
			usageBefore,
			done: false,
		};
		this.underWay.add(sent);
		this.counts.sent++;
		connection.send(requestText(question, key === null ? null : this.texts[key]), {
			onAnswer: (received) => this.answered(sent, received),
			onBroken: (reason) => this.broken(sent, reason),
		});
	}

	private answered(sent: Sent, received: Received): void {
		if (!this.finish(sent)) return;
		const { question } = sent;
		const allowed = either(sent.allowed, this.allowed);
		const verdict = judge(question, received, allowed);
		this.byStatus[received.status] = (this.byStatus[received.status] ?? 0) + 1;
		if (verdict.kind === "shed") {
			this.counts.sheds++;
			this.stretch.sheds++;
			if (allowed.sheds) return;
			this.counts.shedsUnannounced++;
			this.fault(`shed: ${question.ask.path}`);
			return;
		}
		this.counts.answered++;
		this.stretch.answered++;
		this.latencies.add(performance.now() - sent.dueMs);
		if (verdict.kind === "wrong") this.wrong(question, verdict.why);
		else if (verdict.counted) this.acknowledge(sent, received);
	}

	private acknowledge({ question, usageBefore }: Sent, received: Received): void {
		const { key, judged } = question.ask;
		if (key === null) return;
		this.keys.get(key)?.add(Date.now());
		if (judged !== "usage") return;
		const { total } = (JSON.parse(bodyText(received)) as { data: { total: number } }).data;
		if (total < usageBefore) this.wrong(question, `usage fell from ${usageBefore} to ${total}`);
		this.usageTold.set(key, Math.max(total, this.usageTold.get(key) ?? 0));
	}

	private broken(sent: Sent, reason: string): void {
		if (!this.finish(sent)) return;
		const { key, path } = sent.question.ask;
		if (key !== null) (this.keys.get(key) as Acknowledged).unknown++;
		if (either(sent.allowed, this.allowed).cuts) {
			this.counts.cuts++;
			this.stretch.cuts++;
			return;
		}
		this.counts.lost++;
		this.fault(`lost: ${path}: ${reason}`);
	}

	private findLost(): void {
		const nowMs = performance.now();
		for (const sent of this.underWay) {
			if (nowMs - sent.sentMs < ANSWER_MS_MAX) continue;
			this.finish(sent);
			this.counts.lost++;
			this.fault(`lost: ${sent.question.ask.path}: no answer within ${ANSWER_MS_MAX} ms`);
		}
	}

	/** False where it was given up before. */
	private finish(sent: Sent): boolean {
		if (sent.done) return false;
		sent.done = true;
		this.underWay.delete(sent);
		return true;
	}

	private wrong({ ask }: Question, why: string): void {
		this.counts.wrong++;
		this.fault(`wrong: ${ask.key} ${ask.path} ${ask.body ?? ""}: ${why}`);
	}

	private fault(what: string): void {
		if (this.faults++ < FAULTS_TOLD_MAX) tell({ kind: "fault", what: what.slice(0, 800) });
	}

	private endStretch(atS: number): void {
		const { latencies } = this;
		const told = {
			...this.stretch,
			atS,
			seconds: this.options.stretchSeconds,
			waiting: this.due.length - this.next,
			p50Ms: latencies.quantile(0.5),
			p99Ms: latencies.quantile(0.99),
			maxMs: latencies.maxMs,
		};
		this.latencies = new Latencies();
		this.stretch = { answered: 0, sheds: 0, cuts: 0 };
		tell({ kind: "stretch", stretch: told });
	}
}

function requestText({ ask, ifNoneMatch }: Question, text: string | null): string {
	let head = `${ask.body === null ? "GET" : "POST"} ${ask.path} HTTP/1.1\r\nHost: soak\r\n`;
	if (text !== null) head += `Authorization: Bearer ${text}\r\n`;
	if (ask.gzip) head += "Accept-Encoding: gzip\r\n";
	if (ifNoneMatch !== null) head += `If-None-Match: ${ifNoneMatch}\r\n`;
	if (ask.body === null) return `${head}\r\n`;
	const length = Buffer.byteLength(ask.body);
	return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${ask.body}`;
}

function pause(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

function tell(report: LoadReport): void {
	process.send?.(report);
}

let generator: LoadGenerator | null = null;

async function obey(order: LoadOrder): Promise<void> {
	if (order.kind === "start") {
		generator = new LoadGenerator(order.options);
		await generator.ready();
	}
	if (generator === null) throw new RangeError(`${order.kind} before start`);
	switch (order.kind) {
		case "measure":
			tell({ kind: "measured", perSecond: await generator.measure(order.seconds) });
			return;
		case "offer":
			generator.offer(order.perSecond);
			break;
		case "allow":
			generator.allow(order.allowed);
			break;
		case "text":
			generator.rotate(order.key, order.text);
			break;
		case "killed":
			generator.killed(order.atMs);
			break;
		case "stop":
			tell(await generator.stop());
			process.disconnect?.();
			return;
	}
	tell({ kind: "heard" });
}

process.on("message", (order: LoadOrder) => void obey(order));
// Signals go to the whole group; the soak says when to stop.
process.on("SIGINT", () => undefined);
