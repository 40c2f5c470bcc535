/**
 * Names and questions that find faults in matching: few first and last names so that many rows share them,
 * particles, hyphens, apostrophes, initials, suffixes, marks, letters that are not ASCII; questions that are
 * names misspelled, reordered, cut short, stripped of marks, repeated.
 */

import fc from "fast-check";
import { askedNameFault, nameCompounds } from "../../formats/index.js";
import { TRICKY_PIECES } from "../oracle/tricky-text.js";

const FIRST = [
	"Robert",
	"Bob",
	"Bobby",
	"Rob",
	"María",
	"Maria",
	"José",
	"Jon",
	"John",
	"Johnny",
	"Elizabeth",
	"Liz",
	"Li",
	"J.",
	"A",
	"Ann",
	"Mary-Ann",
	"Jean Luc",
	"Zoë",
	"Łukasz",
	"Đức",
	"Σοφία",
	"Íñigo",
	"İpek",
];
const LAST = [
	"Smith",
	"Smyth",
	"Smithson",
	"Jones",
	"Johnson",
	"Jonson",
	"O'Brien",
	"O’Brien",
	"Obrien",
	"O Brien",
	"Núñez",
	"Nunez",
	"De La Cruz",
	"Delacruz",
	"Van der Berg",
	"Vanderberg",
	"McDonald",
	"Mc Donald",
	"Smith-Jones",
	"St. John",
	"Rodriguez Garcia",
	"Nguyễn",
	"Ο΄ΣΑΣ",
	"Straße",
	"Featherstonehaugh",
	"Rosenberg",
	"Rosenburg",
];
const REST = ["", "", "", " Jr.", ", III", " Sr", " (ret.)", " M.D."];

/** A full name as a licensing body may write it. */
export const fullName = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.tuple(
				fc.constantFrom(...FIRST),
				fc.constantFrom("", " A.", " Lee", ' "Bob"'),
				fc.constantFrom(...LAST),
				fc.constantFrom(...REST),
			)
			.map(([first, middle, last, rest]) => `${first}${middle} ${last}${rest}`),
	},
	{
		weight: 3,
		arbitrary: fc
			.tuple(fc.constantFrom(...LAST), fc.constantFrom(...FIRST))
			.map(([last, first]) => `${last}, ${first}`.toUpperCase()),
	},
	{
		weight: 1,
		arbitrary: fc
			.array(fc.constantFrom(...TRICKY_PIECES, " ", "-", ",", "'"), { minLength: 1, maxLength: 8 })
			.map((pieces) => `x${pieces.join("")}`),
	},
);

const edit = fc.record({
	kind: fc.constantFrom("drop", "double", "swap", "change"),
	at: fc.nat(40),
	letter: fc.constantFrom("a", "e", "r", "z", "é"),
});

function edited(text: string, { kind, at, letter }: { kind: string; at: number; letter: string }): string {
	const points = [...text];
	const i = at % Math.max(1, points.length);
	if (kind === "drop") points.splice(i, 1);
	if (kind === "double") points.splice(i, 0, points[i] ?? letter);
	if (kind === "change") points[i] = letter;
	if (kind === "swap" && i + 1 < points.length) points.splice(i, 2, points[i + 1], points[i]);
	return points.join("");
}

/** What somebody types who looks for a name. */
export const askedText = fc
	.tuple(
		fullName,
		fc.array(edit, { maxLength: 3 }),
		fc.constantFrom("as it is", "reversed", "plain", "cut", "one word", "hyphens", "twice", "twice in one"),
	)
	.map(([name, edits, way]) => {
		const text = edits.reduce(edited, name);
		if (way === "reversed") return text.split(" ").reverse().join(" ");
		if (way === "plain") return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
		if (way === "cut") return text.slice(0, Math.max(1, text.length - 3));
		if (way === "one word") return text.split(/[ ,]+/)[0];
		if (way === "hyphens") return text.replaceAll(" ", "-");
		if (way === "twice") return `${text} ${text}`;
		if (way === "twice in one") return `${text} ${text}`.replaceAll(" ", "-");
		return text;
	})
	.filter((text) => /[a-z0-9]/i.test(text) && askedNameFault(nameCompounds(text)) === null);
