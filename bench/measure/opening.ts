/**
 * Many months open at once: time to open them, resident memory, and the cost of one license's history
 * over all of them.
 */

import { ByteSink, type Library, openLibrary, type Snapshot } from "../../engine/index.js";
import { monthNumber, monthOfNumber } from "../../formats/index.js";
import { DEFAULT_MONTH, prepareData } from "../data/bench-month.js";
import { WHOLE_ROW } from "../shapes/named-shapes.js";
import { ValueSource } from "../shapes/value-source.js";
import { milliseconds, type Percentiles, percentiles } from "./samples.js";

export interface OpeningOptions {
	readonly months: number;
	readonly monthRows: number;
	readonly draws: number;
	readonly seed: number;
	readonly work: string;
}

export interface Opening {
	readonly months: number;
	readonly rowsEach: number;
	readonly milliseconds: number;
	/** Growth of resident memory by opening, and by reading one row of each month. */
	readonly residentBytes: number;
	readonly residentBytesQueried: number;
	/** Milliseconds to render one license's rows of the newest months, twelve at most; each license is asked for once. */
	readonly history: Percentiles;
	readonly historyMonths: number;
}

/** Months that a history reads. */
const HISTORY_MONTHS = 12;
/** Histories read before those that count, of other licenses: the first ones fault pages in and compile code. */
const WARM_UP_HISTORIES = 100;

/** Makes the months that are missing, opens them, and reads histories. */
export async function measureOpening(
	options: OpeningOptions,
	told: (message: string) => void,
): Promise<Opening> {
	const last = monthNumber(DEFAULT_MONTH);
	const months = Array.from({ length: options.months }, (_, i) => monthOfNumber(last - i));
	// A folder of its own, since the default size's folder holds one month.
	const work = `${options.work}/months-${options.months}`;
	const data = await prepareData(
		{ ...options, rows: options.monthRows, months, rowStore: false, work },
		told,
	);
	const before = process.memoryUsage().rss;
	const begun = performance.now();
	const library = openLibrary({ dataFolder: data.dataFolder });
	const taken = performance.now() - begun;
	const opened = process.memoryUsage().rss;
	const sink = new ByteSink();
	for (const snapshot of library.snapshots) snapshot.renderRows(Uint32Array.of(0), WHOLE_ROW, "json", sink);
	const queried = process.memoryUsage().rss;
	const historyMonths = library.snapshots.slice(0, HISTORY_MONTHS);
	return {
		months: library.snapshots.length,
		rowsEach: options.monthRows,
		milliseconds: taken,
		residentBytes: opened - before,
		residentBytesQueried: queried - before,
		history: measureHistory(library, historyMonths, options),
		historyMonths: historyMonths.length,
	};
}

function measureHistory({ latest }: Library, months: readonly Snapshot[], options: OpeningOptions) {
	if (latest === null) throw new Error("no month is open");
	const source = ValueSource.seeded(latest, options.seed, 0);
	const sink = new ByteSink();
	const times = Array.from({ length: WARM_UP_HISTORIES + options.draws }, () => {
		const row = source.row();
		const state = String(latest.value(row, "state"));
		const number = source.value("member_state_license_number", row);
		sink.reset();
		const begun = performance.now();
		for (const month of months)
			month.renderRows(month.findLicense(state, number).subarray(0, 1), WHOLE_ROW, "json", sink);
		const taken = performance.now() - begun;
		for (const month of months) checkHistory(month, state, number);
		return taken;
	});
	return percentiles(times.slice(WARM_UP_HISTORIES));
}

/** Asserts that the license found in a month is the one asked for. */
function checkHistory(month: Snapshot, state: string, number: string): void {
	for (const row of month.findLicense(state, number)) {
		const found = [month.value(row, "state"), month.value(row, "member_state_license_number")];
		if (found[0] !== state || found[1] !== number)
			throw new Error(`${month.month}: asked for ${state} ${number}, found ${found.join(" ")}`);
	}
}

/** The measurements as text. */
export function openingText(opening: Opening): string {
	const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
	const { history, historyMonths } = opening;
	return (
		`${opening.months} months of ${opening.rowsEach.toLocaleString("en-US")} rows opened in ` +
		`${opening.milliseconds.toFixed(1)} ms; resident memory grew by ${megabytes(opening.residentBytes)} MB, ` +
		`by ${megabytes(opening.residentBytesQueried)} MB once a row of each was read\n` +
		`history of a license over ${historyMonths} months: p50 ${milliseconds(history.p50)} ms, ` +
		`p99 ${milliseconds(history.p99)} ms, max ${milliseconds(history.max)} ms of ${history.n}`
	);
}
