/** What a build is asked to do, and what follows from it alone. */

import { hasStoredRows, newestPublished, type Profile } from "../../formats/index.js";
import type { CarryOptions } from "../carry/carry-states.js";
import type { GateLimits, GateName } from "../gates/gate.js";
import type { SettingNames } from "../setting-names.js";
import type { BuildProgress } from "./build-progress.js";

export interface BuildOptions {
	readonly files: readonly string[];
	readonly dataFolder: string;
	/** `YYYY-MM`; null: from the files' names. */
	readonly month: string | null;
	/** Paths of map files. */
	readonly maps: readonly string[];
	readonly dateFormat: string | null;
	/** Names that headers may use besides ours. Default: none. */
	readonly profile?: Profile | null;
	/** Contacts files with matched e-mail addresses and phone numbers. Default: none. */
	readonly enrich?: readonly string[];
	/** File of additional status and type groups; null: only the built-in table. Default: null. */
	readonly groups?: string | null;
	/** Replace the published month, which is retired. Default: false. */
	readonly replace?: boolean;
	/** States whose rows come from published months. Default: none. */
	readonly carry?: CarryOptions;
	/** Gates whose failure is accepted. */
	readonly accept: ReadonlySet<GateName>;
	/** Default: `DEFAULT_LIMITS`. */
	readonly limits?: GateLimits;
	/** How messages name settings. Default: `FLAG_NAMES`. */
	readonly names?: SettingNames;
	/** Do everything but publish. */
	readonly dryRun: boolean;
	/** Keep the month as held, to be published by its release. Default: false. */
	readonly hold?: boolean;
	/** Called right before the month is published or held; what it throws keeps that from happening. */
	readonly confirm?: () => void;
	/**
	 * Whether rows are stored whole. `newest`: if no newer month is published, and an older month's are dropped
	 * then; a month that replaces one with stored rows has them too.
	 */
	readonly rowStore: boolean | "newest";
	/** Worker threads; null: one per core, and none for a small drop. */
	readonly threads: number | null;
	/** Bytes per parsing task. Default: the parser's. */
	readonly chunkBytes?: number;
	readonly now: () => Date;
	readonly onProgress?: (progress: BuildProgress) => void;
}

/** Whether a build takes the place of the published month. */
export function replacesMonth({ replace = false, carry }: BuildOptions): boolean {
	return replace || (carry !== undefined && carry.merge.length > 0);
}

/** Whether the rows of `month` are stored whole. */
export function storesRows(options: BuildOptions, month: string): boolean {
	const { rowStore, dataFolder } = options;
	if (rowStore !== "newest") return rowStore;
	const newest = newestPublished(dataFolder);
	if (newest === null || newest <= month) return true;
	return replacesMonth(options) && hasStoredRows(dataFolder, month);
}
