/**
 * What the kernels cost, in nanoseconds as measured by `npm run bench -- micro` on one core of a
 * 2020s server. Only their ratios matter: they decide between ways that give the same answer.
 */
export const COST_NS = {
	/** Read, combine and write one 32-bit word of a bitmap. */
	andWord: 1.1,
	/** Count one word of a bitmap, or of two combined. */
	countWord: 1.3,
	/** Clear one word of a scratch bitmap. */
	clearWord: 0.1,
	/** Set one row's bit from a slice. */
	setRow: 1.9,
	/** Take one row of a slice into a list. */
	listRow: 1,
	/** Test one listed row against one predicate, where the list ascends. */
	testRow: 6,
	/** The same where rows lie in any order: their codes come from memory, each from a page of its own. */
	testFarRow: 20,
	/** Test one row of a run against one predicate, reading codes in order. */
	scanRow: 1.2,
	/** Step over one position of a permutation, counting its row in a bitmap; the positions come from memory. */
	walkStep: 2.2,
	/** List the row of one position of a permutation, if it is in a bitmap. */
	listStep: 3,
	/** Look for rows in one word of a bitmap. */
	listWord: 0.6,
	/** Select one row of a bitmap by its sort key. */
	selectRow: 6,
	/** Wait for the codes of the rows of one word, which come from memory. */
	selectWord: 24,
	/** Select one row of a list that does not ascend by its sort key, which is read twice. */
	selectFarRow: 35,
	/** List one row of a bitmap and narrow the list to a page's few groups. */
	narrowRow: 9,
} as const;
