/**
 * Results of one machine as one JSON document, in the style of ClickBench: shapes, and for each system an array with
 * its figures of each. A later run replaces the shapes that it measured, for all systems, since ratios hold within one
 * run only; the other shapes stay. `docs/BENCHMARKS.md` has the format.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { OWN_CHECKOUT } from "../compare/checkout.js";
import type { Outcome } from "../http/rounds.js";
import { REPEATS } from "../measure/draw-questions.js";
import type { ShapeFigures } from "../measure/run-shape.js";
import type { BenchDocument } from "./document.js";

/** Name of the format with its version. */
export const RESULTS_FORMAT = "rollcall-results-3";
/** The system that the others are compared with. */
export const OWN_SYSTEM = "Rollcall";

const RUN = { date: z.iso.datetime(), commit: z.string().min(1).nullable() };
const positive = z.number().positive();

/** Questions asked, p50, p99 and maximum in milliseconds; null: the system was not asked. */
const figuresSchema = z.tuple([z.int().positive(), positive, positive, positive]).nullable();

const systemSchema = z.strictObject({
	system: z.string().min(1),
	version: z.string(),
	/** In the order of the shapes. */
	result: z.array(figuresSchema),
	/** This project's figures for the questions that the system was asked, in the same order. */
	own: z.array(figuresSchema),
});

const shapeSchema = z.strictObject({
	shape: z.string().min(1),
	about: z.string(),
	/** What of the questions was asked before, since the shape has too few. */
	repeats: z.enum(REPEATS),
	/** Median bytes of a response. */
	bytes: z.number().nonnegative(),
	...RUN,
});

const engineSchema = z
	.strictObject({
		rows: z.int().positive(),
		seed: z.int(),
		/** CRC of the snapshot's catalog. */
		digest: z.string(),
		shapes: z.array(shapeSchema),
		systems: z.array(systemSchema),
	})
	.refine(
		({ shapes, systems }) => systems.every((s) => [s.result, s.own].every((f) => f.length === shapes.length)),
		{ error: "each system has one result for each shape" },
	);

const sideSchema = z.strictObject({ rate: positive, cpuUs: positive, p50Us: z.number(), p99Us: z.number() });

const scenarioSchema = z.strictObject({
	name: z.string().min(1),
	requests: z.int().positive(),
	subject: sideSchema,
	/** The bare HTTP library, which sends a constant. */
	twin: sideSchema,
	/** Medians of the rounds' ratios, subject over twin. */
	ratios: z.strictObject({ rate: positive, cpu: positive, p99: positive }),
	...RUN,
});

const httpSchema = z.strictObject({ rows: z.int().positive(), scenarios: z.array(scenarioSchema) });

const resultsSchema = z.strictObject({
	format: z.literal(RESULTS_FORMAT),
	machine: z.strictObject({
		name: z.string().min(1),
		cpu: z.string(),
		cores: z.int().positive(),
		memoryBytes: z.int().positive(),
		node: z.string(),
	}),
	engine: engineSchema.nullable(),
	http: httpSchema.nullable(),
});

export type MachineResults = z.infer<typeof resultsSchema>;
export type EngineResults = z.infer<typeof engineSchema>;
export type HttpResults = z.infer<typeof httpSchema>;

/** When and of which commit figures are. */
export interface ResultsRun {
	/** ISO 8601. */
	readonly date: string;
	/** Abbreviated, with `-dirty` after it where files differ from it; null outside of a checkout. */
	readonly commit: string | null;
}

/** The run of this process, `now`. */
export function thisRun(now: Date): ResultsRun {
	let commit: string | null = null;
	try {
		const args = ["describe", "--always", "--dirty", "--exclude=*"];
		commit = execFileSync("git", args, { cwd: OWN_CHECKOUT, encoding: "utf8", stdio: "pipe" }).trim();
	} catch {
		// Installed from a package, or there is no git.
	}
	return { date: now.toISOString(), commit };
}

/** What this machine is called where nothing else is given. */
export function machineName(): string {
	const all = cpus();
	return `${all[0]?.model.trim() ?? "unknown"}, ${all.length} cores`;
}

/** The results in the file at `path`. Throws where it is no valid document, naming the file and the member. */
export function readResults(path: string): MachineResults {
	let value: unknown;
	try {
		value = JSON.parse(readFileSync(path, "utf8"));
	} catch (error) {
		throw new Error(`${path}: ${(error as Error).message}`);
	}
	const parsed = resultsSchema.safeParse(value);
	if (parsed.success) return parsed.data;
	const [{ path: at, message }] = parsed.error.issues;
	throw new Error(`${path}: ${at.length === 0 ? "" : `${at.join(".")}: `}${message}`);
}

