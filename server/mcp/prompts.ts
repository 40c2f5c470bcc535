/** Ready-made tasks that a person picks in a client; each expands to instructions for the agent. */

import type { Prompt as ListedPrompt } from "@modelcontextprotocol/sdk/types.js";
import {
	didYouMean,
	integerRule,
	JURISDICTIONS,
	quoted,
	type Rule,
	RuleViolation,
	stateRule,
	VALUE_LENGTH_MAX,
} from "../../formats/index.js";
import { isObject, type JsonObject } from "./json-rpc.js";
import { RPC } from "./protocol.js";
import { RpcError } from "./rpc-error.js";

interface Prompt {
	readonly listed: ListedPrompt & { readonly arguments: NonNullable<ListedPrompt["arguments"]> };
	text(given: Readonly<Record<string, string>>): string;
}

const STATE = { name: "state", description: "State or province code, such as CA", required: true };

const DAYS_MAX = 3_650;

/** Rules of arguments by name; any other argument is any text. */
const ARGUMENT_RULES: Readonly<Record<string, Rule<string | number>>> = {
	state: stateRule,
	days: integerRule(1, DAYS_MAX),
};

const PROMPTS: readonly Prompt[] = [
	{
		listed: {
			name: "find_expiring_licenses",
			title: "Find licenses expiring soon",
			description: "Active licenses of a state that expire within some days, soonest first.",
			arguments: [
				STATE,
				{ name: "days", description: "Days from today; 60 where not given", required: false },
			],
		},
		text: ({ state, days = "60" }) =>
			`Find the active real-estate licenses in ${state} that expire within the next ${days} days.\n` +
			`1. Call search_licenses with state ${state}, status_group active, expires_after today and ` +
			`expires_before ${days} days from today, sorted by member_license_expires. ` +
			"Where meta.hints says that the state has no statuses, leave status_group out, and say so.\n" +
			"2. Call aggregate_licenses by license_status with the same filters.\n" +
			"3. Report how many there are (pagination.total) and by status, and the soonest to expire with name, office, license number and date.",
	},
	{
		listed: {
			name: "verify_license",
			title: "Verify a license",
			description: "Whether a license exists and is in good standing, and what changed lately.",
			arguments: [STATE, { name: "license_number", description: "License number", required: true }],
		},
		text: ({ state, license_number }) =>
			`Verify the real-estate license ${license_number} in ${state}.\n` +
			`1. Call search_licenses with state ${state} and license_number ${license_number}. Without rows, call verify_licenses, which knows other spellings of a number, and say so.\n` +
			`2. Call get_stats with state ${state} to see what the status means beside the others used there.\n` +
			"3. If whoami shows a history mode other than latest, call license_history and tell what changed and when.\n" +
			"Report holder, type, status, dates and office, and the snapshot's month, since the data is monthly.",
	},
	{
		listed: {
			name: "profile_office",
			title: "Profile an office",
			description: "Who works for an office, by license type and status.",
			arguments: [
				{ name: "office_name", description: "Beginning of the office's name", required: true },
				{ ...STATE, required: false },
			],
		},
		text: ({ office_name, state }) => {
			const where = state === undefined ? "" : ` in ${state}`;
			const too = state === undefined ? "" : ` and state ${state}`;
			return (
				`Profile the real-estate office ${office_name}${where}.\n` +
				`1. Call suggest with field office and q ${office_name}${too} to find how the name is spelled.\n` +
				`2. Call aggregate_licenses by member_type and by license_status with office_name${too} for the head counts.\n` +
				`3. Call search_licenses with office_name${too}, fields member_full_name, member_type, member_license_status, member_license_expires, office_name, office_broker_name, sorted by member_license_expires; for more rows repeat the call with cursor = pagination.next_cursor.\n` +
				"4. Report head count by type and status, who is responsible (office_broker_name), and licenses that are not active or expire soon."
			);
		},
	},
];

export const PROMPT_LIST: readonly ListedPrompt[] = PROMPTS.map((p) => p.listed);

/** The result of `prompts/get`. Throws RpcError for an unknown prompt and for arguments that don't fit it. */
export function getPrompt(params: JsonObject): string {
	const prompt = promptNamed(params.name);
	const given = params.arguments ?? {};
	if (!isObject(given)) throw new RpcError(RPC.invalidParams, "arguments must be an object of texts");
	const read: Record<string, string> = {};
	for (const { name, required } of prompt.listed.arguments) {
		const value = given[name];
		if (value !== undefined && (typeof value !== "string" || value.length > VALUE_LENGTH_MAX))
			throw new RpcError(
				RPC.invalidParams,
				`argument ${name} must be text of up to ${VALUE_LENGTH_MAX} characters`,
			);
		if (value !== undefined && value.trim() !== "") read[name] = checkedArgument(name, value.trim());
		else if (required) throw new RpcError(RPC.invalidParams, `argument ${name} is required`);
	}
	return JSON.stringify({
		description: prompt.listed.description,
		messages: [{ role: "user", content: { type: "text", text: prompt.text(read) } }],
	});
}

/** The value as its rule reads it. Throws RpcError for one that breaks the rule. */
function checkedArgument(name: string, value: string): string {
	const read = Object.hasOwn(ARGUMENT_RULES, name) ? ARGUMENT_RULES[name](value) : value;
	if (read instanceof RuleViolation)
		throw new RpcError(RPC.invalidParams, `argument ${name} ${read.message}`);
	return String(read);
}

function promptNamed(name: unknown): Prompt {
	if (typeof name !== "string") throw new RpcError(RPC.invalidParams, "name must be text");
	const found = PROMPTS.find((p) => p.listed.name === name);
	if (found !== undefined) return found;
	const names = PROMPTS.map((p) => p.listed.name);
	throw new RpcError(RPC.invalidParams, `no prompt ${quoted(name)}${didYouMean(name, names)}`);
}

/** Most values that a completion may hold (set by the protocol). */
const COMPLETIONS_MAX = 100;

/** The result of `completion/complete`: the argument `state` of prompts and templates is completed, others are not. */
export function complete(params: JsonObject): string {
	const { ref, argument } = params;
	if (!isObject(ref) || (ref.type !== "ref/prompt" && ref.type !== "ref/resource"))
		throw new RpcError(RPC.invalidParams, "ref must name a prompt or a resource");
	if (!isObject(argument) || typeof argument.name !== "string" || typeof argument.value !== "string")
		throw new RpcError(RPC.invalidParams, "argument must have a name and a value");
	if (ref.type === "ref/prompt") promptNamed(ref.name);
	const values = argument.name === "state" ? statesBeginning(argument.value) : [];
	const shown = values.slice(0, COMPLETIONS_MAX);
	return JSON.stringify({
		completion: { values: shown, total: values.length, hasMore: values.length > shown.length },
	});
}

/** Codes that begin with `text`, then those whose names do. */
function statesBeginning(text: string): string[] {
	const wanted = text.trim().toLowerCase();
	const byCode = JURISDICTIONS.filter(({ state }) => state.toLowerCase().startsWith(wanted));
	const byName = JURISDICTIONS.filter(
		(jurisdiction) => !byCode.includes(jurisdiction) && jurisdiction.name.toLowerCase().startsWith(wanted),
	);
	return [...byCode, ...byName].map(({ state }) => state);
}
