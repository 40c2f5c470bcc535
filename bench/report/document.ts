/** The benchmark's result as one JSON document, and comparison with an earlier one. */

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { z } from "zod";
import type { ShapeFigures } from "../measure/run-shape.js";

export interface BenchDocument {
	readonly machine: {
		readonly cpu: string;
		readonly cores: number;
		readonly memoryBytes: number;
		readonly node: string;
	};
	readonly rows: number;
	readonly seed: number;
	/** CRC of the snapshot's catalog, which covers all its bytes. */
	readonly digest: string;
	readonly peers: readonly { readonly name: string; readonly version: string }[];
	readonly skipped: readonly { readonly name: string; readonly reason: string }[];
	readonly shapes: readonly ShapeFigures[];
}

export function thisMachine(): BenchDocument["machine"] {
	const all = cpus();
	return {
		cpu: all[0]?.model ?? "unknown",
		cores: all.length,
		memoryBytes: totalmem(),
		node: process.version,
	};
}

export function writeDocument(path: string, document: BenchDocument): void {
	writeFileSync(path, `${JSON.stringify(document, null, "\t")}\n`);
}

const baselineSchema = z.object({
	shapes: z.array(z.object({ shape: z.string(), engine: z.object({ p50: z.number(), p99: z.number() }) })),
});

export interface BaselineRatio {
	readonly shape: string;
	/** This run's time over the baseline's: above 1 is slower. */
	readonly p50: number;
	readonly p99: number;
}

/** Ratios of this run's times to those of the document at `path`, for the shapes that both have. */
export function compareWithBaseline(path: string, document: BenchDocument): BaselineRatio[] {
	const baseline = baselineSchema.parse(JSON.parse(readFileSync(path, "utf8")));
	const before = new Map(baseline.shapes.map((s) => [s.shape, s.engine]));
	return document.shapes.flatMap(({ shape, engine }) => {
		const old = before.get(shape);
		return old === undefined ? [] : [{ shape, p50: engine.p50 / old.p50, p99: engine.p99 / old.p99 }];
	});
}
