/**
 * Tasks as a table of types by kind, with input and output. The pool and its threads know no kind
 * by name; builder/tasks.ts lists them all.
 */

/** `T` is an interface whose members are kinds of task; itself constrains `T` to have nothing else. */
export type TaskTable<T> = { readonly [K in keyof T]: { readonly input: unknown; readonly output: unknown } };

/** What each kind of task does. */
export type TaskHandlers<T extends TaskTable<T>> = {
	readonly [K in keyof T]: (input: T[K]["input"]) => T[K]["output"] | Promise<T[K]["output"]>;
};
