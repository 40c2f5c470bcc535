/**
 * Lines of a stream of UTF-8, ended by line feeds alone. node:readline also ends lines at a carriage return and, on newer
 * versions of Node, at U+2028 and U+2029, all of which may stand within a JSON text.
 */

/** The lines of `chunks`, the last one even without a line feed. Memory: the longest line. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let begun = "";
	for await (const chunk of chunks) {
		const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
		const [rest, ...begins] = text.split("\n");
		begun += rest;
		for (const begin of begins) {
			yield begun;
			begun = begin;
		}
	}
	begun += decoder.decode();
	if (begun !== "") yield begun;
}
