/**
 * Tuning constants of the engine. Changing one changes which access path a query takes and how fast it
 * is, never its answer. Each constant states its unit, where the value comes from, and when to change it.
 *
 * "micro" is `npm run bench -- micro` (kernels alone), "engine" is `npm run bench -- engine` (whole
 * queries by shape), both on one core of a 2020s server over 2.5 million rows. Change one constant at a
 * time and compare all shapes in interleaved runs.
 */

/**
 * Cost model: nanoseconds per element of each kernel, from micro, raised where whole queries wait for
 * main memory. Only the ratios matter. Re-measure when a kernel changes or on another kind of processor.
 */
export const COST_NS = {
	/**
	 * Read, combine and write one 32-bit word of a bitmap. The SIMD kernels take 0.2 where both operands are cached; lower
	 * this only with all shapes compared, since it decides between bitmaps and lists everywhere.
	 */
	andWord: 1.1,
	/** Count the bits of one word, or of its intersection with a stored bitmap, which is read from memory. */
	countWord: 0.5,
	/** Clear one word of a scratch bitmap. */
	clearWord: 0.1,
	/** Set the bit of one row of a list. */
	setRow: 1,
	/** Find where a page begins and ends in one state's order: some binary searches that read from memory (engine, "three states, sorted, deep"). */
	seekState: 4000,
	/** Find where a value begins in one state's order: some ten steps that read from memory (bench http, "expiry window over three states"). */
	searchState: 600,
	/** Find the run of a last name in one state: two binary searches from near it. */
	nameRun: 200,
	/** Begin one slice of several: its bounds and first rows are read from memory. */
	openSlice: 100,
	/** Copy one row of a slice or of a bitmap to a list. */
	listRow: 1.5,
	/** Test one row of an ascending list against one predicate. */
	testRow: 4,
	/** The same for a list in any other order: nearly every code is a cache miss. */
	testFarRow: 20,
	/** Test one listed row against a stored bitmap, of which even a month of millions of rows fits the second-level cache. */
	testBit: 3,
	/** Test one row of a run against one predicate, reading codes sequentially. */
	scanRow: 1.9,
	/** Test one position of an index against a bitmap; the positions are read from memory. */
	scanStep: 1,
	/** Estimate a page's position by a sample of the rows: some hundred codes are read from memory. */
	sample: 30_000,
	/** Test one position of a state's order against a bitmap, whose words of that state stay in the cache. */
	countStep: 0.9,
	/** List the row of one position of an index if a bitmap has it. */
	listStep: 1.2,
	/** Look for set bits in one word of scratch memory, with SIMD. */
	listWord: 0.2,
	/** List the rows of a word that has any. */
	listOccupied: 4,
	/** Count one listed row by its bucket of a sort order, and keep it if the bucket overlaps the page. */
	narrowRow: 2.8,
	/** List one row of a bitmap and count it by its code (bench engine, "aggregate by license_status, weak filter"). */
	groupRow: 2.7,
	/** Test one row of an ascending list against a bitmap in scratch memory, without a branch. */
	probeRow: 1,
	/** Select by sort key among the rows of a bitmap or of an ascending list, per row. */
	selectRow: 4.5,
	/** The same for a list in any other order. */
	selectFarRow: 8,
} as const;

// Planning.

/** States. A merge compares the next row of every state for each row of the page; above this, other paths win (engine, "a few states"). */
export const MERGED_STATES_MAX = 16;

/** Rows. A rarer value is listed outright: cheaper than finding its states by binary search. Raise if listing gets cheaper. */
export const VALUE_ROWS_MIN = 4096;

/** States. Values that have more states than this in common count as being everywhere. */
export const VALUE_STATES_MAX = 24;

/** Rows. Up to this many rows of all states are tested one by one, which is cheaper than a binary search for one state's. */
export const UNNARROWED_ROWS_MAX = 16;

/** Runs. Last names are narrowed to runs of rows while names × states is at most this: two binary searches each, 0.2 µs. */
export const NAME_RUNS_MAX = 512;

/**
 * Words of a bitmap that cost as much as one more run: with one status, 500 runs of last names take 0.4 µs each and
 * 78,000 words 1.7 ns each; with five statuses 0.95 µs and 12.6 ns. Raise if combining words gets cheaper.
 */
