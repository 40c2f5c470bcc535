/** Archives in the .zip format as bytes, with entries stored or deflated (APPNOTE.TXT, sections 4.3.7 to 4.3.16). */

import { crc32, deflateRawSync } from "node:zlib";

const LOCAL_HEADER_BYTES = 30;

export interface ZipEntry {
	readonly name: string;
	readonly content: string | Buffer;
	/** Stored otherwise. */
	readonly deflated?: boolean;
}

/** An archive of `entries`, in their order. */
export function zipBytes(...entries: readonly ZipEntry[]): Buffer {
	const local: Buffer[] = [];
	const central: Buffer[] = [];
	let at = 0;
	for (const { name, content, deflated = false } of entries) {
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
		local.push(Buffer.from("PK\u0003\u0004"), shared, Buffer.from(name), data);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(at, 10);
		central.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 0]), shared, place, Buffer.from(name));
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

/** A workbook of one sheet, whose cells are texts. */
export function workbookBytes(rows: readonly (readonly string[])[], deflated = true): Buffer {
	const cells = (row: readonly string[]) =>
		row.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join("");
	const sheet = rows.map((row) => `<row>${cells(row)}</row>`).join("");
	const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
	return zipBytes(
		{ name: "xl/workbook.xml", content: '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>' },
		{
			name: "xl/_rels/workbook.xml.rels",
			content: `<Relationships><Relationship Id="r1" Type="${type}" Target="sheet1.xml"/></Relationships>`,
		},
		{
			name: "xl/sheet1.xml",
			content: `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
			deflated,
		},
	);
}
