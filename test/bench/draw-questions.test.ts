/** What is asked once is asked once: neither a question nor, as far as a shape has so many, a selection comes again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { drawQuestions } from "../../bench/measure/draw-questions.js";
import { list } from "../../bench/shapes/named-shapes.js";
import type { Question, Shape } from "../../bench/shapes/question.js";

test("each question has a selection of its own where a shape has so many, and a shape that has not is marked", () => {
	let drawn = 0;
	const of = (cities: number): Shape => ({
		name: "city",
		about: "",
		draw: () => list({ filters: { city: `city ${drawn % cities}` }, page: 1 + (drawn++ % (3 * cities)) }),
	});
	const selections = (questions: readonly Question[]) =>
		questions.map((question) => question.kind === "list" && question.query.filters.city);
	const { questions, warming, repeats } = drawQuestions(of(100), 45);
	const counted = new Set(selections(questions));
	assert.deepEqual([counted.size, repeats], [45, "nothing"]);
	assert.ok(selections(warming).every((selection) => !counted.has(selection)));
	assert.equal(drawQuestions(of(44), 45).repeats, "selections");
	assert.equal(drawQuestions(of(50), 45).repeats, "selections", "too few others to warm up with");
});