export const RUN_WORDS = 200;

/**
 * Rows of a rank, for each range of words. Where ranks have as many, the rows of a range are searched for in each, and
 * not set all over the month: two searches that read from memory, as long as 64 rows (engine, "three states").
 */
export const SEARCHED_RANK_ROWS_MIN = 64;

// Ordering.

/** Rows. Runs with at most this many rows are listed and sorted; larger ones become a bitmap (engine, "a few runs"). */
export const LISTED_ROWS_MAX = 4096;

/** Positions. Peers with more positions may be narrowed to a bitmap of their own instead of being listed. */
export const PEER_POSITIONS_MAX = 16_384;

/** Positions. Up to this distance a page is scanned to without sampling first, since a sample costs nearly as much (30 µs). */
export const NEAR_STEPS_MAX = 49_152;

/** Factor. A scan without a sample goes at most this many times as far as a uniform distribution predicts. */
export const NEAR_BUDGET = 2;

/** Positions. A scan without a sample goes at least as far before it is given up: a sample and another path cost as much. */
export const NEAR_SCAN_MIN = 65_536;

/** Factor. A scan or a count that follows a sample may take this many times what the sample predicts before it is given up. */
export const FAR_BUDGET = 2;

/** Share. A scan or a count is chosen only if its estimate is below this share of the alternative: a sample may place the page too near. */
export const CLEAR_SHARE = 0.7;

/** Share. A scan or a count is given up when it has cost this share of the alternative. */
export const GIVEN_UP_SHARE = 0.75;

/** Folds. In a column with at most this many distinct folds, peers may be counted one by one. */
export const COARSE_FOLDS_MAX = 256;

/** Rows, and rows per word. Peers are counted only in bitmaps at least this large and dense; smaller ones are listed in one pass. */
export const COUNTED_ROWS_MIN = 16_384;
export const DENSE_ROWS_PER_WORD = 0.75;

/** Positions. Smaller peers are tested whole: finding those within a bitmap's words costs two binary searches. */
export const CLIPPED_POSITIONS_MIN = 1024;

/** Rows. A fold with at least this many rows at a page's edge is ordered on its own; smaller folds are sorted together with their neighbours. */
export const LARGE_FOLD_ROWS = 16_384;

/** Rows. At most this many rows between a cut and the page are sorted along with it instead of looking for a nearer cut. */
export const CUT_SLACK_ROWS = 8192;

/** Rows. At most this many rows beside the page are sorted along with it instead of dividing states' orders nearer to it (engine, "three states, sorted, deep"). */
export const STATE_SLACK_ROWS = 256;

/** Divisions of states' orders that are placed by a sample; further ones halve them, which bounds their number. */
export const INTERPOLATED_MAX = 8;

/** Values that place a division of states' orders, of all states together: each takes a few reads from memory. */
export const DIVISION_SAMPLES = 64;

/** Cuts that a search counts rows up to, on average (engine, all deep shapes). Enters the cost model only. */
export const CUTS_COUNTED = 3;

/** Slices between two cuts that a page overlaps, on average. Enters the cost model only. */
export const CUT_SLICES_TAKEN = 1.5;

/** Words, and rows. Size of a sample: rows of one word are correlated, so many words matter more than many rows. Error about 4 %. */
export const SAMPLE_WORDS = 512;
export const SAMPLE_ROWS = 512;

/** Words. One word in this many is read to estimate how many have any row. */
export const OCCUPIED_STEP = 16;

/** Words sampled at most, where few have rows. */
export const SAMPLED_WORDS_MAX = 8192;

/** Keys. Lists up to this length are radix-sorted whole (kernels/sort.ts holds indexes of 16 bits). */
export const SORTED_KEYS_MAX = 1024;

/**
 * Factor, and rows. A list with at most this many times the rows of the page, or so many rows, is sorted without narrowing
 * it to the page's buckets first (engine, "thirty states, rare status").
 */
export const SORTED_SHARE = 2;
export const SORTED_ROWS_MIN = 64;

/** Factor. A list with this many times the rows of the page's buckets is narrowed to these before it is split. */
export const SPLIT_ROWS_SHARE = 4;

