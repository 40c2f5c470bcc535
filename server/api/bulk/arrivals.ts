/** Counts the requests that arrive at a thread, by which a long body notices that others wait (stream.ts). */
export class Arrivals {
	count = 0;
}
