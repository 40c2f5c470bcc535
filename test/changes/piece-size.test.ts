/** How many rows of a streamed body are rendered at a time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteSink } from "../../engine/index.js";
import { Arrivals } from "../../server/api/bulk/arrivals.js";
import { PieceSize, streamed } from "../../server/api/bulk/stream.js";
import { ANSWER_BYTES_MAX } from "../../server/api/errors.js";

test("pieces are short for a while after another request, then long again", () => {
	const arrivals = new Arrivals();
	arrivals.count = 7;
	const size = new PieceSize(arrivals);
	assert.equal(size.rows(), 512);
	arrivals.count++;
	for (let piece = 0; piece < 128; piece++) assert.equal(size.rows(), 128);
	assert.equal(size.rows(), 512);
});

test("pieces of long rows have fewer rows, and never fewer than are read ahead", () => {
	const size = new PieceSize(new Arrivals());
	const rowsAfter = (rowBytes: number) => {
		size.written(512, 512 * rowBytes);
		return size.rows();
	};
	assert.deepEqual([200, 384, 385, 700, 1_600, 100_000].map(rowsAfter), [512, 512, 384, 256, 128, 128]);
});

test("pieces of any size have every row once", () => {
	const sink = new ByteSink();
	const arrivals = new Arrivals();
	const told: number[] = [];
	const rows = 5_000;
	const write = (first: number, end: number) => {
		for (let row = first; row < end; row++) {
			told.push(row);
			sink.text("x".repeat(row % 3_000));
		}
	};
	const { bytes, next } = streamed({
		rows,
		headers: "",
		sink,
		arrivals,
		isWalk: true,
		begin: () => undefined,
		write,
	});
	let written = bytes.length;
	for (let piece = next?.() ?? null; piece !== null; piece = next?.() ?? null) {
		written += piece.length;
		arrivals.count += told.length % 3 === 0 ? 1 : 0;
	}
	assert.deepEqual(told, [...Array(rows).keys()]);
	assert.equal(
		written,
		told.reduce((sum, row) => sum + (row % 3_000), 0),
	);
});

test("rows of a walk that are few but long are in pieces, others of a page are refused", () => {
	const bodyOf = (rowBytes: number, isWalk: boolean) => {
		const sink = new ByteSink(1 << 18, ANSWER_BYTES_MAX);
		const write = (first: number, end: number) => {
			for (let row = first; row < end; row++) sink.text(String(row % 10).repeat(rowBytes));
		};
		const begin = () => sink.text("head ");
		return streamed({ rows: 100, headers: "", sink, arrivals: new Arrivals(), isWalk, begin, write });
	};
	const fitting = Math.floor(ANSWER_BYTES_MAX / 100) - 1;
	assert.equal(bodyOf(fitting, true).next, undefined);
	assert.equal(bodyOf(fitting, false).next, undefined);
	// The bound is passed by the last row alone, and by far.
	for (const rowBytes of [fitting + 2, 300_000]) {
		const { bytes, next, requests } = bodyOf(rowBytes, true);
		const pieces = [Buffer.from(bytes as Uint8Array)];
		for (let piece = next?.() ?? null; piece !== null; piece = next?.() ?? null)
			pieces.push(Buffer.from(piece));
		const text = Buffer.concat(pieces).toString();
		const rows = Array.from({ length: 100 }, (_, row) => String(row % 10).repeat(rowBytes));
		assert.ok(text === `head ${rows.join("")}`, `${text.length} bytes`);
		assert.ok(next !== undefined);
		assert.equal(requests, 1);
	}
	assert.throws(() => bodyOf(300_000, false), { code: "answer_too_large" });
});

test("a body in pieces counts as a request for every thousand rows begun", () => {
	for (const [rows, requests] of [
		[1_001, 2],
		[1_999, 2],
		[2_000, 2],
		[2_001, 3],
	]) {
		const sink = new ByteSink();
		const write = () => sink.text("x");
		const begin = () => undefined;
		const body = streamed({ rows, headers: "", sink, arrivals: new Arrivals(), isWalk: true, begin, write });
		assert.equal(body.requests, requests, `${rows} rows`);
	}
});
