/**
 * Conventions shared by every builder command: exit codes (0 done, 1 refused or failed with one line on stderr,
 * 2 usage) and output (`--json`: one JSON document on stdout and nothing else, on failure too).
 */

import { type Command, CommanderError, InvalidArgumentError } from "commander";
import { EngineError } from "../engine/errors.js";
import { endOnFailedOutput } from "../formats/files/standard-output.js";
import { FormatError, printable } from "../formats/index.js";
import { ObjectStoreError } from "../formats/object-store/errors.js";
import { BuildError, systemErrorText } from "./errors.js";

const EXIT_USAGE = 2;

/** Codes of errors in what the command line says, found only once it is read with the files' names. */
const USAGE_CODES: ReadonlySet<string> = new Set(["bad_month", "bad_store_url"]);

/** Parses and runs `program`; resolves to the exit code. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<number> {
	overrideExits(program);
	if (argv[0] === "watch" && !argv.includes("--once")) goOnAfterFailedOutput();
	else endOnFailedOutput((error) => `builder: standard output: ${systemErrorText(error)}`);
	try {
		await program.parseAsync([...argv], { from: "user" });
		return 0;
	} catch (error) {
		const asJson = argv.includes("--json");
		if (error instanceof CommanderError) {
			if (error.exitCode === 0) return 0;
			if (asJson) printJson({ error: { code: "usage", message: error.message.replace(/^error: /, "") } });
			return EXIT_USAGE;
		}
		const failure = failureOf(error);
		if (failure === null) throw error;
		process.stderr.write(`builder: ${failure.error.message}\n`);
		if (asJson) printJson(failure);
		return USAGE_CODES.has(failure.error.code) ? EXIT_USAGE : 1;
	}
}

/** What a watcher prints is a log: a full disk that holds it does not stop the work, which the journal records. */
function goOnAfterFailedOutput(): void {
	for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

/** What `--json` prints for a command that failed. */
export interface Failure {
	readonly error: {
		/** A code of one of our error types, or of the operating system, such as `ENOSPC`. */
		readonly code: string;
		/** One line. */
		readonly message: string;
		readonly file?: string;
		readonly line?: number;
		readonly column?: string;
	};
}

/** The failure that `error` represents; null for a defect of the program. */
export function failureOf(error: unknown): Failure | null {
	if (isRefusal(error)) {
		const head = { code: error.code, message: error.message.replaceAll("\n", " ") };
		if (!(error instanceof BuildError)) return { error: head };
		const { file, line, column, details } = error;
		const place = Object.entries({ file, line, column }).filter(([, value]) => value !== null);
		return { error: { ...head, ...Object.fromEntries(place) }, ...details };
	}
	if (!isSystemError(error)) return null;
	const place = error.path === undefined ? "" : `${error.path}: `;
	return { error: { code: error.code ?? "EUNKNOWN", message: `${place}${systemErrorText(error)}` } };
}

/** Whether an error is one of ours, whose message is sufficient without a stack trace. */
function isRefusal(error: unknown): error is Error & { readonly code: string } {
	return [BuildError, FormatError, EngineError, ObjectStoreError].some((type) => error instanceof type);
}

/** Whether an error comes from the operating system, such as a full disk or missing permissions. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
	return error instanceof Error && "syscall" in error && "code" in error;
}

function overrideExits(command: Command): void {
	command.exitOverride();
	command.configureOutput({
		outputError: (text, write) => write(`${text.trim().replaceAll(/\s*\n\s*/g, " ")}\n`),
	});
	for (const sub of command.commands) overrideExits(sub);
}

/** Prints `document` as one line of JSON. */
export function printJson(document: unknown): void {
	process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** Formats bytes for display: 1234567 → `1.2 MB`. */
export function formatBytes(bytes: number): string {
	const units = ["B", "kB", "MB", "GB", "TB"];
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit + 1 < units.length) {
		value /= 1000;
		unit++;
	}
	return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Formats rows of text as aligned columns, safe for terminals; numbers are right-aligned. */
export function formatTable(
	header: readonly string[],
	rows: readonly (readonly (string | number)[])[],
): string {
	const texts = rows.map((row) =>
		row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en-US") : printable(cell))),
	);
	const widths = header.map((name, i) => Math.max(name.length, ...texts.map((row) => row[i].length)));
	const line = (cells: readonly string[], right: (i: number) => boolean) =>
		cells
			.map((cell, i) => (right(i) ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
			.join("  ")
			.trimEnd();
	const numeric = (i: number) => rows.length > 0 && typeof rows[0][i] === "number";
	return [line(header, numeric), ...texts.map((row) => line(row, numeric))].join("\n");
}

/** The file of an option for output; null for standard output: `-`, which is standard input among sources, or none. */
export function outputFile(given: string | undefined): string | null {
	return given === undefined || given === "-" ? null : given;
}

/** A time of RFC 3339, section 5.6. */
const RFC_3339 =
	/^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** Milliseconds since 1970 of a time of RFC 3339, for an option. */
export function instant(text: string): number {
	const [, year, month, day] = RFC_3339.exec(text) ?? [];
	const ms = Date.parse(text.toUpperCase());
	// Date.parse accepts February 30 as March 2.
	const isDate =
		new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
	if (!isDate || !(ms >= 0)) {
		throw new InvalidArgumentError(
			"expected a time with its zone, such as 2026-12-01T06:00:00Z or 2026-12-01T00:00:00-06:00",
		);
	}
	return ms;
}

/** Runs `make`, but only warns about a damaged adjacent month, which must not prevent what is done to another. */
export async function orWarn(make: () => Promise<void>): Promise<void> {
	try {
		await make();
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		process.stderr.write(`builder: changes between months were not computed: ${error.message}\n`);
	}
}