/** The results of every machine in `folder`, by file name. */
export function readAllResults(folder: string): MachineResults[] {
	const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
	return names.sort().map((name) => readResults(join(folder, name)));
}

/**
 * Puts results into the document of their machine in `folder`, which is created where it is missing. Throws where
 * the document's shapes are of other rows. Returns the document's path.
 */
export function putResults(folder: string, results: MachineResults): string {
	mkdirSync(folder, { recursive: true });
	const slug = results.machine.name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
	const path = join(folder, `${slug.replace(/^-|-$/g, "")}.json`);
	const before = readdirSync(folder).includes(path.slice(folder.length + 1)) ? readResults(path) : null;
	const merged = resultsSchema.parse(before === null ? results : mergeResults(before, results, path));
	const unfinished = `${path}.writing`;
	writeFileSync(unfinished, `${JSON.stringify(merged, null, "\t")}\n`);
	renameSync(unfinished, path);
	return path;
}

/** What `before` has, with what `after` has measured anew. `place` names the former in errors. */
function mergeResults(before: MachineResults, after: MachineResults, place: string): MachineResults {
	const { machine } = after;
	return {
		format: RESULTS_FORMAT,
		machine,
		engine: mergeEngines(before.engine, after.engine, place),
		http: mergeHttp(before.http, after.http, place),
	};
}

function mergeEngines(
	before: EngineResults | null,
	after: EngineResults | null,
	place: string,
): EngineResults | null {
	if (before === null || after === null) return after ?? before;
	if (before.rows !== after.rows || before.seed !== after.seed || before.digest !== after.digest)
		throw new Error(
			`${place} has ${before.rows} rows of seed ${before.seed} and digest ${before.digest}, and ${after.rows} of ` +
				`seed ${after.seed} and digest ${after.digest} were measured; ` +
				"remove it or give another folder",
		);
	const anew = new Set(after.shapes.map(({ shape }) => shape));
	const kept = before.shapes.filter(({ shape }) => !anew.has(shape));
	const figuresIn = (from: EngineResults, system: string, shape: string, of: "result" | "own") =>
		from.systems.find((s) => s.system === system)?.[of][from.shapes.findIndex((s) => s.shape === shape)] ??
		null;
	const merged = (system: string, of: "result" | "own") => [
		...kept.map(({ shape }) => figuresIn(before, system, shape, of)),
		...after.shapes.map(({ shape }) => figuresIn(after, system, shape, of)),
	];
	const latest = new Map([...before.systems, ...after.systems].map((s) => [s.system, s.version]));
	const systems = [...latest].map(([system, version]) => ({
		system,
		version,
		result: merged(system, "result"),
		own: merged(system, "own"),
	}));
	return { ...after, shapes: [...kept, ...after.shapes], systems };
}

function mergeHttp(before: HttpResults | null, after: HttpResults | null, place: string): HttpResults | null {
	if (before === null || after === null) return after ?? before;
	if (before.rows !== after.rows)
		throw new Error(
			`${place} has figures over HTTP of ${before.rows} rows, and ${after.rows} were measured; ` +
				"remove it or give another folder",
		);
	const anew = new Set(after.scenarios.map(({ name }) => name));
	const kept = before.scenarios.filter(({ name }) => !anew.has(name));
	return { rows: after.rows, scenarios: [...kept, ...after.scenarios] };
}

/** The figures of a run of `bench engine`. */
export function engineResults(document: BenchDocument, run: ResultsRun): EngineResults {
	const { rows, seed, digest, shapes, peers } = document;
	const version = run.commit ?? "";
	const ours = shapes.map(({ engine }) => figuresOf(engine));
	const peerIn = (shape: ShapeFigures, name: string) => shape.peers.find((peer) => peer.name === name);
	return {
		rows,
		seed,
		digest,
		shapes: shapes.map(({ shape, about, repeats, bytes }) => ({ shape, about, repeats, bytes, ...run })),
		systems: [
			{ system: OWN_SYSTEM, version, result: ours, own: ours },
			...peers.map(({ name, version }) => ({
				system: name,
				version,
				result: shapes.map((shape) => figuresOf(peerIn(shape, name))),
				own: shapes.map((shape) => figuresOf(peerIn(shape, name)?.engine)),
			})),
		],
	};
}

function figuresOf(
	times: { n: number; p50: number; p99: number; max: number } | undefined,
): z.infer<typeof figuresSchema> {
	return times === undefined ? null : [times.n, times.p50, times.p99, times.max];
}

/** The figures of a run of `bench http` over a month of `rows`. */
export function httpResults(outcomes: readonly Outcome[], rows: number, run: ResultsRun): HttpResults {
	return {
		rows,
		scenarios: outcomes.map(({ name, requests, subject, twin, ratios }) => ({
			name,
			requests,
			subject,
			twin,
			ratios,
			...run,
		})),
	};
}
