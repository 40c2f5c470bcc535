/**
 * Reads a catalog and validates it: checksum first, then every reference and bound, so that callers can
 * rely on its numbers when they open its files. Cost O(columns + sections + states).
 */

import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { ByteBuffer } from "flatbuffers";
import type {
	Catalog,
	CatalogColumn,
	CatalogFile,
	CatalogSection,
	ElementWidth,
	StateRun,
} from "../catalog.js";
import { isMonth, MAX_ROWS, monthNumber } from "../domain/row-id.js";
import { FormatError } from "../errors.js";
import {
	decodeHeader,
	FILE_TYPE,
	type FileType,
	HEADER_BYTES,
	hex,
	MAX_FILE_BYTES,
	SECTION_ALIGNMENT,
	type SectionKind,
} from "../layout.js";
import { Catalog as CatalogTable } from "../schema/generated/catalog.js";

export interface DecodedCatalog {
	readonly catalog: Catalog;
	/** CRC-32 of the catalog's payload; identifies the snapshot's contents, since it covers all their CRCs. */
	readonly crc: number;
	/** Version of the layout, from the header. */
	readonly version: number;
}

/** The catalog in the file at `path`, which must be that of `month` if given. Throws {@link FormatError}. */
export function readCatalog(path: string, month?: string): DecodedCatalog {
	let bytes: Buffer;
	try {
		bytes = readFileSync(path);
	} catch (error) {
		throw new FormatError("unreadable", path, (error as Error).message);
	}
	const decoded = decodeCatalog(bytes, path);
	const got = decoded.catalog.month;
	if (month !== undefined && got !== month)
		throw new FormatError("wrong_file", path, `expected the month ${month}, got ${got}`);
	return decoded;
}

/** The catalog in `bytes`, an entire catalog file. Throws {@link FormatError} naming `path`. */
export function decodeCatalog(bytes: Buffer, path: string): DecodedCatalog {
	const header = decodeHeader(bytes, bytes.length, FILE_TYPE.catalog, path);
	const payload = bytes.subarray(HEADER_BYTES);
	const crc = crc32(payload);
	if (crc !== header.payloadCrc) {
		throw new FormatError(
			"checksum_mismatch",
			path,
			`expected CRC ${hex(header.payloadCrc)}, got ${hex(crc)}`,
		);
	}
	const table = CatalogTable.getRootAsCatalog(new ByteBuffer(payload));
	if (longestVector(table) * VECTOR_ELEMENT_BYTES > payload.length) {
		throw new FormatError(
			"corrupt_catalog",
			path,
			`a vector is longer than the payload of ${payload.length} bytes`,
		);
	}
	const catalog = readTable(table);
	const problem = findProblem(catalog) ?? headerProblem(catalog, header);
	if (problem !== undefined) throw new FormatError("corrupt_catalog", path, problem);
	return { catalog, crc, version: header.version };
}

/** Bytes that a vector takes for each table in it. */
const VECTOR_ELEMENT_BYTES = 4;

function longestVector(table: CatalogTable): number {
	return Math.max(table.columnsLength(), table.filesLength(), table.sectionsLength(), table.statesLength());
}

function readTable(table: CatalogTable): Catalog {
	return {
		month: table.month() ?? "",
		rows: table.rows(),
		columns: list<CatalogColumn>(table.columnsLength(), (i) => {
			const c = table.columns(i);
			return (
				c && {
					code: c.code(),
					name: c.name() ?? "",
					distinct: c.distinct(),
					folds: c.folds(),
					nulls: c.nulls(),
				}
			);
		}),
		files: list<CatalogFile>(table.filesLength(), (i) => {
			const f = table.files(i);
			return f && { name: f.name() ?? "", type: f.type() as FileType, bytes: f.bytes() };
		}),
		sections: list<CatalogSection>(table.sectionsLength(), (i) => {
			const s = table.sections(i);
			return (
				s && {
					kind: s.kind() as SectionKind,
					column: s.column(),
					file: s.file(),
					offset: s.offset(),
					bytes: s.bytes(),
					width: s.width() as ElementWidth,
					crc: s.crc(),
				}
			);
		}),
		states: list<StateRun>(table.statesLength(), (i) => {
			const s = table.states(i);
			return s && { country: s.country() ?? "", state: s.state() ?? "", first: s.first(), rows: s.rows() };
		}),
		parentCrc: table.parentCrc(),
	};
}

function list<T>(length: number, at: (index: number) => T | null): T[] {
	const items: T[] = [];
	for (let i = 0; i < length; i++) {
		const item = at(i);
		if (item !== null) items.push(item);
	}
	return items;
}

function headerProblem(catalog: Catalog, header: { month: number; rows: number }): string | undefined {
	if (monthNumber(catalog.month) !== header.month)
		return `header names month ${header.month}, catalog ${catalog.month}`;
	if (catalog.rows !== header.rows) return `header counts ${header.rows} rows, catalog ${catalog.rows}`;
	return undefined;
}

const FILE_NAME = /^[a-z0-9_-]+(\.[a-z]+)?$/;

function findProblem(catalog: Catalog): string | undefined {
	if (!isMonth(catalog.month)) return `month is ${JSON.stringify(catalog.month)}, expected YYYY-MM`;
	if (catalog.rows > MAX_ROWS) return `${catalog.rows} rows, at most ${MAX_ROWS} expected`;
	for (const file of catalog.files) {
		if (!FILE_NAME.test(file.name)) return `file name ${JSON.stringify(file.name)} is not plain`;
		if (file.bytes < HEADER_BYTES || file.bytes > MAX_FILE_BYTES)
			return `file ${file.name} has ${file.bytes} bytes`;
	}
	return columnProblem(catalog) ?? sectionProblem(catalog) ?? runProblem(catalog);
}

function columnProblem({ columns, rows }: Catalog): string | undefined {
	const seen = new Set<number>();
	for (const { code, name, distinct, folds, nulls } of columns) {
		const where = `column ${name}`;
		if (seen.has(code)) return `${where}: twice`;
		seen.add(code);
		if (distinct > rows) return `${where}: ${distinct} values in ${rows} rows`;
		if (folds > distinct) return `${where}: ${folds} folds of ${distinct} values`;
		if (nulls > rows) return `${where}: ${nulls} nulls in ${rows} rows`;
	}
	return undefined;
}

function sectionProblem(catalog: Catalog): string | undefined {
	const seen = new Set<string>();
	for (const section of catalog.sections) {
		const where = `section kind ${section.kind} of column ${section.column}`;
		if (seen.has(where)) return `${where}: twice`;
		seen.add(where);
		const file = catalog.files[section.file];
		if (file === undefined) return `${where}: no file ${section.file}`;
		if (section.offset % SECTION_ALIGNMENT !== 0 || section.offset < HEADER_BYTES)
			return `${where}: offset ${section.offset}`;
		if (section.offset + section.bytes > file.bytes) return `${where}: ends past ${file.name}`;
		if (section.width !== 1 && section.width !== 2 && section.width !== 4)
			return `${where}: width ${section.width}`;
		if (section.bytes % section.width !== 0)
			return `${where}: ${section.bytes} bytes of width ${section.width}`;
	}
	return undefined;
}

function runProblem(catalog: Catalog): string | undefined {
	let next = 0;
	for (const run of catalog.states) {
		if (run.first !== next) return `run of ${run.state} begins at row ${run.first}, expected ${next}`;
		next += run.rows;
	}
	const covered = catalog.parentCrc !== 0 || next === catalog.rows;
	return covered ? undefined : `state runs cover ${next} rows of ${catalog.rows}`;
}
