/**
 * The parts of an .xlsx workbook that locate its sheets and define its number formats: the list of sheets,
 * their files, and the styles of cells.
 */

import { posix } from "node:path";
import type { Entry } from "yauzl";
import { didYouMean, quoted } from "../../../formats/parameters/nearest.js";
import { BuildError } from "../../errors.js";
import { WORKBOOK_ENTRY, type ZipArchive } from "../zip-archive.js";
import { type NumberStyle, numberStyle } from "./number-style.js";
import { isTrue, readPart } from "./xml-part.js";

const RELATIONS_ENTRY = "xl/_rels/workbook.xml.rels";
const SHEETS_MAX = 1_000;
const STYLES_MAX = 100_000;

export interface Workbook {
	/** The part of the sheet to read. */
	readonly sheet: Entry;
	/** Names of the other sheets. */
	readonly otherSheets: readonly string[];
	/** The part of shared strings; null if there is none. */
	readonly sharedStrings: Entry | null;
	/** By index of a cell's style. */
	readonly styles: readonly NumberStyle[];
	/** Whether dates count from 1904. */
	readonly is1904: boolean;
}

interface Relation {
	readonly type: string;
	readonly target: string;
}

/**
 * Reads the workbook's list of parts; `sheetName` null means its first sheet that is not hidden. Throws {@link BuildError}
 * `bad_map` if there is no such sheet.
 */
export async function readWorkbook(
	archive: ZipArchive,
	sheetName: string | null,
	mapFile: string | null,
): Promise<Workbook> {
	const relations = await readRelations(archive);
	const { sheets, is1904 } = await readSheets(archive);
	const worksheets = sheets.flatMap(({ name, relation, isHidden }) => {
		const found = relations.get(relation);
		return found?.type === "worksheet" ? [{ name, target: found.target, isHidden }] : [];
	});
	const first = worksheets.find(({ isHidden }) => !isHidden) ?? worksheets[0];
	const wanted = sheetName === null ? first : worksheets.find(({ name }) => name === sheetName);
	if (wanted === undefined) throw noSheet(archive.path, sheetName, worksheets, mapFile);
	const partOf = (type: string) => {
		const found = [...relations.values()].find((relation) => relation.type === type);
		return found === undefined ? undefined : archive.part(found.target);
	};
	const sheet = archive.part(wanted.target);
	if (sheet === undefined)
		throw new BuildError("unreadable_file", `the workbook lacks the part "${wanted.target}"`, {
			file: archive.path,
		});
	const stylesPart = partOf("styles");
	return {
		sheet,
		otherSheets: worksheets.filter((other) => other !== wanted).map(({ name }) => name),
		sharedStrings: partOf("sharedStrings") ?? null,
		styles: stylesPart === undefined ? [] : await readStyles(archive, stylesPart),
		is1904,
	};
}

function noSheet(
	file: string,
	name: string | null,
	sheets: readonly { readonly name: string }[],
	mapFile: string | null,
): BuildError {
	if (name === null) return new BuildError("empty_file", "the workbook has no sheet with cells", { file });
	const names = sheets.map((sheet) => sheet.name);
	const rule =
		`the workbook has no sheet ${quoted(name)}, which "sheet" in ${mapFile ?? "the map"} names` +
		`${didYouMean(name, names) || "."} Its sheets are ${names.slice(0, 20).map(quoted).join(", ")}`;
	return new BuildError("bad_map", rule, { file });
}

/** The workbook's relationships by id; targets are names of entries. */
async function readRelations(archive: ZipArchive): Promise<Map<string, Relation>> {
	const relations = new Map<string, Relation>();
	await readPart(archive, required(archive, RELATIONS_ENTRY), {
		open(name, { Id: id, Type: type = "", Target: target = "" }) {
			if (name !== "Relationship" || id === undefined || relations.size >= SHEETS_MAX) return;
			// Relative to the folder of the workbook's part.
			const path = posix.resolve("/xl", target).slice(1);
			relations.set(id, { type: type.slice(type.lastIndexOf("/") + 1), target: path });
		},
	});
	return relations;
}

async function readSheets(
	archive: ZipArchive,
): Promise<{ sheets: { name: string; relation: string; isHidden: boolean }[]; is1904: boolean }> {
	const sheets: { name: string; relation: string; isHidden: boolean }[] = [];
	let is1904 = false;
	await readPart(archive, required(archive, WORKBOOK_ENTRY), {
		open(name, attributes) {
			if (name === "workbookPr") is1904 = isTrue(attributes.date1904);
			if (name !== "sheet" || sheets.length >= SHEETS_MAX) return;
			const id = Object.entries(attributes).find(([key]) => /^(.*:)?id$/.test(key) && key !== "id");
			// A sheet's state is "visible", "hidden" or "veryHidden".
			const isHidden = /hidden$/i.test(attributes.state ?? "");
			sheets.push({ name: attributes.name ?? "", relation: id?.[1] ?? "", isHidden });
		},
	});
	return { sheets, is1904 };
}

/** Styles of cells by index. */
async function readStyles(archive: ZipArchive, entry: Entry): Promise<NumberStyle[]> {
	const codes = new Map<number, string>();
	const formats: number[] = [];
	let inCells = false;
	await readPart(archive, entry, {
		open(name, attributes) {
			if (codes.size + formats.length >= STYLES_MAX)
				throw new BuildError("limit_exceeded", `the workbook has more than ${STYLES_MAX} styles`, {
					file: archive.path,
				});
			if (name === "numFmt") codes.set(Number(attributes.numFmtId), attributes.formatCode ?? "");
			else if (name === "cellXfs") inCells = true;
			else if (name === "xf" && inCells) formats.push(Number(attributes.numFmtId ?? 0));
		},
		close(name) {
			if (name === "cellXfs") inCells = false;
		},
	});
	const known = new Map<number, NumberStyle>();
	return formats.map((format) => {
		const style = known.get(format) ?? numberStyle(format, codes.get(format) ?? null);
		known.set(format, style);
		return style;
	});
}

function required(archive: ZipArchive, name: string): Entry {
	const entry = archive.part(name);
	if (entry !== undefined) return entry;
	throw new BuildError("unreadable_file", `the workbook lacks the part "${name}"`, { file: archive.path });
}
