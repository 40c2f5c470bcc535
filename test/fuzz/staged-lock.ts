/** A combination lock that opens step by step: only a search that observes each step opens it. */

const STEPS = "roll";

/** How many steps `text` gets through; all of them open the lock. */
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
