/** `builder build`: CSV files to a published month. */

import { Command, InvalidArgumentError, Option } from "commander";
import { findJurisdiction, PROFILES, type Profile } from "../../formats/index.js";
import { type BuiltMonth, buildMonth } from "../build/build-month.js";
import type { CarryOptions } from "../carry/carry-states.js";
import { printJson } from "../command-line.js";
import { BuildError } from "../errors.js";
import { GATES, type GateLimits, type GateName, LIMIT_FLAGS, parseAccepted } from "../gates/gate.js";
import { compileDateFormats } from "../input/date-format.js";
import { reportText } from "../report/report-text.js";
import { monthName } from "./month-arguments.js";
import { progressView } from "./progress.js";
import { NO_ROW_STORE_HELP, ROW_STORE_HELP } from "./row-store-flags.js";
import { THREADS_HELP, threadCount } from "./threads.js";

interface BuildFlags {
	data: string;
	month?: string;
	map: string[];
	profile?: Profile;
	dateFormat?: string;
	enrich: string[];
	accept: ReadonlySet<GateName>;
	hold: boolean;
	dryRun: boolean;
	rowStore?: boolean;
	threads?: number;
	groups?: string;
	replace: boolean;
	mergeState: string[];
	carry: string[];
	from?: string;
	json: boolean;
}

export function buildCommand(): Command {
	const command = new Command("build")
		.description("compile CSV files into a published month; files given together are merged into one month")
		.argument(
			"<files...>",
			"CSV files and workbooks (.xlsx), plain, gzip, zstd or zip; folders of them; - for standard input",
		)
		.requiredOption("--data <dir>", "data folder")
		.option("--month <YYYY-MM>", "month of the files; by default from their names", monthName)
		.option("--map <file>", "map file: header names, constants, date format; may be repeated", collect, [])
		.addOption(new Option("--profile <name>", "names that headers may use: RESO's").choices(PROFILES))
		.option("--date-format <format>", "date format read beside ISO dates, such as MM/DD/YYYY", dateFormat)
		.option(
			"--enrich <file>",
			"contacts file with matched_email and matched_phone of US rows by state and license number; may be repeated",
			collect,
			[],
		)
		.option("--groups <file>", "status and type groups to add to the built-in table (docs/OPERATING.md)")
		.option("--replace", "replace the published month, which is retired", false)
		.option(
			"--merge-state <codes>",
			"correct only these states of the published month, such as CA,TX; the other states' rows are kept",
			stateCodes,
			[],
		)
		.option("--carry <codes>", "take the rows of these states from a published month", stateCodes, [])
		.option("--from <YYYY-MM>", "month that --carry takes rows from; by default the one before", monthName)
		.addOption(
			new Option("--accept <gates>", `publish even if these gates fail: ${GATES.join(", ")}, or all`)
				.argParser(acceptedGates)
				.default(new Set(), "none"),
		)
		.option("--hold", "keep the finished month for `release MONTH` instead of publishing it", false)
		.option("--dry-run", "do everything but publish", false)
		.option("--row-store", ROW_STORE_HELP)
		.option("--no-row-store", NO_ROW_STORE_HELP)
		.option("--threads <n>", THREADS_HELP, threadCount)
		.option("--json", "print one JSON document", false)
		.action(build);
	for (const { flag, unit, gate, description, default: standard } of LIMIT_FLAGS) {
		const about = gate === null ? description : `gate ${gate}: maximum ${unit} of ${description}`;
		command.option(`${flag} <${unit}>`, about, notNegative, standard);
	}
	return command;
}

async function build(files: string[], flags: BuildFlags, command: Command): Promise<void> {
	const progress = flags.json ? null : await progressView(process.stderr);
	const built = await buildMonth({
		files,
		dataFolder: flags.data,
		month: flags.month ?? null,
		maps: flags.map,
		profile: flags.profile,
		dateFormat: flags.dateFormat ?? null,
		enrich: flags.enrich,
		groups: flags.groups ?? null,
		replace: flags.replace,
		carry: carryOptions(flags, command),
		accept: flags.accept,
		limits: limitsOf(command),
		hold: flags.hold,
		dryRun: flags.dryRun,
		rowStore: flags.rowStore ?? "newest",
		threads: flags.threads ?? null,
		now: () => new Date(),
		onProgress: progress?.show,
	}).finally(() => progress?.stop());
	if (flags.json) printJson(built);
	else process.stdout.write(`${reportText(built)}${droppedText(built)}report: ${built.reportPage}\n`);
}

/** The line on stored rows that were dropped; empty if none were. */
function droppedText({ month, rowsDroppedOf }: BuiltMonth): string {
	if (rowsDroppedOf === null) return "";
	return `stored rows of ${rowsDroppedOf} dropped, since ${month} is newer; rows add ${rowsDroppedOf} adds them again\n`;
}

function carryOptions({ mergeState, carry, from }: BuildFlags, command: Command): CarryOptions | undefined {
	if (from !== undefined && carry.length === 0) command.error("error: --from needs --carry");
	if (mergeState.length === 0 && carry.length === 0) return undefined;
	return { merge: mergeState, carry, from: from ?? null };
}

function limitsOf(command: Command): GateLimits {
	const options = command.opts<Record<string, number>>();
	const limits = LIMIT_FLAGS.map(({ limit, flag }) => [limit, options[new Option(flag).attributeName()]]);
	return Object.fromEntries(limits) as unknown as GateLimits;
}

/** Adds codes separated by commas to those of earlier flags. */
function stateCodes(value: string, previous: string[]): string[] {
	const codes = value.split(",").map((code) => code.trim().toUpperCase());
	if (codes.includes("")) throw new InvalidArgumentError("expected codes separated by commas, such as CA,TX");
	const unknown = codes.find((code) => findJurisdiction(code) === undefined);
	if (unknown !== undefined) throw new InvalidArgumentError(`no jurisdiction has the code ${unknown}`);
	return [...new Set([...previous, ...codes])];
}

/** The format as given; one that is none is wrong usage, as with every other flag. */
function dateFormat(value: string): string {
	try {
		compileDateFormats([value]);
	} catch (error) {
		if (error instanceof BuildError) throw new InvalidArgumentError(error.message);
		throw error;
	}
	return value;
}

function collect(value: string, previous: string[]): string[] {
	return [...previous, value];
}

function notNegative(value: string): number {
	const number = Number(value);
	if (value.trim() === "" || !Number.isFinite(number) || number < 0)
		throw new InvalidArgumentError("expected a number of at least 0");
	return number;
}

function acceptedGates(value: string): ReadonlySet<GateName> {
	const parsed = parseAccepted(value);
	if ("unknown" in parsed)
		throw new InvalidArgumentError(`no gate is named ${parsed.unknown}: ${GATES.join(", ")}, all`);
	return parsed.accepted;
}
