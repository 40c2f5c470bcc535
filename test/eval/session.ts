/**
 * What a policy has to work with: the list of tools, calls and their answers. A policy may use a tool or an
 * argument only if the list names it, as an agent that knows nothing else.
 *
 * Counts calls, and the tokens of their answers as text (o200k_base).
 */

import assert from "node:assert/strict";
import { getEncoding } from "js-tiktoken";
import type { ServedFixture } from "../http/served.js";
import { post, request } from "../mcp/tool-client.js";

const encoding = getEncoding("o200k_base");

export function tokensOf(text: string): number {
	return encoding.encode(text).length;
}

export type Args = Readonly<Record<string, unknown>>;
export type Row = Readonly<Record<string, unknown>>;

/** An answer of a tool: its result, or the error that it reports. */
export interface Reply {
	readonly ok: boolean;
	readonly code: string;
	readonly message: string;
	readonly retryAfterS: number | null;
	/** The structured content; empty for an error. */
	readonly data: unknown;
	readonly meta: Row;
	readonly pagination: Row;
	readonly notice: string;
	/** Rows as objects, where the result has `columns` and `rows`. */
	readonly rows: readonly Row[];
	readonly columns: readonly string[];
}

interface ListedTool {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: { readonly properties: Row };
}

/** A policy used what the list of tools does not name. */
export class NotDescribedError extends Error {}

export class Session {
	calls = 0;
	tokens = 0;

	private constructor(
		readonly served: ServedFixture,
		readonly key: string,
		readonly tools: readonly ListedTool[],
	) {}

	static async open(served: ServedFixture, key: string): Promise<Session> {
		const { body } = await post(served, key, request("tools/list"));
		return new Session(served, key, body?.result?.tools as ListedTool[]);
	}

	/** Whether a description or a name of an argument of any tool says `words`. */
	says(words: RegExp): boolean {
		return words.test(JSON.stringify(this.tools));
	}

	takes(name: string, argument: string): boolean {
		const tool = this.tools.find((each) => each.name === name);
		return tool !== undefined && argument in tool.inputSchema.properties;
	}

	/** Calls a tool. `trying`: as an agent that guesses arguments, to see the error. */
	async call(name: string, args: Args, trying = false): Promise<Reply> {
		if (!trying)
			for (const argument of Object.keys(args))
				if (!this.takes(name, argument)) throw new NotDescribedError(`${name} lists no ${argument}`);
		const { status, body } = await post(
			this.served,
			this.key,
			request("tools/call", { name, arguments: args }),
		);
		assert.equal(status, 200, JSON.stringify(body));
		this.calls++;
		// A tool that does not exist is a fault of the protocol, which clients hand to the agent, too.
		if (body?.error !== undefined) {
			const { code, message } = body.error;
			this.tokens += tokensOf(message);
			return refused([JSON.stringify({ error: { code: String(code), message } })]);
		}
		assert.ok(body?.result !== undefined);
		const { isError = false, content } = body.result as unknown as {
			isError?: boolean;
			content: { text: string }[];
		};
		for (const { text } of content) this.tokens += tokensOf(text);
		return isError ? refused(content.map(({ text }) => text)) : answered(JSON.parse(content[0].text));
	}

	/** A download over HTTP, as a user would make it on the agent's advice. */
	async download(path: string): Promise<string> {
		const { status, text } = await this.served.request(path, this.key);
		assert.equal(status, 200, text);
		return text;
	}
}

const NOTHING: Row = {};

function refused([text, remedy = ""]: string[]): Reply {
	const { code, message, retry_after_s } = JSON.parse(text).error;
	return {
		ok: false,
		code,
		message: `${message} ${remedy}`.trim(),
		retryAfterS: retry_after_s ?? null,
		data: null,
		meta: NOTHING,
		pagination: NOTHING,
		notice: "",
		rows: [],
		columns: [],
	};
}

function answered(body: Record<string, unknown>): Reply {
	const columns = (body.columns ?? []) as string[];
	const rows = (body.rows ?? []) as unknown[][];
	return {
		ok: true,
		code: "",
		message: "",
		retryAfterS: null,
		data: body.data ?? null,
		meta: (body.meta ?? NOTHING) as Row,
		pagination: (body.pagination ?? NOTHING) as Row,
		notice: String(body.notice ?? ""),
		rows: rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
		columns,
	};
}
