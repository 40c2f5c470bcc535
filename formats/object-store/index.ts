/** Months in an object store, shared by builder and server. */

export * from "./change-index.js";
export * from "./errors.js";
export { digestOfFile } from "./file-digest.js";
export * from "./in-parallel.js";
export * from "./month-index.js";
export * from "./object-store.js";
export * from "./open-store.js";
export * from "./pull-files.js";
