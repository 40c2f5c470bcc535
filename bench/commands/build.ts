/** `bench build`: a drop to a published month, beside databases that load the same file. */

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { formatTable } from "../../builder/command-line.js";
import { dropName, synthesize } from "../../builder/synth/index.js";
import { columnNamed, SnapshotFiles, sectionName, snapshotFolder } from "../../formats/index.js";
import { loadDuckDb, loadPostgres } from "../build/load-peers.js";
import { writeMappedDrop } from "../build/mapped-drop.js";
import { type QuestionCpu, questionCpu } from "../build/question-cpu.js";
import { type BuildFigures, runBuilder } from "../build/run-builder.js";
import { DEFAULT_MONTH } from "../data/bench-month.js";
import { thisMachine } from "../report/document.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface Flags extends DataFlags {
	readonly rounds: number;
	readonly peers: boolean;
	readonly out?: string;
}

interface Subject {
	readonly name: string;
	readonly run: () => Promise<(Pick<BuildFigures, "seconds" | "rows"> & Partial<BuildFigures>) | null>;
}

interface SubjectFigures {
	readonly name: string;
	readonly seconds: number[];
	peakBytes: number | null;
	stages: Readonly<Record<string, number>> | null;
}

export function buildBenchCommand(): Command {
	const command = new Command("build")
		.description(
			"time a build with and without row store, one of names split, values replaced and states named by a map, PostgreSQL's COPY with sixteen indexes, and DuckDB's read_csv",
		)
		.option("--rounds <n>", "times each is run, in turn", wholeNumber, 3)
		.option("--no-peers", "time the builder alone")
		.option("--out <file>", "write the figures as JSON");
	return withDataOptions(command).action(bench);
}

async function bench(flags: Flags): Promise<void> {
	const folder = join(flags.work, `${flags.rows}-${flags.seed}`);
	const drops = join(folder, "drops");
	const data = join(folder, "build-data");
	mkdirSync(drops, { recursive: true });
	const drop = join(drops, dropName(DEFAULT_MONTH));
	if (!existsSync(drop))
		await synthesize({ rows: flags.rows, months: [DEFAULT_MONTH], seed: flags.seed, out: drops });
	const mapped = await writeMappedDrop(drop, join(folder, `mapped-${DEFAULT_MONTH}.csv`));
	const subjects: Subject[] = [
		{ name: "builder", run: () => runBuilder(drop, data, true) },
		{ name: "builder, mapped", run: () => runBuilder(mapped.drop, data, true, mapped.map) },
		{ name: "builder, no row store", run: () => runBuilder(drop, data, false) },
	];
	if (flags.peers) {
		subjects.push({ name: "PostgreSQL", run: () => loadPostgres(join(folder, "postgres"), drop) });
		subjects.push({ name: "DuckDB", run: () => loadDuckDb(folder, drop) });
	}
	const figures = await runRounds(subjects, flags);
	const { catalog } = SnapshotFiles.open(snapshotFolder(data, DEFAULT_MONTH));
	const sections = sectionBytes(catalog.sections);
	const growth = questionBytes(catalog.sections);
	const profiles = join(folder, "build-profiles");
	const cpu = {
		rowStore: await questionCpu(drop, data, true, profiles),
		noRowStore: await questionCpu(drop, data, false, profiles),
	};
	rmSync(data, { recursive: true });
	const lines = [
		timeTable(figures),
		"",
		formatTable(["section", "bytes"], sections),
		growth,
		`their CPU time: ${cpuShare(cpu.rowStore)} of the build; ${cpuShare(cpu.noRowStore)} without a row store`,
	];
	process.stdout.write(`${lines.join("\n")}\n`);
	if (flags.out !== undefined) {
		const document = { machine: thisMachine(), rows: flags.rows, seed: flags.seed, figures, sections, cpu };
		writeFileSync(flags.out, `${JSON.stringify(document, null, "\t")}\n`);
	}
}

async function runRounds(subjects: readonly Subject[], flags: Flags): Promise<SubjectFigures[]> {
	const figures = subjects.map(
		({ name }): SubjectFigures => ({ name, seconds: [], peakBytes: null, stages: null }),
	);
	for (let round = 1; round <= flags.rounds; round++) {
		for (const [i, { name, run }] of subjects.entries()) {
			const result = await run();
			if (result === null) {
				tell(`${name} is not installed`);
				continue;
			}
			if (result.rows !== flags.rows) throw new Error(`${name} holds ${result.rows} rows of ${flags.rows}`);
			tell(`round ${round}: ${name} ${result.seconds.toFixed(1)} s`);
			figures[i].seconds.push(result.seconds);
			figures[i].peakBytes = Math.max(figures[i].peakBytes ?? 0, result.peakBytes ?? 0) || null;
			figures[i].stages = result.stages ?? null;
		}
	}
	return figures.filter(({ seconds }) => seconds.length > 0);
}

function timeTable(figures: readonly SubjectFigures[]): string {
	const builder = median(figures[0].seconds);
	const rows = figures.map(({ name, seconds, peakBytes, stages }) => [
		name,
		`${median(seconds).toFixed(1)} s`,
		`${Math.min(...seconds).toFixed(1)}-${Math.max(...seconds).toFixed(1)} s`,
		(builder / median(seconds)).toFixed(2),
		peakBytes === null ? "" : `${(peakBytes / 2 ** 30).toFixed(2)} GiB`,
		Object.entries(stages ?? {})
			.map(([stage, value]) => `${stage} ${value.toFixed(1)}`)
			.join(", "),
	]);
	return formatTable(
		["", "median", "range", "builder by it", "peak RSS", "stages of the last round, s"],
		rows,
	);
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

type Sections = SnapshotFiles["catalog"]["sections"];

/** Bytes of the snapshot by kind of section, most first. */
function sectionBytes(sections: Sections): [string, number][] {
	const bytes = new Map<string, number>();
	for (const section of sections) {
		const name = sectionName(section.kind) ?? `kind ${section.kind}`;
		bytes.set(name, (bytes.get(name) ?? 0) + section.bytes);
	}
	return [...bytes].sort((a, b) => b[1] - a[1]);
}

/** Sections that searching names, verifying license numbers and the groups of statuses and types have added. */
const ADDED_SECTIONS = /^(?:name|number)[A-Z]/;
const ADDED_COLUMNS = [columnNamed("license_status_group").code, columnNamed("member_type_group").code];

/** What those sections take beside the others, stored rows not counted, as a sentence. */
function questionBytes(sections: Sections): string {
	let [added, others] = [0, 0];
	for (const { kind, column, bytes } of sections) {
		if (ADDED_SECTIONS.test(sectionName(kind) ?? "") || ADDED_COLUMNS.includes(column)) added += bytes;
		else others += bytes;
	}
	const share = ((100 * added) / others).toFixed(1);
	return `names, license numbers and groups: ${added} bytes, ${share} % of the other columns and indexes`;
}

function cpuShare({ added, rest }: QuestionCpu): string {
	return `${added.toFixed(0)} ms, ${((100 * added) / rest).toFixed(1)} % of the rest`;
}
