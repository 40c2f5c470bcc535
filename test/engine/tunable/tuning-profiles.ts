/**
 * Values of the engine's tuning constants that make it prefer one path where it has a choice, or that make small
 * months reach what only large ones do. They change which path is taken, and must never change an answer.
 */

import * as tuningModule from "../../../engine/tuning.js";
import * as layoutModule from "../../../formats/layout.js";
import type { Draw } from "../../oracle/draw.js";

/** A module under constants-hook.ts. */
interface TunableModule {
	retune(values: Values): void;
	tuned(): Values;
}

type Values = Readonly<Record<string, unknown>>;

const tuning = tuningModule as unknown as TunableModule;
const layout = layoutModule as unknown as TunableModule;
const SHIPPED = tuning.tuned();
const SHIPPED_LAYOUT = layout.tuned();
const SHIPPED_COSTS = SHIPPED.COST_NS as Readonly<Record<string, number>>;

export interface PathProfile {
	/** Values by constant. */
	readonly constants: Readonly<Record<string, number>>;
	/** Members of COST_NS. */
	readonly costs: Readonly<Record<string, number>>;
}

const NEVER = 1e9;

/** Each prefers one way to order rows that are not in order over all others that it may take. */
export const PATH_PROFILES: Readonly<Record<string, PathProfile>> = {
	"as shipped": { constants: {}, costs: {} },
	"index scan": {
		constants: { NEAR_STEPS_MAX: NEVER, NEAR_BUDGET: NEVER, COARSE_FOLDS_MAX: 0 },
		costs: {},
	},
	"seek cuts": {
		constants: {
			NEAR_STEPS_MAX: 0,
			CLEAR_SHARE: -1,
			COARSE_FOLDS_MAX: 0,
			CUT_SLACK_ROWS: 0,
			LARGE_FOLD_ROWS: 512,
		},
		costs: { countWord: 0, listRow: NEVER, scanStep: 1e-9 },
	},
	"seek cuts, taking rows out": {
		constants: {
			NEAR_STEPS_MAX: 0,
			CLEAR_SHARE: -1,
			COARSE_FOLDS_MAX: 0,
			CUT_SLACK_ROWS: 64,
			LARGE_FOLD_ROWS: 64,
		},
		costs: { countWord: 0, andWord: 0, scanStep: NEVER, listRow: NEVER },
	},
	"seek states": {
		constants: { MERGED_STATES_MAX: 100, STATE_SLACK_ROWS: 2, COARSE_FOLDS_MAX: 0 },
		costs: { seekState: -NEVER },
	},
	"top-N": {
		constants: { NEAR_STEPS_MAX: 0, CLEAR_SHARE: -1, COARSE_FOLDS_MAX: 0 },
		costs: { countWord: NEVER },
	},
	"count peers": {
		constants: { COARSE_FOLDS_MAX: NEVER, COUNTED_ROWS_MIN: 0, DENSE_ROWS_PER_WORD: 0, CLEAR_SHARE: NEVER },
		costs: { countWord: 1e-9 },
	},
	"count peers by row": {
		constants: {
			COARSE_FOLDS_MAX: 1000,
			COUNTED_ROWS_MIN: 0,
			DENSE_ROWS_PER_WORD: 0,
			CLEAR_SHARE: NEVER,
			CLIPPED_POSITIONS_MIN: 2,
			PEER_POSITIONS_MAX: 8,
		},
		costs: { countWord: NEVER },
	},
	"tests in order given up": { constants: { NEAR_STEPS_MAX: 0, NEAR_BUDGET: 1e-3 }, costs: {} },
	"scans and counts given up": {
		constants: {
			NEAR_BUDGET: 0.1,
			FAR_BUDGET: 0.1,
			GIVEN_UP_SHARE: 1e-6,
			CLEAR_SHARE: NEVER,
			COUNTED_ROWS_MIN: 0,
			DENSE_ROWS_PER_WORD: 0,
		},
		costs: {},
	},
};

/** Sets the constants of a profile; all others are as shipped. */
export function usePaths({ constants, costs }: PathProfile): void {
	tuning.retune({ ...SHIPPED, ...constants, COST_NS: { ...SHIPPED_COSTS, ...costs } });
}

