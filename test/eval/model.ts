/**
 * The same questions to a model: any chat-completions API with function calling. Each task's conversation is
 * recorded in a file, and the model's last message judged by whether it holds the truth's values.
 */

import { writeFileSync } from "node:fs";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { post, request } from "../mcp/tool-client.js";
import { namesOf } from "./evaluation.js";
import type { Task } from "./task.js";

export interface Model {
	readonly endpoint: string;
	readonly model: string;
	readonly key: string | undefined;
}

/** Rounds of tool calls that a model has for one question. */
const ROUNDS_MAX = 8;
const RECORD = "rollcall-eval-model.json";

/** The model that the environment names; null: none. */
export function modelFrom(environment: NodeJS.ProcessEnv): Model | null {
	const endpoint = environment.ROLLCALL_EVAL_ENDPOINT;
	if (endpoint === undefined || endpoint === "") return null;
	return {
		endpoint,
		model: environment.ROLLCALL_EVAL_MODEL ?? "default",
		key: environment.ROLLCALL_EVAL_KEY,
	};
}

interface ToolCall {
	readonly id: string;
	readonly function: { readonly name: string; readonly arguments: string };
}
interface Message {
	readonly role: string;
	readonly content: string | null;
	readonly tool_calls?: readonly ToolCall[];
}

async function complete(
	{ endpoint, model, key }: Model,
	messages: unknown[],
	tools: unknown[],
): Promise<Message> {
	const response = await fetch(endpoint, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
		},
		body: JSON.stringify({ model, messages, tools, temperature: 0 }),
	});
	if (!response.ok)
		throw new Error(`the model's endpoint answered ${response.status}: ${await response.text()}`);
	const { choices } = (await response.json()) as { choices: { message: Message }[] };
	return choices[0].message;
}

interface Listed {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: unknown;
}

async function converse(model: Model, served: ServedFixture, task: Task): Promise<unknown[]> {
	const key = await served.key();
	const { body } = await post(served, key, request("tools/list"));
	const listed = (body?.result?.tools ?? []) as Listed[];
	const tools = listed.map(({ name, description, inputSchema }) => ({
		type: "function",
		function: { name, description, parameters: inputSchema },
	}));
	const messages: unknown[] = [
		{ role: "system", content: "Answer by the tools. End with the answer alone, with all of its values." },
		{ role: "user", content: task.question },
	];
	for (let round = 0; round < ROUNDS_MAX; round++) {
		const message = await complete(model, messages, tools);
		messages.push(message);
		if (message.tool_calls === undefined || message.tool_calls.length === 0) break;
		for (const call of message.tool_calls) {
			const { name, arguments: text } = call.function;
			const answer = await post(served, key, request("tools/call", { name, arguments: JSON.parse(text) }));
			const content = answer.body?.result?.content ?? answer.body?.error;
			messages.push({ role: "tool", tool_call_id: call.id, content: JSON.stringify(content) });
		}
	}
	return messages;
}

/** The texts and numbers of a truth. */
function valuesOf(truth: unknown): string[] {
	if (Array.isArray(truth)) return truth.flatMap(valuesOf);
	if (typeof truth === "object" && truth !== null) return Object.values(truth).flatMap(valuesOf);
	return typeof truth === "boolean" ? [] : [String(truth)];
}

/** Has the model answer every task that the full key is asked with; writes what was said to a file. */
export async function evaluateModel(model: Model, data: string, tasks: readonly Task[]): Promise<void> {
	const served = await ServedFixture.start(ANY_TRANSPORT, { data, mcp_messages_per_minute: 0 });
	const record: unknown[] = [];
	let right = 0;
	try {
		const names = namesOf(tasks);
		for (const [i, task] of tasks.entries()) {
			if (task.key !== "full") continue;
			const messages = await converse(model, served, task);
			const last = String((messages.at(-1) as Message).content ?? "").replaceAll(/(?<=\d),(?=\d{3})/g, "");
			const isRight = valuesOf(task.truth).every((value) => last.includes(value));
			if (isRight) right++;
			record.push({ task: names[i], question: task.question, truth: task.truth, isRight, messages });
		}
	} finally {
		await served.stop();
	}
	writeFileSync(RECORD, JSON.stringify(record, null, "\t"));
	console.log(`${model.model}: ${right} of ${record.length} right; conversations in ${RECORD}`);
}
