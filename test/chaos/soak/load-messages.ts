/** What a soak and its load generator say to each other. Both are ours and of one build. */

import type { Allowed } from "./judge.js";
import type { OracleOptions } from "./oracle-thread.js";
import type { KeyClass } from "./soak-keys.js";
import type { Stretch } from "./tally.js";

export interface LoadOptions {
	readonly port: number;
	readonly connections: number;
	readonly oracle: OracleOptions;
	/** Texts of the keys. */
	readonly texts: Readonly<Record<KeyClass, string>>;
	readonly limitedText: string;
	readonly stretchSeconds: number;
	readonly allowed: Allowed;
}

export type LoadOrder =
	| { readonly kind: "start"; readonly options: LoadOptions }
	/** Sends as fast as answers come. */
	| { readonly kind: "measure"; readonly seconds: number }
	/** Sends so many a second, whether answers come or not. */
	| { readonly kind: "offer"; readonly perSecond: number }
	| { readonly kind: "allow"; readonly allowed: Allowed }
	| { readonly kind: "text"; readonly key: KeyClass; readonly text: string }
	/** The server was killed at `atMs` of the wall clock. */
	| { readonly kind: "killed"; readonly atMs: number }
	| { readonly kind: "stop" };

export interface KeyCounts {
	readonly acknowledged: number;
	readonly unknown: number;
	readonly losable: number;
}

export interface LoadTotals {
	readonly sent: number;
	readonly answered: number;
	readonly sheds: number;
	/** Of these, outside what was announced. */
	readonly shedsUnannounced: number;
	readonly cuts: number;
	readonly lost: number;
	readonly wrong: number;
	/** Different requests that were asked. */
	readonly questions: number;
	readonly byStatus: Readonly<Record<string, number>>;
	readonly keys: Readonly<Record<string, KeyCounts>>;
	readonly limited: {
		readonly minutes: number;
		readonly admitted: number;
		readonly refused: number;
		readonly breaches: number;
	};
}

export type LoadReport =
	| { readonly kind: "heard" }
	| { readonly kind: "measured"; readonly perSecond: number }
	| { readonly kind: "stretch"; readonly stretch: Stretch }
	/** An answer that was wrong, lost or forbidden; only the first are reported. */
	| { readonly kind: "fault"; readonly what: string }
	| { readonly kind: "totals"; readonly totals: LoadTotals };
