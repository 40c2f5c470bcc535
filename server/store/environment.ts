/** How the environment of LMDB is opened, what its files are called, and what its failures say. */

/** Reader places in LMDB's lock file: one a thread of each process that has the store open. */
const MAX_READERS = 1024;

export const DATA_FILE = "data.mdb";
export const LOCK_FILE = "lock.mdb";
/** What an operator can do about a damaged store. */
export const REMEDY = "where it is damaged, keys restore brings a backup back";

export const ENVIRONMENT = {
	noSubdir: false,
	maxDbs: 32,
	maxReaders: MAX_READERS,
	// Batches by event turn have a promise that cannot be awaited: a full disk would end the process.
	eventTurnBatching: false,
} as const;

/** What made a commit fail: lmdb rejects with an error that holds a promise of the cause, to be handled too. */
export async function commitErrorOf(error: unknown): Promise<unknown> {
	if (!(error instanceof Error && "commitError" in error)) return error;
	try {
		await error.commitError;
	} catch (cause) {
		return cause;
	}
	return error;
}

/** What an error of LMDB says. */
export function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
