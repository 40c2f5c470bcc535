/** Counts of a month's sources: rows, rejects by reason with their first samples, oddities. */

import { COLUMNS, type ColumnName, findColumn } from "../../formats/domain/columns.js";
import { ODD_SAMPLES_MAX, type OddSample } from "../input/byte-reader.js";
import type { SourceFile } from "../input/source-files.js";
import type { PlannedSource, SourcePlan } from "../input/source-plan.js";
import {
	ODDITIES,
	type Oddity,
	type OddityKind,
	type ParsedSource,
	type RejectedRow,
	type RejectReason,
	type RejectSummary,
	SAMPLE_CHARACTERS_MAX,
	SAMPLES_PER_REASON,
} from "./parsed-month.js";

interface OddityTally {
	count: number;
	readonly samples: OddSample[];
}

interface SourceTally {
	readonly file: string;
	readonly carried: boolean;
	bytes: number;
	rows: number;
	rejects: number;
	/** By kind, then by column; the empty column for none. */
	readonly oddities: Map<OddityKind, Map<string, OddityTally>>;
	/** By name of a column: the name it is probably a misspelling of. */
	likely: ReadonlyMap<string, string>;
}

export class MonthTally {
	/** Rows of all sources so far. */
	rows = 0;
	private readonly sources: SourceTally[] = [];
	private readonly reasons = new Map<RejectReason, { rows: number; samples: RejectedRow[] }>();
	private readonly present = new Set<ColumnName>(["country"]);
	/** By source. */
	readonly plans: SourcePlan[] = [];

	/** Starts the next source; the methods below take its index. */
	addSource({ path, open }: SourceFile): number {
		this.sources.push({
			file: path,
			carried: open !== undefined,
			bytes: 0,
			rows: 0,
			rejects: 0,
			oddities: new Map(),
			likely: new Map(),
		});
		return this.sources.length - 1;
	}

	/** Counts the oddities of a source's header. */
	addHeader(source: number, { plan, oddities }: PlannedSource): void {
		this.plans[source] = plan;
		for (const column of columnsOf(plan)) {
			// The counts of carried rows apply to them alone: those of other rows are computed if no file has
			// them.
			if (column !== "agent_count" || !this.sources[source].carried) this.present.add(column);
		}
		this.sources[source].likely = oddities.likely;
		for (const name of oddities.unknown) this.addOddity(source, "unknown_column", name, 1);
		for (const name of oddities.builderMade) this.addOddity(source, "builder_made_column", name, 1);
		for (const name of oddities.absent) this.addOddity(source, "mapped_header_absent", name, 1);
		this.addOddity(source, "nameless_column", null, oddities.nameless);
	}

	addRows(source: number, rows: number): void {
		this.rows += rows;
		this.sources[source].rows += rows;
	}

	addReject(source: number, row: RejectedRow): void {
		this.sources[source].rejects++;
		const tally = this.reasons.get(row.reason) ?? { rows: 0, samples: [] };
		this.reasons.set(row.reason, tally);
		tally.rows++;
		if (tally.samples.length < SAMPLES_PER_REASON) {
			tally.samples.push({ ...row, raw: row.raw.slice(0, SAMPLE_CHARACTERS_MAX) });
		}
	}

	/** Adds to an oddity's count and, up to {@link ODD_SAMPLES_MAX}, to its samples. */
	addOddity(
		source: number,
		kind: OddityKind,
		column: string | null,
		count: number,
		samples: readonly OddSample[] = [],
	): void {
		if (count === 0) return;
		const { oddities } = this.sources[source];
		const tallies = oddities.get(kind) ?? new Map<string, OddityTally>();
		oddities.set(kind, tallies);
		const tally = tallies.get(column ?? "") ?? { count: 0, samples: [] };
		tallies.set(column ?? "", tally);
		tally.count += count;
		tally.samples.push(...samples.slice(0, ODD_SAMPLES_MAX - tally.samples.length));
	}

	setBytes(source: number, bytes: number): void {
		this.sources[source].bytes = bytes;
	}

	/** Bytes of all sources so far, as stored on disk. */
	get bytes(): number {
		return this.sources.reduce((sum, source) => sum + source.bytes, 0);
	}

	columns(): ColumnName[] {
		return COLUMNS.map((column) => column.name).filter((name) => this.present.has(name));
	}

	parsedSources(): ParsedSource[] {
		return this.sources.map(({ file, carried, bytes, rows, rejects }) => ({
			file,
			bytes,
			rows,
			rejects,
			...(carried ? { carried: true } : {}),
		}));
	}

	rejects(): RejectSummary {
		const reasons = [...this.reasons].map(([reason, { rows, samples }]) => ({ reason, rows, samples }));
		reasons.sort((a, b) => b.rows - a.rows || (a.reason < b.reason ? -1 : 1));
		return { rows: reasons.reduce((sum, { rows }) => sum + rows, 0), reasons };
	}

	/**
	 * Oddities by source, then by kind in the order of {@link ODDITIES}, then by column: ours in output order,
	 * others in header order.
	 */
	oddities(): Oddity[] {
		return this.sources.flatMap(({ file, oddities, likely }) =>
			ODDITIES.flatMap((kind) =>
				[...(oddities.get(kind) ?? [])].sort(byColumn).map(([column, { count, samples }]) => ({
					kind,
					file,
					column: column === "" ? null : column,
					count,
					...(isNameOdd(kind) && likely.has(column) ? { likely: likely.get(column) } : {}),
					...(samples.length > 0 ? { samples } : {}),
				})),
			),
		);
	}
}

/** Whether a kind of oddity concerns a header name. */
function isNameOdd(kind: OddityKind): boolean {
	return kind === "unknown_column" || kind === "mapped_header_absent";
}

function byColumn([a]: readonly [string, OddityTally], [b]: readonly [string, OddityTally]): number {
	return (findColumn(a)?.code ?? 0) - (findColumn(b)?.code ?? 0);
}

function columnsOf(plan: SourcePlan): ColumnName[] {
	return [...plan.targets, ...plan.constants].map(({ column }) => column);
}
