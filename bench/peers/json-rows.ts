/** Rows as JSON text, for the variants of peers that store them beside the columns. */

import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs";
import { ByteSink, type Snapshot } from "../../engine/index.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";

/** Size of the write buffer, in characters. */
const CHUNK_CHARACTERS = 1 << 20;

/** Every row of `snapshot` as its id and its JSON object. */
export function* jsonRows(snapshot: Snapshot): Generator<readonly [number, string]> {
	const sink = new ByteSink();
	for (let row = 0; row < snapshot.rows; row++) {
		sink.reset();
		snapshot.renderRows(Uint32Array.of(row), WHOLE_ROW, "json", sink);
		yield [Number(snapshot.value(row, "id")), sink.bytes.toString("utf8", 0, sink.length)];
	}
}

/** Writes the rows as CSV of id and JSON to `file`, unless it exists. */
export function writeJsonFile(file: string, snapshot: Snapshot): void {
	if (existsSync(file)) return;
	const unfinished = `${file}.writing`;
	const descriptor = openSync(unfinished, "w", 0o644);
	let text = "";
	for (const [id, json] of jsonRows(snapshot)) {
		text += `${id},"${json.replaceAll('"', '""')}"\n`;
		if (text.length < CHUNK_CHARACTERS) continue;
		writeSync(descriptor, text);
		text = "";
	}
	writeSync(descriptor, text);
	closeSync(descriptor);
	renameSync(unfinished, file);
}
