/** A door that opens a step at a time: what only a search that notices each step gets through. */

const STEPS = "roll";

/** How far `text` comes, in steps; as far as it goes is open. */
export function stepsInto(text: string): number {
	let steps = 0;
	if (text[0] === STEPS[0]) {
		steps++;
		if (text[1] === STEPS[1]) {
			steps++;
			if (text[2] === STEPS[2]) {
				steps++;
				if (text[3] === STEPS[3]) steps++;
			}
		}
	}
	return steps;
}
