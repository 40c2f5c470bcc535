/**
 * What a tool server offers: its tools, and what tests add to call the protocol's dispatch by fixtures of
 * their own.
 */

import type { Prompt, Resource, ResourceTemplate } from "@modelcontextprotocol/sdk/types.js";
import { callTool } from "./call-tool.js";
import { connectorTools } from "./connectors/connector-tools.js";
import type { JsonObject } from "./json-rpc.js";
import type { OfferedTool } from "./tool.js";
import { TOOLS } from "./tools.js";

/** Tools, resources and prompts besides the server's own. */
export interface AddedOffers {
	readonly tools: readonly OfferedTool[];
	readonly resources: readonly Resource[];
	readonly templates: readonly ResourceTemplate[];
	readonly prompts: readonly Prompt[];
	/** JSON text of the result of a method that names an added resource or prompt; null: it names none. */
	answer(method: string, params: JsonObject): string | null;
}

export interface Offering {
	readonly tools: readonly OfferedTool[];
	/** Null: nothing is added. */
	readonly added: AddedOffers | null;
}

export interface OfferingOptions {
	/** Whether `search` and `fetch` are offered, to hosts that know only these. */
	readonly connectors: boolean;
	/** Where clients reach the API. */
	readonly apiUrl: string;
	readonly added?: AddedOffers | null;
}

export function offeringOf({ connectors, apiUrl, added = null }: OfferingOptions): Offering {
	const own = TOOLS.map(
		(tool): OfferedTool => ({
			listed: tool.listed,
			result: (given, call) => callTool(tool, given, call),
		}),
	);
	return { tools: [...own, ...(connectors ? connectorTools(apiUrl) : []), ...(added?.tools ?? [])], added };
}
