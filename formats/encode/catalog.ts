/** Writes a catalog: the 64-byte header, then one FlatBuffer of formats/schema/catalog.fbs. */

import { crc32 } from "node:zlib";
import { Builder } from "flatbuffers";
import type { Catalog } from "../catalog.js";
import { monthNumber } from "../domain/row-id.js";
import { encodeHeader, FILE_TYPE } from "../layout.js";
import { Catalog as CatalogTable } from "../schema/generated/catalog.js";
import { Column as ColumnTable } from "../schema/generated/column.js";
import { File as FileTable } from "../schema/generated/file.js";
import { Section as SectionTable } from "../schema/generated/section.js";
import { StateRun as StateRunTable } from "../schema/generated/state-run.js";

/** Bytes of a catalog file, a function of the catalog alone. */
export function encodeCatalog(catalog: Catalog): Buffer {
	const builder = new Builder(16 * 1024);
	const columns = CatalogTable.createColumnsVector(
		builder,
		catalog.columns.map((c) =>
			ColumnTable.createColumn(builder, c.code, builder.createString(c.name), c.distinct, c.folds, c.nulls),
		),
	);
	const files = CatalogTable.createFilesVector(
		builder,
		catalog.files.map((f) => FileTable.createFile(builder, builder.createString(f.name), f.type, f.bytes)),
	);
	const sections = CatalogTable.createSectionsVector(
		builder,
		catalog.sections.map((s) =>
			SectionTable.createSection(builder, s.kind, s.column, s.file, s.offset, s.bytes, s.width, s.crc),
		),
	);
	const states = CatalogTable.createStatesVector(
		builder,
		catalog.states.map((s) =>
			StateRunTable.createStateRun(
				builder,
				builder.createString(s.country),
				builder.createString(s.state),
				s.first,
				s.rows,
			),
		),
	);
	const month = builder.createString(catalog.month);
	builder.finish(
		CatalogTable.createCatalog(
			builder,
			month,
			catalog.rows,
			columns,
			files,
			sections,
			states,
			catalog.parentCrc,
		),
	);
	const payload = builder.asUint8Array();
	const header = encodeHeader({
		fileType: FILE_TYPE.catalog,
		month: monthNumber(catalog.month),
		rows: catalog.rows,
		payloadBytes: payload.length,
		payloadCrc: crc32(payload),
	});
	return Buffer.concat([header, payload]);
}