/** Lowered values of constants that bound sizes, each of which a small month reaches on both sides. */
const LOWERED: Readonly<Record<string, readonly number[]>> = {
	MERGED_STATES_MAX: [0, 2],
	VALUE_ROWS_MIN: [0, 3],
	VALUE_STATES_MAX: [0, 1, 2],
	UNNARROWED_ROWS_MAX: [0, 1],
	NAME_RUNS_MAX: [0, 2],
	RUN_WORDS: [0, 1, NEVER],
	SEARCHED_RANK_ROWS_MIN: [0, 1],
	LISTED_ROWS_MAX: [0, 4],
	PEER_POSITIONS_MAX: [0, 4],
	NEAR_STEPS_MAX: [0, 8],
	NEAR_BUDGET: [0.1, 1],
	NEAR_SCAN_MIN: [0, 8],
	FAR_BUDGET: [0.1, 1],
	CLEAR_SHARE: [-1, NEVER],
	GIVEN_UP_SHARE: [0.001, 2],
	COARSE_FOLDS_MAX: [0, 2, NEVER],
	COUNTED_ROWS_MIN: [0, 8],
	DENSE_ROWS_PER_WORD: [0, 2],
	CLIPPED_POSITIONS_MIN: [1, 4],
	LARGE_FOLD_ROWS: [1, 4],
	CUT_SLACK_ROWS: [0, 4],
	STATE_SLACK_ROWS: [0, 4],
	INTERPOLATED_MAX: [0, 1],
	DIVISION_SAMPLES: [1, 8],
	SAMPLE_WORDS: [1, 4],
	SAMPLE_ROWS: [1, 8],
	OCCUPIED_STEP: [1, 3],
	SAMPLED_WORDS_MAX: [1, 4],
	LOOKED_UP_ROWS_MAX: [0, NEVER],
	SKIPPED_WORDS_MIN: [1, 2],
	SKIPPED_WORDS_MAX: [1, 4],
	SORTED_KEYS_MAX: [2, 8, 64],
	SORTED_SHARE: [0, NEVER],
	SORTED_ROWS_MIN: [0, 4],
	SPLIT_ROWS_SHARE: [0, 1],
	INSERTION_SORT_ROWS_MAX: [1, 3],
	HISTOGRAM_BITS: [1, 3],
	AGGREGATE_CELLS_MAX: [0, 16],
	INDEX_GROUPING_SHARE: [0, 2],
	HASHED_ROW_CELLS: [0, 4, NEVER],
	HASHED_ROWS_MAX: [0, 10],
	PAIR_GROUPING_SHARE: [0, 2],
	PAIR_NUMBERS_BYTES_MAX: [0, 40_000],
	LARGEST_PAIR_BYTES: [0, 40_000],
	MERGED_GROUPS_BYTES_MAX: [0, 400],
	MERGED_AT_ONCE_MAX: [0, 8],
	NUMBERED_ASKS: [1, NEVER],
	LISTED_CELLS_MIN: [0],
	PARTITION_BITS: [1, 3],
	FEW_CODES_MAX: [0, 4],
	SIMILAR_CANDIDATES_MAX: [2],
	STATE_SEARCH_ROWS: [0, 1, 1 << 30],
	SET_SEARCH_ELEMENTS: [0, 1, 1 << 30],
	COUNTED_VALUE_ROWS: [0, NEVER],
	OFFICE_COUNT_ROWS: [0, NEVER],
	STATE_GROUPS_SHARE: [0, 1],
	COUNTED_BLOCK_WORDS: [1, 3],
	COUNTED_WORDS_MIN: [0],
	PAIRED_CODES_MAX: [0, 64],
	SUMMED_PAIRS_MAX: [0, 2],
	SUMMED_VALUES_MAX: [0, 1],
	SOUGHT_POSITIONS_MAX: [0, 8],
	PROBE_BLOCK: [1, 8],
	PROBED_ROWS: [1, 9],
	PROBED_ROWS_MIN: [0, NEVER],
	SIMD_WORDS_MIN: [0, 4],
	STAGED_WORDS: [4, 8],
	LISTED_WORDS: [1, 3],
	LISTED_SHARE: [1, NEVER],
	NAME_READ_POSTINGS: [0, NEVER],
	SORTED_POSTINGS_MAX: [0, 2],
	SPARSE_ROWS_PER_WORD: [0, 32],
};

/** Random values for one query: a third of the sizes lowered, and costs between free and prohibitive. */
export function useRandomProfile(draw: Draw): void {
	const constants: Record<string, number> = {};
	for (const [name, values] of Object.entries(LOWERED))
		if (draw.oneIn(3)) constants[name] = draw.pick(values);
	// So few rows are seldom tested in vain.
	if (draw.oneIn(4))
		Object.assign(constants, { NEAR_STEPS_MAX: 0, NEAR_BUDGET: 0.1, NEAR_SCAN_MIN: 0, PROBE_BLOCK: 1 });
	const costs: Record<string, number> = {};
	for (const name of Object.keys(SHIPPED_COSTS)) {
		if (draw.oneIn(3)) costs[name] = SHIPPED_COSTS[name] * draw.pick([1e-9, 0.1, 10, 1e9]);
	}
	// So few rows are never worth a binary search.
	if (draw.oneIn(2)) costs.seekState = 0;
	usePaths({ constants, costs });
}

/** Sections that only large months have, in every month built from here on; `false`: as shipped. */
export function buildLargeSections(isLowered: boolean): void {
	layout.retune(
		isLowered
			? {
					CUMULATIVE_ROWS_MIN: 1,
					CUMULATIVE_BUCKETS: 5,
					ORDER_BUCKETS_MAX: 9,
					ORDER_COUNT_POSITIONS: 8,
					HASH_INDEX_VALUES_MIN: 1,
				}
			: SHIPPED_LAYOUT,
	);
}

/** Names of the constants that have lowered values; for the check that none is forgotten. */
export const LOWERED_NAMES: readonly string[] = Object.keys(LOWERED);
export const TUNING_NAMES: readonly string[] = Object.keys(SHIPPED);
