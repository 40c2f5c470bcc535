/**
 * The process of one side: the engine of a checkout over a data folder, asked by its parent over IPC. It is started
 * anew for each round. The engine is loaded from the path it is given; none of this checkout's is.
 *
 * Arguments: CHECKOUT DATA_FOLDER
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { respond } from "../measure/respond.js";
import type { Question } from "../shapes/question.js";
import type { SideOrder, SideReply } from "./side-messages.js";

const [checkout, dataFolder] = process.argv.slice(2);

function load<T>(module: string): Promise<T> {
	return import(pathToFileURL(join(checkout, "dist", module)).href) as Promise<T>;
}

const engine = await load<typeof import("../../engine/index.js")>("engine/index.js");
const formats = await load<typeof import("../../formats/index.js")>("formats/index.js");
const library = engine.openLibrary({ dataFolder });
for (const { error } of library.failed) throw error;
const { latest } = library;
if (latest === null) throw new Error(`${dataFolder} has no published month`);
const snapshot = latest;
// As a server's warm-up does. An older checkout may not have the method.
const { precompute } = snapshot as Partial<typeof snapshot>;
for (const _ of precompute?.call(snapshot) ?? []);
const sink = new engine.ByteSink();
let questions: readonly Question[] = [];

function obey(order: SideOrder): SideReply {
	switch (order.kind) {
		case "load":
			questions = order.questions;
			warmUp(order.warming, order.warmMs);
			return { kind: "done" };
		case "time":
			return { kind: "times", ms: questions.slice(order.from, order.to).map(time) };
		case "digest":
			return { kind: "digest", crc: questions.reduce(digest, 0) };
	}
}

function warmUp(warming: readonly Question[], leastMs: number): void {
	const from = performance.now();
	do {
		for (const question of warming) respond(snapshot, question, sink);
	} while (performance.now() - from < leastMs);
}

function time(question: Question): number {
	const begun = performance.now();
	respond(snapshot, question, sink);
	return performance.now() - begun;
}

function digest(crc: number, question: Question): number {
	const bytes = respond(snapshot, question, sink);
	return crc32(sink.bytes.subarray(0, bytes), crc);
}

function reply(message: SideReply): void {
	process.send?.(message);
}

process.on("message", (order: SideOrder) => {
	try {
		reply(obey(order));
	} catch (error) {
		reply({ kind: "failed", message: String(error) });
	}
});
process.on("disconnect", () => process.exit(0));
reply({
	kind: "ready",
	month: snapshot.month,
	rows: snapshot.rows,
	columns: formats.COLUMNS.map((c) => c.name),
});
