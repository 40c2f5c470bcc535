/**
 * The questions of a shape that count, and the others that both sides are warmed up with.
 *
 * The engine may keep what it found of a selection (a list's filters and grant), so that another page of it costs less.
 * As far as a shape has so many, each question that counts has a selection that no other question has.
 */

import { describe, type Question, type Shape } from "../shapes/question.js";

/** What was asked before, among the questions that count or those of the warm-up. */
export const REPEATS = ["nothing", "selections", "questions"] as const;
export type Repeats = (typeof REPEATS)[number];

/** How tables mark the name of a shape with repeated questions or selections. */
export const REPEATS_MARKS: Readonly<Record<Repeats, string>> = {
	nothing: "",
	selections: " (selections repeated)",
	questions: " (repeated)",
};

export interface DrawnQuestions {
	readonly questions: readonly Question[];
	readonly warming: readonly Question[];
	readonly repeats: Repeats;
}

/**
 * Questions that are asked for warming up, and are not among those that count: so many that the memory of indexes is in
 * use as under load, not only that of a few questions.
 */
const WARM_DRAWS = 1000;
/** Fewer would warm up a few values alone. */
const WARM_DRAWS_MIN = 20;
/** Draws for each different question that is wanted; after that the shape has no more. */
const TRIES_PER_DRAW = 20;

/** `draws` questions, different ones where the shape has so many, and others to warm up with. */
export function drawQuestions(shape: Shape, draws: number): DrawnQuestions {
	const wanted = draws + WARM_DRAWS;
	const different = new Map<string, Question>();
	for (let tries = 0; different.size < wanted && tries < TRIES_PER_DRAW * wanted; tries++) {
		const question = shape.draw();
		different.set(describe(question), question);
	}
	const all = [...different.values()];
	const apart = withSelectionsApart(all, draws);
	if (apart !== null) return { ...apart, repeats: "nothing" };
	const questions = Array.from({ length: draws }, (_, i) => all[i % all.length]);
	const warming = all.length > draws ? all.slice(draws) : all.slice(0, WARM_DRAWS);
	return { questions, warming, repeats: all.length < draws ? "questions" : "selections" };
}

/** Questions that each have a selection of their own; null where there are too few. */
function withSelectionsApart(all: readonly Question[], draws: number) {
	const taken = new Set<string>();
	const questions: Question[] = [];
	for (const question of all) {
		const selection = selectionOf(question);
		if (questions.length === draws || (selection !== null && taken.has(selection))) continue;
		if (selection !== null) taken.add(selection);
		questions.push(question);
	}
	const counted = new Set(questions);
	const warming = all.filter((question) => {
		const selection = selectionOf(question);
		return !counted.has(question) && (selection === null || !taken.has(selection));
	});
	const isEnough = questions.length === draws && warming.length >= Math.min(draws, WARM_DRAWS_MIN);
	return isEnough ? { questions, warming } : null;
}

/** Filters and grant of a list; null where it has neither, or the question is no list. */
function selectionOf(question: Question): string | null {
	if (question.kind !== "list") return null;
	const { filters, geography } = question.query;
	if (geography === null && Object.keys(filters).length === 0) return null;
	return JSON.stringify([filters, geography]);
}
