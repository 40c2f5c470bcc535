/** A server in this process for fuzzers, over a real connection, with keys of several grants. */

import assert from "node:assert/strict";
import { errorResponse } from "../../../server/api/schemas/endpoint-responses.js";
import { Connection, type Received } from "../../chaos/soak/connection.js";
import { ServedFixture } from "../../http/served.js";
import { ANY_TRANSPORT } from "../../http/transports.js";

const UNLIMITED = { per_minute: 1_000_000_000, per_day: null, monthly_quota: null };
const ANSWER_MS_MAX = 5_000;

export class ServedTarget {
	private constructor(
		readonly served: ServedFixture,
		/** Texts of keys: everything, one province, few columns, masked and latest only. */
		readonly keys: readonly string[],
		private connection: Connection,
	) {}

	static async start(): Promise<ServedTarget> {
		const served = await ServedFixture.start(ANY_TRANSPORT);
		const keys = [
			await served.key({ rate_limits: UNLIMITED }),
			await served.key({ rate_limits: UNLIMITED, scope: { geography: { countries: [], states: ["ON"] } } }),
			await served.key({
				rate_limits: UNLIMITED,
				scope: { columns: ["id", "snapshot", "state", "office_name"] },
			}),
			await served.key({ tier: "trial", rate_limits: UNLIMITED, scope: { history: { mode: "latest" } } }),
		];
		return new ServedTarget(served, keys, new Connection(served.port, () => undefined));
	}

	/**
	 * Sends bytes, one a character, and returns the answer. Rejects where none arrives or the connection
	 * breaks.
	 */
	async ask(request: string): Promise<Received> {
		while (!this.connection.idle) await new Promise((resolve) => setImmediate(resolve));
		return new Promise((resolve, reject) => {
			const late = setTimeout(() => {
				this.connection.close();
				this.connection = new Connection(this.served.port, () => undefined);
				reject(new Error(`no answer within ${ANSWER_MS_MAX} ms`));
			}, ANSWER_MS_MAX);
			this.connection.send(Buffer.from(request, "latin1"), {
				onAnswer(received) {
					clearTimeout(late);
					resolve(received);
				},
				onBroken(reason) {
					clearTimeout(late);
					reject(new Error(`the connection broke: ${reason}`));
				},
			});
		});
	}

	async close(): Promise<void> {
		this.connection.close();
		await this.served.close();
	}
}

/** What no answer may contain: a stack, or a path of the machine. */
const INSIDES = /\bat [\w.<>]+ \(|\.js:\d+|node:internal|\/dist\/|node_modules/;

/** The body as text, which must reveal nothing of the server's internals. */
export function bodyOf({ body, status, head }: Received): string {
	const text = Buffer.concat(body).toString("utf8");
	assert.ok(status < 500, `a fault of ours: ${status} ${text.slice(0, 200)}`);
	assert.match(head, /\r\nX-Request-Id: /i);
	assert.doesNotMatch(text.slice(0, 4_000), INSIDES);
	return text;
}

/** The error of a refusal, which must be well-formed. */
export function errorOf(text: string): {
	readonly code: string;
	readonly message: string;
	readonly param?: string;
} {
	const { error } = errorResponse.parse(JSON.parse(text));
	assert.ok(error.message.length > 0 && error.message.length < 3_000, `a message of ${error.message.length}`);
	return error;
}
