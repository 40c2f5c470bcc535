/** What later decisions read of a plan's predicates: which are listed, which ascend, and whose bitmaps are made run by run. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	isAscending,
	isListed,
	isMadeByRun,
	onlyTerm,
	type PredicatePlan,
	type SlicePlan,
	type TermPlan,
} from "../../engine/plan/plan.js";
import { RUN_WORDS } from "../../engine/tuning.js";

const NOWHERE = { from: 0, to: 0 };

/** A term of `count` codes. */
function term(source: SlicePlan["source"], count: number, bitmap: TermPlan["bitmap"] = null): TermPlan {
	const codes = { from: 3, to: 3 + count };
	return { codes, positions: NOWHERE, slice: { source, ...NOWHERE }, rows: 9, bitmap, edgeRows: 0 };
}

function predicate(terms: readonly TermPlan[], negated = false): PredicatePlan {
	return {
		filters: ["license_status"],
		column: "member_license_status",
		codes: [],
		aligned: true,
		negated,
		terms,
		ascending: false,
		rows: 9,
	};
}

test("only the postings of one code are known to ascend", () => {
	assert.equal(isAscending(term("postings", 1)), true);
	assert.equal(isAscending(term("postings", 2)), false);
	assert.equal(isAscending(term("permutation", 1)), false);
	assert.equal(isAscending(term("byState", 1)), false);
});

test("a predicate is listed by the slices of all of its terms, unless it is a complement", () => {
	assert.equal(isListed(predicate([term("postings", 1), term("permutation", 4)])), true);
	assert.equal(isListed(predicate([term("postings", 1), term("none", 4)])), false);
	assert.equal(isListed(predicate([term("none", 1), term("postings", 4)])), false);
	assert.equal(isListed(predicate([term("postings", 1)], true)), false);
});

test("the one term of a predicate is neither one of several nor that of a complement", () => {
	const one = term("postings", 1);
	assert.equal(onlyTerm(predicate([one])), one);
	assert.equal(onlyTerm(predicate([one], true)), null);
	assert.equal(onlyTerm(predicate([one, term("none", 1)])), null);
});

test("a bitmap is made run by run where the words between the runs cost more", () => {
	/** Two runs of 320 rows, so many words apart. */
	const apart = (words: number) => [
		{ from: 0, to: 320 },
		{ from: 320 + words * 32, to: 640 + words * 32 },
	];
	assert.equal(isMadeByRun(apart(2 * RUN_WORDS)), false);
	assert.equal(isMadeByRun(apart(2 * RUN_WORDS + 1)), true);
});
