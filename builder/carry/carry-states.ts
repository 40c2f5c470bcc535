/**
 * Months that receive only some states: the rows of the others come from a published month.
 *
 * `merge` corrects states of a published month: the drop has only these states, and all others are carried over
 * from the month itself. `carry` fills in states that sent nothing: the drop has none of them, and they are
 * carried over from another month. A drop with other states is refused, since carried rows would be duplicated.
 */

import type { SnapshotFiles } from "../../formats/index.js";
import type { ParsedMonth } from "../csv/parsed-month.js";
import { BuildError } from "../errors.js";
import type { SourceFile } from "../input/source-files.js";
import { openPublished, publishedMonths } from "../published-months.js";
import { FLAG_NAMES, type SettingNames } from "../setting-names.js";
import { carriedSource } from "./carried-rows.js";

export interface CarryOptions {
	/** States that the drop corrects; empty: the drop is the whole month. */
	readonly merge: readonly string[];
	/** States whose rows come from `from`. */
	readonly carry: readonly string[];
	/** `YYYY-MM`; null: the newest published month before the one being built. */
	readonly from: string | null;
}

export interface Carried {
	readonly sources: readonly SourceFile[];
	/** States carried over, and their number of rows. */
	readonly states: readonly string[];
	readonly rows: number;
	/** The published months that they come from. */
	readonly months: readonly SnapshotFiles[];
}

/** The sources of rows carried over to `month`. Throws {@link BuildError} `not_published` or `carried_state`. */
export function carriedSources(
	dataFolder: string,
	month: string,
	options: CarryOptions,
	names: SettingNames = FLAG_NAMES,
): Carried {
	const { merge, carry } = options;
	const both = carry.find((state) => merge.includes(state));
	if (both !== undefined)
		throw new BuildError("carried_state", `${both} is both corrected by the files and carried over`);
	const parts: { files: SnapshotFiles; states: readonly string[] }[] = [];
	if (merge.length > 0) {
		const files = openPublished(dataFolder, month);
		const others = files.catalog.states.map(({ state }) => state);
		const kept = others.filter((state) => !merge.includes(state) && !carry.includes(state));
		parts.push({ files, states: kept });
	}
	if (carry.length > 0) {
		const from = options.from ?? publishedMonths(dataFolder).find((other) => other < month);
		if (from === undefined)
			throw new BuildError(
				"not_published",
				`no month before ${month} is published to carry rows from${names.from === null ? "" : `: set ${names.from}`}`,
			);
		const files = openPublished(dataFolder, from);
		const missing = carry.find((state) => files.catalog.states.every((run) => run.state !== state));
		if (missing !== undefined)
			throw new BuildError("carried_state", `${from} has no rows of ${missing} to carry over`);
		parts.push({ files, states: carry });
	}
	const chosen = parts.map(({ files, states }) => ({
		files,
		runs: files.catalog.states.filter(({ state }) => states.includes(state)),
	}));
	return {
		sources: chosen.flatMap(({ files, runs }) => (runs.length === 0 ? [] : [carriedSource(files, runs)])),
		states: chosen.flatMap(({ runs }) => runs.map(({ state }) => state)),
		months: chosen.map(({ files }) => files),
		rows: chosen.reduce((sum, { runs }) => sum + runs.reduce((rows, run) => rows + run.rows, 0), 0),
	};
}

/**
 * Throws {@link BuildError} `carried_state` if the files have rows of states that `options` exclude, or if
 * carried rows were not read back completely.
 */
export function requireCarried(
	parsed: ParsedMonth,
	carried: Carried,
	{ merge }: CarryOptions,
	names: SettingNames = FLAG_NAMES,
): void {
	const sources = parsed.sources.filter((source) => source.carried === true);
	const rows = sources.reduce((sum, source) => sum + source.rows, 0);
	if (rows !== carried.rows)
		throw new BuildError(
			"carried_state",
			`${carried.rows - rows} of ${carried.rows} rows carried over cannot be written as CSV`,
			{ file: sources[0]?.file },
		);
	const given = statesOfFiles(parsed);
	for (const [state, file] of given) {
		if (merge.length > 0 && !merge.includes(state))
			throw new BuildError("carried_state", `it has rows of ${state}, which ${names.merge} does not name`, {
				file,
			});
		if (carried.states.includes(state))
			throw new BuildError(
				"carried_state",
				`it has rows of ${state}, which ${names.carry} takes from another month`,
				{
					file,
				},
			);
	}
	const absent = merge.find((state) => !given.has(state));
	if (absent !== undefined)
		throw new BuildError("carried_state", `the files have no row of ${absent}, which ${names.merge} names`);
}

/** The states in the given files, each with the first file that has it. */
function statesOfFiles(parsed: ParsedMonth): Map<string, string> {
	const found = new Map<string, string>();
	const decoder = new TextDecoder();
	for (const { source, worker, codes } of parsed.parts) {
		const { file, carried } = parsed.sources[source];
		const dictionary = parsed.dictionaries[worker].get("state");
		const rows = codes.get("state");
		if (carried === true || dictionary === undefined || rows === undefined) continue;
		for (const code of new Set(rows)) {
			const { heap, offsets } = dictionary;
			const state = decoder.decode(heap.slice(offsets[code], offsets[code + 1]));
			if (!found.has(state)) found.set(state, file);
		}
	}
	return found;
}
