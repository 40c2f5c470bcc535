/**
 * Compilation as tasks for a pool of workers: each reads shared memory or files, writes its own file and returns
 * plain data.
 */

import type { WrittenFile } from "../../formats/index.js";
import { type ColumnParts, type MergedColumn, mergeColumn } from "./merge-column.js";
import {
	type ColumnTarget,
	type FileTarget,
	type WriteTarget,
	type WrittenColumn,
	writeDictionaryColumn,
} from "./write-column.js";
import { writeNames, writeWords } from "./write-names.js";
import { writeNumbers } from "./write-numbers.js";
import { type TextParts, type WrittenText, writeTextColumn } from "./write-text.js";

/** Tasks by kind, with their input and output. */
export interface CompileTasks {
	"merge-column": { input: ColumnParts; output: MergedColumn };
	"write-column": {
		input: { merged: MergedColumn; order: Uint32Array; target: ColumnTarget };
		output: WrittenColumn;
	};
	"write-names": {
		input: { fullName: MergedColumn; order: Uint32Array; target: WriteTarget };
		output: WrittenFile;
	};
	"write-words": { input: { columns: readonly MergedColumn[]; target: FileTarget }; output: WrittenFile };
	"write-numbers": { input: { numbers: MergedColumn; target: FileTarget }; output: WrittenFile };
	"write-text": { input: { text: TextParts; order: Uint32Array; target: WriteTarget }; output: WrittenText };
	"write-rows": { input: { folder: string; target: string; segment: number }; output: WrittenFile };
}

export type CompileTaskKind = keyof CompileTasks;

/** Runs a task, in this thread or a worker. */
export type RunCompileTask = <K extends CompileTaskKind>(
	kind: K,
	input: CompileTasks[K]["input"],
) => Promise<CompileTasks[K]["output"]>;

/** The implementation of each kind of task. */
export const COMPILE_TASK_HANDLERS: {
	readonly [K in CompileTaskKind]: (input: CompileTasks[K]["input"]) => Promise<CompileTasks[K]["output"]>;
} = {
	"merge-column": async (parts) => mergeColumn(parts),
	"write-column": async ({ merged, order, target }) => writeDictionaryColumn(merged, order, target),
	"write-names": async ({ fullName, order, target }) => writeNames(fullName, order, target),
	"write-words": async ({ columns, target }) => writeWords(columns, target),
	"write-numbers": async ({ numbers, target }) => writeNumbers(numbers, target),
	"write-text": async ({ text, order, target }) => writeTextColumn(text, order, target),
	// Loaded with the first task: only stored rows need the engine.
	"write-rows": async ({ folder, target, segment }) =>
		(await import("./row-segment.js")).writeRowSegment(folder, target, segment),
};
