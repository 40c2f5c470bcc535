/**
 * What the kernels cost, in nanoseconds as measured by `npm run bench -- micro` on one core of a 2020s
 * server, and more where whole queries have them wait for memory. Only their ratios matter: they decide
 * between ways that give the same answer.
 */
export const COST_NS = {
	/** Read, combine and write one 32-bit word of a bitmap. */
	andWord: 1.1,
	/** Count one word of a bitmap, or of what it shares with a stored one, which comes from memory. */
	countWord: 0.5,
	/** Clear one word of a scratch bitmap. */
	clearWord: 0.1,
	/** Set one row's bit from a slice. */
	setRow: 1.9,
	/** Take one row of a slice or of a bitmap into a list. */
	listRow: 1.5,
	/** Test one listed row against one predicate, where the list ascends. */
	testRow: 4,
	/** The same where rows lie in any order: their codes come from memory, each from a page of its own. */
	testFarRow: 20,
	/** Test one row of a run against one predicate, reading codes in order. */
	scanRow: 1.9,
	/** Step over one position of a permutation, counting its row in a bitmap; the positions come from memory. */
	walkStep: 2.5,
	/** List the row of one position of a permutation, if it is in a bitmap. */
	listStep: 3,
	/** Look for rows in one word of a bitmap. */
	listWord: 0.9,
	/** List the rows of a word that has some. */
	listOccupied: 4,
	/** Count one listed row by its bucket of a sort order, and keep it if it lies near a page. */
	narrowRow: 2.8,
	/** Select one row of a bitmap, or of a list that ascends, by its sort key. */
	selectRow: 4.5,
	/** Select one row of a list that does not ascend by its sort key. */
	selectFarRow: 8,
} as const;
