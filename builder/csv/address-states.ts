/**
 * Recognises sources whose `state` is probably the one of the licensees' addresses: rosters of one licensing body often
 * have such a column, by the name of ours, and the licensing state nowhere.
 */

import type { ColumnName } from "../../formats/domain/columns.js";
import type { SourcePlan } from "../input/source-plan.js";
import type { ParsedPart, WorkerDictionary } from "./parsed-month.js";

/** Other states that a roster has, at least, if its states are those of addresses. */
const OTHER_STATES_MIN = 3;

/**
 * By source, if its states are probably of addresses: its rows of other states than the most frequent one, which has
 * more than half of the rows. Never a source with another column for the state of the address. Cost O(rows).
 */
export function rowsOfAddressStates(
	parts: readonly ParsedPart[],
	dictionaries: readonly Map<ColumnName, WorkerDictionary>[],
	plans: readonly SourcePlan[],
): Map<number, number> {
	const found = new Map<number, number>();
	for (const { source } of plans.filter(mayBeOfAddresses)) {
		const counts = [
			...statesOf(
				parts.filter((part) => part.source === source),
				dictionaries,
			).values(),
		];
		const rows = counts.reduce((sum, count) => sum + count, 0);
		const most = Math.max(0, ...counts);
		if (2 * most > rows && counts.length > OTHER_STATES_MIN) found.set(source, rows - most);
	}
	return found;
}

/** Whether a source has cells for `state`, and none besides for the state of the address. */
function mayBeOfAddresses({ targets, constants }: SourcePlan): boolean {
	const fieldOf = (name: ColumnName) => targets.find(({ column }) => column === name)?.field;
	const [state, address] = [fieldOf("state"), fieldOf("member_state_or_province")];
	const isSet = constants.some(({ column }) => column === "member_state_or_province");
	return state !== undefined && !isSet && (address === undefined || address === state);
}

/** Rows by state. */
function statesOf(
	parts: readonly ParsedPart[],
	dictionaries: readonly Map<ColumnName, WorkerDictionary>[],
): Map<string, number> {
	const rows = new Map<string, number>();
	for (const { worker, codes } of parts) {
		const dictionary = dictionaries[worker].get("state");
		const states = codes.get("state");
		if (dictionary === undefined || states === undefined) continue;
		const counts = new Uint32Array(dictionary.count);
		for (const code of states) counts[code]++;
		counts.forEach((count, code) => {
			if (count === 0) return;
			const { heap, offsets } = dictionary;
			const state = Buffer.from(heap.slice(offsets[code], offsets[code + 1])).toString("utf8");
			rows.set(state, (rows.get(state) ?? 0) + count);
		});
	}
	return rows;
}