/** Rows. Peers up to this many are sorted by insertion, comparing rows; more go to the next column's keys. */
export const INSERTION_SORT_ROWS_MAX = 12;

/** Bits of a histogram's bucket number when keys are partitioned: 8 KiB of counters stay in the first-level cache. */
export const HISTOGRAM_BITS = 11;

/** Share, as 1 / n. Up to this share of all rows, a selection or a group is listed instead of scanning an index for it (engine, pages by cursor). Follows from COST_NS. */
export const LISTED_SHARE = 64;

// Names.

/** Postings. Reading the words of one row's name costs as much as setting this many postings in a bitmap (bench names). Raise if names get slower to read. */
export const NAME_READ_POSTINGS = 60;

/** Postings. Up to this many are sorted; more are listed through a bitmap, which is cleared for every search (bench names). */
export const SORTED_POSTINGS_MAX = 512;

// Aggregates.

/** Cells. Two dimensions with at most this many combinations are counted in an array (16 MiB), else sorted by one of them. */
export const AGGREGATE_CELLS_MAX = 1 << 22;

/**
 * Bits of a partition's number when rows are grouped by two dimensions (bench engine, "aggregate by member_city and
 * office_name"): 256 places are written to in turn without missing the translation buffer; 1,024 took a third
 * longer, and 64 leave partitions that outgrow the second-level cache.
 */
export const PARTITION_BITS = 8;

/**
 * Share of the snapshot's rows from which on a selection is grouped as a bitmap and not as a list: a bitmap is
 * combined with stored bitmaps, stored counts and, by two dimensions, with the rows of each group. Smaller ones that are
 * bitmaps are grouped so by states, and by few values where COST_NS has that cheaper.
 */
export const INDEX_GROUPING_SHARE = 0.2;

/** Counters. Clearing and reading this many takes as long as grouping one row in a hash table (bench engine, "aggregate by office_name"). */
export const HASHED_ROW_CELLS = 32;

/** Rows. More are sorted where there are too many combinations of groups to count in an array. */
export const HASHED_ROWS_MAX = 4096;

/**
 * Share of the snapshot's rows from which on a selection is grouped by the numbers of pairs, which takes 2 ns a row
 * and some for each pair of the month, where sorting takes 20 ns a row (bench engine, "aggregate by").
 */
export const PAIR_GROUPING_SHARE = 0.05;

/** Times that a pair is asked for before it is numbered, which takes as long as two or three questions without numbers. */
export const NUMBERED_ASKS = 2;

/**
 * Cells. Large selections by two dimensions with more combinations are counted along the rows of each group of one
 * of them: an array of as many counters outgrows the second-level cache (bench engine, "aggregate by").
 */
export const LISTED_CELLS_MIN = 1 << 18;

/** Bytes of pair numbers that a thread keeps: those of four to ten pairs of dimensions of 2.5 million rows. */
export const PAIR_NUMBERS_BYTES_MAX = 128 << 20;

/** Bytes of a single pair's numbers, which may exceed {@link PAIR_NUMBERS_BYTES_MAX} and then evict all others: 33 million rows. */
export const LARGEST_PAIR_BYTES = 512 << 20;

/** Bytes of merged groups that a thread keeps, four a distinct value of each month: some twenty pairs of months by office. */
export const MERGED_GROUPS_BYTES_MAX = 32 << 20;

/** Distinct values of both months together that are merged at once, in some tenths of a millisecond, and not in slices. */
export const MERGED_AT_ONCE_MAX = 1 << 12;

/** Rows grouped by office and state, at 1 ns, in the time of counting one office by its postings: 17 to 65 ns of 2.5 million rows. */
export const OFFICE_COUNT_ROWS = 64;

/** Groups of states, as a share of rows. Dimensions with more are grouped row by row: of 2.5 million rows offices have 0.12. */
export const STATE_GROUPS_SHARE = 0.25;

/** Codes. Columns with at most this many are counted by the stored bitmaps of their codes. */
export const FEW_CODES_MAX = 256;

/** License numbers. At most this many with a key in common are compared for a similar one. */
export const SIMILAR_CANDIDATES_MAX = 256;

// Grants.

/**
 * Rows whose codes are read in the time of one search in a state's order (bench compare, "granted states"). The set of
 * a grant's values is made when the searches for single values have taken as long.
 */
