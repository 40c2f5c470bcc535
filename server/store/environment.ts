/** Options of the LMDB environment, names of its files, and texts of its errors. */

/** Reader slots in LMDB's lock file: one per thread of each process that has the store open. */
const MAX_READERS = 1024;

export const DATA_FILE = "data.mdb";
export const LOCK_FILE = "lock.mdb";
/** What an operator can do about a damaged store. */
export const REMEDY = "where it is damaged, keys restore brings a backup back";

export const ENVIRONMENT = {
	noSubdir: false,
	maxDbs: 32,
	maxReaders: MAX_READERS,
	// Batches per event turn have a promise that cannot be awaited, so a full disk would end the process.
	eventTurnBatching: false,
} as const;

/**
 * The cause of a failed commit: lmdb rejects with an error that contains a promise of the cause, which must be
 * handled too.
 */
export async function commitErrorOf(error: unknown): Promise<unknown> {
	if (!(error instanceof Error && "commitError" in error)) return error;
	try {
		await error.commitError;
	} catch (cause) {
		return cause;
	}
	return error;
}

/** The message of an error of LMDB. */
export function reason(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
