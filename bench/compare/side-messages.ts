/** Messages between a comparison and the processes of its sides. */

import type { ColumnName } from "../../formats/index.js";
import type { Question } from "../shapes/question.js";

export type SideOrder =
	/** Hold these questions, and answer the warming ones for that many milliseconds. */
	| {
			readonly kind: "load";
			readonly questions: readonly Question[];
			readonly warming: readonly Question[];
			readonly warmMs: number;
	  }
	/** Answer the questions held in `[from, to)`, each once. */
	| { readonly kind: "time"; readonly from: number; readonly to: number }
	/** Checksum the responses of all questions held. */
	| { readonly kind: "digest" };

export type SideReply =
	| {
			readonly kind: "ready";
			readonly month: string;
			readonly rows: number;
			/** Columns that this version knows. */
			readonly columns: readonly ColumnName[];
	  }
	| { readonly kind: "done" }
	| { readonly kind: "times"; readonly ms: readonly number[] }
	| { readonly kind: "digest"; readonly crc: number }
	/** The engine refused a question. */
	| { readonly kind: "failed"; readonly message: string };