export const STATE_SEARCH_ROWS = 256;

/** Elements of states' sets that are united in the time of one search in one of them (bench compare, "granted states"). */
export const SET_SEARCH_ELEMENTS = 32;

/** Rows of a value, on average, up to which single values are looked for in their postings instead of in a set of all. */
export const LOOKED_UP_ROWS_MAX = 4;

// Hints.

/**
 * Rows counted by code in the time of counting one value within one run by binary search (bench http, pages asked
 * once: last names that a state does not have).
 */
export const COUNTED_VALUE_ROWS = 128;

/**
 * Words of a block of which the rows of a selection are counted (engine, "status and type, deep"). Counting by block takes
 * 2 µs of 31 the first time; with 256 words 6, which makes other pages 4 % faster; with 4096 words these take 1.1 of the time.
 */
export const COUNTED_BLOCK_WORDS = 1024;

/** Words. The rows of a selection within fewer are not counted by block: finding them takes 1 to 2 µs, and counting them 6 (engine, "state, name and status"). */
export const COUNTED_WORDS_MIN = 1024;

/** Codes. Two columns whose codes make more pairs than this are not counted by pair. */
export const PAIRED_CODES_MAX = 1 << 16;

/** Pairs. The counts of more are not summed: these take 1 to 2 µs, and combining their bitmaps 10 to 30 (engine, "status and type, deep"). */
export const SUMMED_PAIRS_MAX = 64;

/** Values. The counts of more are not summed along an order: a binary search reads a dozen counts of each. */
export const SUMMED_VALUES_MAX = 16;

/**
 * Positions. A page that spreads over more, or over more than the selection has rows, is selected from all rows instead: testing
 * a position is a cache miss, 5 to 20 ns, and selecting from a list takes 10 ns a row (engine, "one status of as many rows").
 */
export const SOUGHT_POSITIONS_MAX = 16_384;

// Kernels.

/** Positions whose matches are counted without a branch before checking whether the page was reached. */
export const PROBE_BLOCK = 256;

/** Rows. As many are copied to WebAssembly memory at a time to be looked up in a bitmap: they stay in the first-level cache. */
export const PROBED_ROWS = 4096;

/** Rows. Fewer are looked up in JavaScript: copying and calling takes as long as 200 of them. */
export const PROBED_ROWS_MIN = 256;

/** Words. Bitmaps shorter than this are counted in JavaScript: the call into WebAssembly costs about as much. */
export const SIMD_WORDS_MIN = 256;

/** Words. Minimum and maximum block size of the galloping search for a page's first row: counting a block with SIMD takes a tenth of the time of skipping rows word by word. */
export const SKIPPED_WORDS_MIN = 64;
export const SKIPPED_WORDS_MAX = 8192;

/** Words copied to WebAssembly memory at a time to be combined or counted: two such parts and the target stay in the processor's caches. */
export const STAGED_WORDS = 8192;

/** Words whose rows are listed at a time: the rows of some, or the indexes of those that have any, stay in the caches until they are read. */
export const LISTED_WORDS = 2048;

/** Rows per word. Up to this density most occupied words have one or two rows and are listed two at a time, else four (micro). */
export const SPARSE_ROWS_PER_WORD = 1.6;

// Rendering.

/** Values. Dictionaries with fewer values stay in the processor's cache and are not read ahead. */
export const READ_AHEAD_DISTINCT_MIN = 20_000;

/** Rows. Pages with fewer rows are not read ahead. */
export const READ_AHEAD_ROWS_MIN = 8;

/**
 * Rows whose values are read ahead at a time, before these rows are written: their lines fit the L2 cache. CSV of
 * 60,000 rows from the columns takes 155 ms of CPU with 32 to 128, 245 with 512 (2 MiB of L2 for two cores).
 */
export const READ_AHEAD_VALUE_ROWS = 128;

/** Rows whose offsets are read at a time when stored rows are read ahead. */
export const READ_AHEAD_BLOCK_ROWS = 1024;

/** Projections whose cells are kept per snapshot. A grant together with `fields` makes one; the cache is emptied when full. */
export const CACHED_PROJECTIONS_MAX = 256;
