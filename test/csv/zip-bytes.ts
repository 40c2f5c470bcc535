/** Archives in the .zip format as bytes, with entries stored or deflated (APPNOTE.TXT, sections 4.3.7 to 4.3.16). */

import { crc32, deflateRawSync } from "node:zlib";

const LOCAL_HEADER_BYTES = 30;

export interface ZipEntry {
	readonly name: string;
	readonly content: string | Buffer;
	/** Stored otherwise. */
	readonly deflated?: boolean;
	/** Its bytes are those of the first entry, which has the same content. */
	readonly overlapping?: boolean;
}

/** An archive of `entries`, in their order. */
export function zipBytes(...entries: readonly ZipEntry[]): Buffer {
	const local: Buffer[] = [];
	const central: Buffer[] = [];
	let at = 0;
	for (const { name, content, deflated = false, overlapping = false } of entries) {
		const plain = typeof content === "string" ? Buffer.from(content) : content;
		const data = deflated ? deflateRawSync(plain) : plain;
		// Version, flags, method, time, date, CRC-32, sizes, length of the name, length of the extra field.
		const shared = Buffer.alloc(26);
		shared.writeUInt16LE(20, 0);
		shared.writeUInt16LE(deflated ? 8 : 0, 4);
		shared.writeUInt32LE(crc32(plain), 10);
		shared.writeUInt32LE(data.length, 14);
		shared.writeUInt32LE(plain.length, 18);
		shared.writeUInt16LE(Buffer.byteLength(name), 22);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(overlapping ? 0 : at, 10);
		central.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), shared, place, Buffer.from(name));
		if (overlapping) continue;
		local.push(Buffer.from("PK\u0003\u0004"), shared, Buffer.from(name), data);
		at += LOCAL_HEADER_BYTES + Buffer.byteLength(name) + data.length;
	}
	const directory = Buffer.concat(central);
	const end = Buffer.alloc(18);
	end.writeUInt16LE(entries.length, 4);
	end.writeUInt16LE(entries.length, 6);
	end.writeUInt32LE(directory.length, 8);
	end.writeUInt32LE(at, 12);
	return Buffer.concat([...local, directory, Buffer.from("PK\u0005\u0006"), end]);
}

/** The cell of a workbook with a text. */
export function textCell(text: string): string {
	return `<c t="inlineStr"><is><t>${text}</t></is></c>`;
}

/** A sheet of a workbook: its name, and the XML of its cells by row. */
export interface Sheet {
	readonly name: string;
	readonly rows: readonly (readonly string[])[];
	/** Numbers of the rows that are hidden, counted from 1. */
	readonly hidden?: readonly number[];
	/** XML before and after the rows. */
	readonly before?: string;
	readonly after?: string;
}

/** What a workbook has beside its sheets. */
export interface WorkbookParts {
	/** Codes of number formats: the cells of style n have the n-th, counted from 0. */
	readonly formats?: readonly string[];
	readonly is1904?: boolean;
}

/** A workbook of one sheet, whose cells are texts. */
export function workbookBytes(rows: readonly (readonly string[])[], deflated = true): Buffer {
	return workbookOfSheets([{ name: "A", rows: rows.map((row) => row.map(textCell)) }], deflated);
}

/** A workbook of several sheets. */
export function workbookOfSheets(
	sheets: readonly Sheet[],
	deflated = true,
	{ formats = [], is1904 = false }: WorkbookParts = {},
): Buffer {
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
	const type = `${types}/worksheet`;
	const names = sheets.map(({ name }, i) => `<sheet name="${name}" r:id="r${i}"/>`).join("");
	const relations = sheets.map((_, i) => `<Relationship Id="r${i}" Type="${type}" Target="sheet${i}.xml"/>`);
	relations.push(`<Relationship Id="s" Type="${types}/styles" Target="styles.xml"/>`);
	const codes = formats.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${escaped(code)}"/>`);
	const cells = formats.map((_, i) => `<xf numFmtId="${164 + i}"/>`);
	return zipBytes(
		{
			name: "xl/workbook.xml",
			content: `<workbook><workbookPr date1904="${is1904}"/><sheets>${names}</sheets></workbook>`,
		},
		{
			name: "xl/styles.xml",
			content: `<styleSheet><numFmts>${codes.join("")}</numFmts><cellXfs>${cells.join("")}</cellXfs></styleSheet>`,
		},
		{
			name: "xl/_rels/workbook.xml.rels",
			content: `<Relationships>${relations.join("")}</Relationships>`,
		},
		...sheets.map(({ rows, hidden = [], before = "", after = "" }, i) => {
			const data = rows.map((row, r) => `<row hidden="${hidden.includes(r + 1)}">${row.join("")}</row>`);
			const content = `<worksheet>${before}<sheetData>${data.join("")}</sheetData>${after}</worksheet>`;
			return { name: `xl/sheet${i}.xml`, content, deflated };
		}),
	);
}

/** A text as the value of an attribute. */
function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
