/** Finds what JSON.parse drops without an error: all but the last of several members of one name. */

/** A string, with the colon that makes it a name, or a bracket. A `+` keeps long strings from exhausting the stack. */
const TOKEN = /("(?:[^"\\]+|\\.)*")\s*(:?)|[{}[\]]/g;

/** A name that is twice in one object of `text`; undefined if there is none. REQUIRES: valid JSON. Cost O(length). */
export function repeatedName(text: string): string | undefined {
	const objects: Set<string>[] = [];
	for (const [token, name, colon] of text.matchAll(TOKEN)) {
		if (token === "{" || token === "[") objects.push(new Set());
		else if (token === "}" || token === "]") objects.pop();
		else if (colon === ":") {
			const names = objects[objects.length - 1];
			const parsed = JSON.parse(name) as string;
			if (names.has(parsed)) return parsed;
			names.add(parsed);
		}
	}
	return undefined;
}
