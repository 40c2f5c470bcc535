/** Mutations of texts and JSON documents, shared by all fuzzers. */

import type { Draw } from "../oracle/draw.js";

/** Characters that parsers mishandle. */
const NASTY: readonly string[] = [
	..."\0\t\n\r\"'\\%&=,;:{}[]<>+-*?.~^$|()#/ ",
	"\r\n",
	"\x7f",
	"\x80",
	"\xff",
	"0",
	"-1",
	"1e309",
	"9007199254740993",
	"null",
	"__proto__",
	"constructor",
];
const LONG = [64, 300, 1_001, 5_000];

/** `text` with a piece changed, deleted, duplicated, or inserted from `words` or `other`. */
export function mutateText(text: string, other: string, words: readonly string[], draw: Draw): string {
	const at = draw.below(text.length + 1);
	const end = Math.min(text.length, at + 1 + draw.below(draw.oneIn(4) ? 40 : 4));
	const [before, piece, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
	switch (draw.below(8)) {
		case 0:
			return before + after;
		case 1:
			return before + piece + piece + after;
		case 2:
			return before + draw.pick(NASTY) + after;
		case 3:
			return before + draw.pick(NASTY) + piece + after;
		case 4:
			return before + draw.pick(words) + piece + after;
		case 5:
			return before + draw.pick(words) + after;
		case 6: {
			const from = draw.below(other.length + 1);
			return before + other.slice(from, from + draw.below(80)) + after;
		}
		default:
			return draw.oneIn(6)
				? before + (piece || "a").repeat(draw.pick(LONG)).slice(0, 5_000) + after
				: before + String.fromCharCode(draw.below(draw.oneIn(3) ? 0x3000 : 256)) + after;
	}
}

/** A position in a document. */
interface Place {
	readonly holder: Record<string, unknown> | unknown[];
	readonly key: string | number;
}

/** What a fuzzer knows of the documents it generates. */
export interface JsonWords {
	readonly keys: readonly string[];
	readonly values: readonly unknown[];
	/** Names with values that go with them. */
	readonly members: readonly (readonly [name: string, value: unknown])[];
}

const ODD_VALUES: readonly unknown[] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	1e21,
	"",
	" ",
	"\0",
	"\n",
	"\u001b[31m",
	"\ud800",
	"é",
	[],
	{},
	[[]],
	[null],
	{ a: {} },
];

/** The JSON of `text` with one member or item changed; where it is not JSON, `text` mutated. */
export function mutateJson(text: string, other: string, words: JsonWords, draw: Draw): string {
	const parsed = parsedOf(text);
	if (parsed === undefined || draw.oneIn(12)) {
		const known = [...words.keys.map((key) => `"${key}":`), "[", "{", "]", "}", ",", "1", '"a"'];
		return mutateText(text, other, known, draw);
	}
	const document = { root: parsed.value };
	const places = placesIn(document);
	const { holder, key } = draw.pick(places);
	const current = (holder as Record<string, unknown>)[key];
	const put = (value: unknown) => {
		(holder as Record<string, unknown>)[key] = value;
	};
	const value = () => structuredClone(draw.pick(draw.oneIn(3) ? ODD_VALUES : words.values));
	switch (draw.below(7)) {
		case 0:
			put(value());
			break;
		case 1:
			if (holder !== document) removeFrom(holder, key);
			break;
		case 2:
		case 3:
			grow(current, draw, words, value());
			break;
		case 4:
			put(draw.oneIn(5) ? nested(current, draw.below(200)) : [current]);
			break;
		case 5: {
			const from = parsedOf(other);
			const source = from === undefined ? null : draw.pick(placesIn({ root: from.value }));
			if (source !== null) put(structuredClone((source.holder as Record<string, unknown>)[source.key]));
			break;
		}
		default:
			if (typeof current === "string") put(mutateText(current, other, words.values.filter(isText), draw));
			else put(value());
	}
	return JSON.stringify(document.root) ?? "";
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}

function parsedOf(text: string): { readonly value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) };
	} catch {
		// Most mutants of the text are not JSON and stay texts.
		return undefined;
	}
}

function placesIn(holder: Record<string, unknown> | unknown[]): Place[] {
	const places: Place[] = [];
	const open = [holder];
	for (let next = open.pop(); next !== undefined && places.length < 400; next = open.pop()) {
		for (const key of Object.keys(next)) {
			places.push({ holder: next, key });
			const value = (next as Record<string, unknown>)[key];
			if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>);
		}
	}
	return places;
}

function removeFrom(holder: Place["holder"], key: string | number): void {
	if (Array.isArray(holder)) holder.splice(Number(key), 1);
	else delete holder[key];
}

function grow(current: unknown, draw: Draw, words: JsonWords, value: unknown): void {
	if (Array.isArray(current)) current.push(value);
	else if (typeof current === "object" && current !== null) {
		const [name, fitting] = draw.oneIn(3) ? [draw.pick(words.keys), value] : draw.pick(words.members);
		(current as Record<string, unknown>)[name] = structuredClone(fitting);
	}
}

function nested(value: unknown, depth: number): unknown {
	let wrapped = value;
	for (let i = 0; i < depth; i++) wrapped = i % 2 === 0 ? [wrapped] : { a: wrapped };
	return wrapped;
}
