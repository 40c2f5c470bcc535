/**
 * Formats: what a snapshot's bytes are, and the vocabulary every layer shares.
 * Imports nothing of the project's other folders.
 */

export * from "./catalog.js";
export * from "./changes.js";
export * from "./columns.js";
export * from "./data-folder.js";
export * from "./dates.js";
export * from "./decode/bitmaps.js";
export * from "./decode/catalog.js";
export * from "./decode/changes.js";
export * from "./decode/codes.js";
export * from "./decode/dictionary.js";
export * from "./decode/hash-index.js";
export * from "./decode/order-buckets.js";
export * from "./decode/permutation.js";
export * from "./decode/postings.js";
export * from "./decode/row-store.js";
export * from "./decode/section-file.js";
export * from "./decode/snapshot.js";
export * from "./decode/stats.js";
export * from "./decode/text.js";
export * from "./encode/bitmaps.js";
export * from "./encode/catalog.js";
export * from "./encode/changes.js";
export * from "./encode/codes.js";
export * from "./encode/dictionary.js";
export * from "./encode/hash-index.js";
export * from "./encode/order-buckets.js";
export * from "./encode/permutation.js";
export * from "./encode/postings.js";
export * from "./encode/row-store.js";
export * from "./encode/section-file.js";
export * from "./encode/stats.js";
export * from "./errors.js";
export * from "./filters.js";
export * from "./fold.js";
export * from "./geography.js";
export * from "./hash.js";
export * from "./jurisdictions.js";
export * from "./layout.js";
export * from "./manifest.js";
export * from "./mapping.js";
export * from "./parameters/nearest.js";
export * from "./parameters/query-parameters.js";
export * from "./parameters/query-string.js";
export * from "./parameters/raw-parameters.js";
export * from "./parameters/rule.js";
export * from "./parameters/value-rules.js";
export * from "./printable.js";
export * from "./process-identity.js";
export * from "./range.js";
export * from "./row-id.js";
export * from "./sections.js";
export * from "./stats.js";
