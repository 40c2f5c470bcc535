/** Results of get_stats, aggregate_licenses and suggest: as many values or groups as fit. */

import type { z } from "zod";
import { aggregateOperation } from "../../api/endpoints/aggregate.js";
import { statsOperation } from "../../api/endpoints/stats.js";
import { suggestOperation } from "../../api/endpoints/suggest.js";
import type { AnyOperation } from "../../api/operation-table.js";
import { GROUPS_MAX } from "../../api/schemas/aggregate-parameters.js";
import type { aggregateResponse } from "../../api/schemas/aggregate-response.js";
import type { statsResponse, suggestResponse } from "../../api/schemas/endpoint-responses.js";
import { answerOf, bodyValue, type ToolAnswer } from "../tool.js";
import { countFitting, NOTE, ROWS_BYTES_MAX } from "./budget.js";

/** Values of each vocabulary without `state`; 62 jurisdictions have hundreds. */
const VALUES_MAX = 15;
/** Values of each vocabulary of one state. */
const VALUES_OF_STATE_MAX = 200;

interface Entry {
	readonly value: string;
	readonly rows: number;
}

/** Vocabularies without their counts by state: the most frequent values of all states, or all values of one. */
export const getStats: ToolAnswer = (given, call) => {
	const { tag, value } = answerOf(statsOperation as AnyOperation, given, call);
	if (tag === null || value === undefined) throw new TypeError("statistics have a tag and a value");
	const most = given.state === undefined ? VALUES_MAX : VALUES_OF_STATE_MAX;
	const { jsonCache } = call.services;
	return jsonCache.json(`tool-${tag}`, () => briefStats(value() as Statistics, most));
};

type Statistics = z.infer<typeof statsResponse>;

/** Statistics with at most `most` values of each vocabulary. */
function briefStats({ data, meta }: Statistics, most: number) {
	const left: string[] = [];
	const brief = (name: "license_status" | "member_type") => {
		const entries = data[name];
		if (entries === undefined) return {};
		const plain = entries.map(({ value, rows }): Entry => ({ value, rows }));
		const shown = Math.min(most, countFitting(plain, ROWS_BYTES_MAX / 2));
		if (shown < entries.length) left.push(`${shown} of ${entries.length} values of ${name}`);
		return { [name]: plain.slice(0, shown) };
	};
	const shown = { ...data, ...brief("license_status"), ...brief("member_type") };
	const notice = `only the most frequent ${left.join(" and ")} are listed; give state to get those of one state`;
	return { data: shown, meta: { ...meta, note: NOTE }, ...(left.length > 0 ? { notice } : {}) };
}

/** The first groups that fit; the others are counted in `other_rows`, as with a lower limit. */
export const aggregateLicenses: ToolAnswer = (given, call) => {
	const { tag, value } = answerOf(aggregateOperation as AnyOperation, given, call);
	if (tag === null || value === undefined) throw new TypeError("aggregates have a tag and a value");
	const { jsonCache } = call.services;
	// Not the tag alone: its fingerprint can be forged.
	return jsonCache.json(`tool-${tag} ${JSON.stringify(given)}`, () => fitting(value() as Aggregates));
};

type Aggregates = z.infer<typeof aggregateResponse>;

function fitting({ data, meta }: Aggregates) {
	const shown = countFitting(data, ROWS_BYTES_MAX);
	const left = data.slice(shown).reduce((sum, { rows }) => sum + rows, 0);
	const cut = shown < data.length;
	const which = meta.compare === undefined ? "largest" : "first";
	const notice = `only the ${which} ${shown} of ${meta.groups} groups are listed; add filters, such as state, to get the others`;
	return {
		data: data.slice(0, shown),
		meta: {
			...meta,
			other_rows: meta.other_rows + left,
			...(cut ? { truncated: true } : {}),
			note: NOTE,
		},
		...(cut || (meta.truncated && data.length === GROUPS_MAX) ? { notice } : {}),
	};
}

export const suggestValues: ToolAnswer = (given, call) => {
	const operation = suggestOperation as AnyOperation;
	const { data, meta } = bodyValue<z.infer<typeof suggestResponse>>(operation, given, call);
	const notice = "more values begin with q than are listed; give more letters, or state";
	return JSON.stringify({ data, meta: { ...meta, note: NOTE }, ...(meta.truncated ? { notice } : {}) });
};
