/**
 * All shapes of the benchmark. Each has its own stream of choices, so that one shape's draws do not
 * depend on another's.
 */

import type { Snapshot } from "../../engine/index.js";
import { aggregateShapes } from "./aggregate-shapes.js";
import { huntedShapes } from "./hunted-shapes.js";
import { namedShapes } from "./named-shapes.js";
import { nastyShapes } from "./nasty-shapes.js";
import { projectedShapes } from "./projected-shapes.js";
import type { Shape } from "./question.js";
import { ValueSource } from "./value-source.js";

export * from "./answers.js";
export * from "./question.js";

/**
 * The shapes over `snapshot`, drawn from `seed`: all of them, or those whose name contains one of `texts`. Throws where
 * a text is in no shape's name.
 */
export function allShapes(snapshot: Snapshot, seed: number, texts: readonly string[] = []): Shape[] {
	const makers = [namedShapes, nastyShapes, huntedShapes, aggregateShapes, projectedShapes];
	const names = makers.map((make) => make(ValueSource.seeded(snapshot, seed, 0)).map((shape) => shape.name));
	for (const text of texts) {
		if (!names.flat().some((name) => name.includes(text)))
			throw new RangeError(`no shape's name contains "${text}" (--shape)`);
	}
	return makers
		.flatMap((make, kind) =>
			names[kind].map((_, i) => make(ValueSource.seeded(snapshot, seed, kind * 1000 + i))[i]),
		)
		.filter(({ name }) => texts.length === 0 || texts.some((text) => name.includes(text)));
}
