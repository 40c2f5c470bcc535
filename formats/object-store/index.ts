/** Months in an object store: what builder and server share of it. */

export * from "./change-index.js";
export * from "./errors.js";
export * from "./month-index.js";
export * from "./object-store.js";
export * from "./open-store.js";
export * from "./pull-files.js";
